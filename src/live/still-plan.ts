/**
 * Selects the channel whose pictures are taken next: a pure function of what home screens ask for, the tuners and past
 * attempts. A channel that is received anyway comes first; else an unused tuner, where the household allows it.
 */
import type { BroadcastType, StationId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import type { StationRecord } from '../model/station.ts';
import { isUnused } from '../tuner/tuner-list.ts';

export interface StillTry {
  /** When it ended, ms of a monotonic clock. */
  readonly at: number;
  /** Consecutive attempts without a picture. */
  readonly fruitless: number;
}

interface StillPlanInput {
  /** Stations whose picture is wanted. */
  readonly wanted: readonly StationRecord[];
  readonly tries: ReadonlyMap<StationId, StillTry>;
  readonly tuners: readonly Tuner[];
  /** Unused tuners may be taken. */
  readonly mayTune: boolean;
  readonly now: number;
}

export interface StillTarget {
  readonly type: BroadcastType;
  readonly channel: string;
  readonly stations: readonly StationRecord[];
}

/** Interval between two pictures of a station. */
export const STILL_INTERVAL_MS = 45_000;
const MOST_INTERVAL_MS = 10 * 60_000;

/** A station that shows no picture, such as a radio or a scrambled one, is tried less and less often. */
function isDue(last: StillTry | undefined, now: number): boolean {
  if (last === undefined) return true;
  return now >= last.at + Math.min(STILL_INTERVAL_MS * 2 ** last.fruitless, MOST_INTERVAL_MS);
}

function isReceived({ type, channel }: StationRecord, tuners: readonly Tuner[]): boolean {
  return tuners.some(
    ({ state, tuned, users }) =>
      state === 'tuned' && users.length > 0 && tuned?.type === type && tuned.channel === channel,
  );
}

/** Longer than a channel is received for its pictures, and than its tuner takes to be released. */
const RESERVED_MS = 20_000;

/** A recording that opens soon finds every unused tuner free: it may take seconds to take one over. */
export function opensSoon(uses: readonly { readonly from: BroadcastMs }[], now: BroadcastMs): boolean {
  return uses.some(({ from }) => from > now && from < now + RESERVED_MS);
}

/** All due stations of the channel whose station waits longest; null if there is none that can be received now. */
export function planStill({ wanted, tries, tuners, mayTune, now }: StillPlanInput): StillTarget | null {
  const triedAt = ({ id }: StationRecord): number => tries.get(id)?.at ?? Number.MIN_SAFE_INTEGER;
  const due = wanted.filter(({ id }) => isDue(tries.get(id), now)).sort((a, b) => triedAt(a) - triedAt(b));
  const first =
    due.find((station) => isReceived(station, tuners)) ??
    (mayTune ? due.find(({ type }) => tuners.some((tuner) => isUnused(tuner, type))) : undefined);
  if (first === undefined) return null;
  const { type, channel } = first;
  return { type, channel, stations: due.filter((one) => one.type === type && one.channel === channel) };
}
