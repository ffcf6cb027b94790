/** How much of the programme is over, 0..1. */
import type { BroadcastMs } from '../../lib/arib/time.ts';
export function progressOf(startAt: BroadcastMs, endAt: BroadcastMs, now: BroadcastMs): number {
  if (endAt <= startAt) return 0;
  return Math.min(1, Math.max(0, (now - startAt) / (endAt - startAt)));
}
