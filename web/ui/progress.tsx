/** A progress bar: of a programme by the clock, or of any task. */
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { now } from '../device/clock.ts';
import { progressOf } from './progress-of.ts';
import { TEXTS } from './texts.ts';

function Bar({ part, label }: { part: number; label: string }) {
  return (
    <div
      class="progress"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(part * 100)}
    >
      <div class="progress-fill" style={{ '--part': part.toFixed(4) }} />
    </div>
  );
}

export function ProgramProgress({ startAt, endAt }: { startAt: BroadcastMs; endAt: BroadcastMs }) {
  return <Bar part={progressOf(startAt, endAt, now.value)} label={TEXTS.progress} />;
}

/** @param part 0..1 */
export function ProgressBar({ part, label }: { part: number; label: string }) {
  return (
    <div class="stack full-width gap-40">
      <Bar part={Math.min(1, Math.max(0, part))} label={label} />
      <p class="numbers text-s bold">{label}</p>
    </div>
  );
}
