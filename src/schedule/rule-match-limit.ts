/** Limits how many matches of one rule are planned at once: the earliest are booked, the others later. Pure. */
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { RuleId } from '../../lib/wire/ids.ts';
import type { IndexedProgram } from './match/program-rows.ts';
/** All programmes of two stations in eight days, or the next three hours of 120 stations. Plans run every minute. */
export const MAX_OF_RULE = 1000;
/** A thousand rules of ten programmes each. If there are more matches, the rules with the most get fewer. */
const MAX_OF_ALL = 10_000;

export interface Near {
  /** In no order. */
  readonly programs: readonly IndexedProgram[];
  /** Number of programmes that are booked later. */
  readonly left: number;
}

/** @param matches of each rule @param now programmes that are over do not count towards the limit */
export function nearest(
  matches: ReadonlyMap<RuleId, readonly IndexedProgram[]>,
  now: BroadcastMs,
  ofRule = MAX_OF_RULE,
  ofAll = MAX_OF_ALL,
): Map<RuleId, Near> {
  // Past programmes are only searched if the limit is exceeded.
  const few = Math.min(ofRule, Math.floor(ofAll / Math.max(1, matches.size)));
  const coming = [...matches].map(([id, programs]) => ({
    id,
    programs: programs.length > few ? programs.filter((one) => one.endAt > now || one.openEnd) : programs,
  }));
  const counts = coming.map(({ programs }) => Math.min(programs.length, ofRule));
  const limit = Math.min(shareOf(counts, ofAll), ofRule);
  return new Map(
    coming.map(({ id, programs }) => {
      const first = programs.length > limit ? firstOf(programs, limit) : programs;
      return [id, { programs: first, left: programs.length - first.length }];
    }),
  );
}

/** The limit per rule, so that the total does not exceed `total`. */
function shareOf(counts: readonly number[], total: number): number {
  let left = total;
  for (const [index, count] of counts.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (counts.length - index));
    if (count > share) return share;
    left -= count;
  }
  return Infinity;
}

function firstOf(programs: readonly IndexedProgram[], count: number): IndexedProgram[] {
  // Sorting numbers is ten times as fast as sorting programmes.
  const last = Float64Array.from(programs, ({ startAt }) => startAt).sort()[count - 1] ?? -Infinity;
  return programs
    .filter(({ startAt }) => startAt <= last)
    .sort((a, b) => a.startAt - b.startAt || a.id - b.id)
    .slice(0, count);
}
