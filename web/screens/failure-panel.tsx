/** Fills a screen whose content could not be read: why, what to do about it, and another try. */
import type { ApiFailure } from '../api.ts';
import { Panel } from '../ui/panel.tsx';
import { adviceFor } from './advice.ts';

export function FailurePanel({ failure, onRetry }: { failure: ApiFailure; onRetry: () => void }) {
  const advice = adviceFor(failure);
  return (
    <Panel
      alert
      icon="unlink"
      title={advice.title}
      actions={
        <button type="button" class="button button-main" onClick={onRetry}>
          再試行
        </button>
      }
    >
      <p>{failure.message}</p>
      <p>{advice.next}</p>
    </Panel>
  );
}
