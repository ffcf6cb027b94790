/** Content of a sheet whose subject is gone or could not be read. */
import type { ApiFailure } from '../query/api.ts';
import { Icon } from '../ui/icon.tsx';
import { adviceFor } from './advice.ts';
import { TEXTS } from './texts.ts';

interface SheetFailedProps {
  readonly failure: ApiFailure;
  /** When it no longer exists: the message, possible causes, and where to look instead. */
  readonly gone: {
    readonly title: string;
    readonly reason: string;
    readonly href: string;
    readonly go: string;
  };
  /** When it could not be read. */
  readonly title: string;
  readonly onRetry: () => void;
}

export function SheetFailed({ failure, gone, title, onRetry }: SheetFailedProps) {
  const isGone = failure.code === 'not_found';
  return (
    <div class="program-failed text-center muted gap-75 items-middle stack" role="alert">
      <Icon name={isGone ? 'help' : 'unlink'} />
      <h3 class="text-l ink">{isGone ? gone.title : title}</h3>
      <p>{isGone ? gone.reason : failure.message}</p>
      {isGone ? null : <p>{adviceFor(failure).next}</p>}
      {isGone ? (
        <a class="button button-main" href={gone.href}>
          {gone.go}
        </a>
      ) : (
        <button type="button" class="button button-main" onClick={onRetry}>
          {TEXTS.retry}
        </button>
      )}
    </div>
  );
}
