/** Full-screen panel for content that could not be read: cause, next step, and a retry button. */
import type { ApiFailure } from '../query/api.ts';
import { Panel } from '../ui/panel.tsx';
import { type Advice, adviceFor, reasonUnder } from './advice.ts';
import { TEXTS } from './texts.ts';

/** The list itself is not there: advice on what was looked for in it would mislead. */
const NO_LIST: Advice = {
  title: TEXTS.notLoaded,
  next: TEXTS.otherVersion,
};

/** The service's own sentence, where the title does not say just that. */
export function Reason({ title, failure }: { title: string; failure: ApiFailure }) {
  const reason = reasonUnder(title, failure);
  return reason === undefined ? null : <p>{reason}</p>;
}

/** Nothing but a reload leads to the login, and a remote control has no key for it. */
export function needsLogin({ code }: ApiFailure): boolean {
  return code === 'unauthorized';
}

export function FailurePanel({ failure, onRetry }: { failure: ApiFailure; onRetry: () => void }) {
  const advice = failure.code === 'not_found' ? NO_LIST : adviceFor(failure);
  return (
    <Panel
      alert
      icon="unlink"
      title={advice.title}
      actions={
        <button
          type="button"
          class="button button-main"
          onClick={needsLogin(failure) ? () => location.reload() : onRetry}
        >
          {needsLogin(failure) ? TEXTS.reopen : TEXTS.retry}
        </button>
      }
    >
      <Reason title={advice.title} failure={failure} />
      <p>{advice.next}</p>
    </Panel>
  );
}
