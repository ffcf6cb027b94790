/** What stands in place of a part of a screen while it is read, and when that failed. */
import type { ApiFailure } from '../query/api.ts';
import { adviceFor } from './advice.ts';

/** Beside a field or in a block: why, and what can be done. */
export function FieldFailure({ failure }: { failure: ApiFailure }) {
  return <Refusal text={`${failure.message} ${adviceFor(failure).next}`} />;
}

/** The place of a block that is still read; undefined: it has not failed. */
export function BlockWaiting({ failure }: { failure: ApiFailure | undefined }) {
  return failure === undefined ? (
    <span class="skeleton block-skeleton" />
  ) : (
    <FieldFailure failure={failure} />
  );
}

/** Why an action was refused; undefined: it was not. */
export function Refusal({ text }: { text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p class="alert" role="alert">
      {text}
    </p>
  );
}
