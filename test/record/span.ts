import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';

/** A span of broadcast time, as measurements and verdicts use it. */
export function span(from: number, to: number): { from: BroadcastMs; to: BroadcastMs } {
  return { from: broadcastMs(from), to: broadcastMs(to) };
}
