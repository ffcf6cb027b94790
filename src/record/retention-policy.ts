/**
 * Selects the recordings of a rule to move to the bin. Pure: rows, limits and time in, an ordered list out. Never
 * protected or running recordings, nor those of another rule.
 *
 * A pending encode does not delay it: the recording stays complete in the bin for days.
 */
import type { BroadcastMs } from '../../arib/time.ts';
import type { RecordingId } from '../model/ids.ts';
import type { RecordingState } from '../model/recording.ts';

export interface Keepable {
  id: RecordingId;
  /** Epoch ms, of the programme. */
  startAt: BroadcastMs;
  endAt: BroadcastMs;
  watchedAt: BroadcastMs | null;
  isProtected: boolean;
  state: RecordingState;
}

export interface KeepLimits {
  /** Number to keep; null = all. The same for the next field. */
  keepNewest: number | null;
  keepDays: number | null;
}

const DAY_MS = 86_400_000;

/** Watched ones first, then the oldest. */
function byWorth(a: Keepable, b: Keepable): number {
  const watched = Number(b.watchedAt !== null) - Number(a.watchedAt !== null);
  return watched || a.startAt - b.startAt || a.id - b.id;
}

/**
 * Recordings past the age limit, and of the rest those above the number. Failed ones do not count, and are selected
 * when all kept ones are newer. Protected ones do not count.
 *
 * @param recordings of one rule, none of them in the bin @param now epoch ms @returns in the order of deletion
 */
export function recordingsToRetire<R extends Keepable>(
  recordings: readonly R[],
  { keepNewest, keepDays }: KeepLimits,
  now: BroadcastMs,
): R[] {
  const loose = recordings
    .filter((one) => !one.isProtected && one.state !== 'recording')
    .sort((a, b) => byWorth(a, b));
  const isOld = (one: R): boolean => keepDays !== null && one.endAt < now - keepDays * DAY_MS;
  const going = new Set(loose.filter(isOld));
  if (keepNewest !== null) {
    const good = loose.filter((one) => one.state !== 'failed' && !going.has(one));
    const surplus = good.slice(0, Math.max(0, good.length - keepNewest));
    const oldestKept = Math.min(...good.slice(surplus.length).map((one) => one.startAt));
    const isFull = good.length >= keepNewest;
    const failed = loose.filter((one) => one.state === 'failed' && isFull && one.startAt < oldestKept);
    for (const one of [...surplus, ...failed]) going.add(one);
  }
  return loose.filter((one) => going.has(one));
}
