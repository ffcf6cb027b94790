/** How far a programme is, moving with the clock. */
import { now } from '../clock.ts';
import { progressOf } from '../text/time.ts';

export function ProgramProgress({ startAt, endAt }: { startAt: number; endAt: number }) {
  const part = progressOf(startAt, endAt, now.value);
  return (
    <div
      class="progress"
      role="progressbar"
      aria-label="番組の進み具合"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(part * 100)}
    >
      <div class="progress-fill" style={{ '--part': part.toFixed(4) }} />
    </div>
  );
}
