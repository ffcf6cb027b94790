/** What a reservation that found no tuner could take instead: another airing of the same, which has one. Pure. */
import type { ProgramId } from '../../../arib/ids.ts';
import { isSameEpisode } from '../dedupe/same-episode.ts';
import { type Claim, claimOf } from './claims.ts';
import type { PlanInput } from './plan-types.ts';

const MAX_OFFERED = 3;

/** @param fits whether a claim would get a tuner beside all that have one */
export function findAlternatives(
  input: PlanInput,
  claim: Claim,
  taken: ReadonlySet<ProgramId>,
  fits: (claim: Claim) => boolean,
): ProgramId[] {
  const { now, facts, guide } = input;
  // One that the guide lacks is known by what was booked.
  const { name, description, startAt } = claim;
  const text = claim.program ?? { name, description, extended: null };
  const isFree = claim.program?.isFree ?? true;
  const own = { episode: facts.of(text).episode, startAt };
  const same = facts
    .airings(guide)
    .alike(text, own)
    .filter((other) => other.startAt >= now && isSameEpisode(own, other))
    .map((other) => other.program)
    .filter(
      (one) => one.id !== claim.programId && !taken.has(one.id) && !one.copyNever && (one.isFree || !isFree),
    )
    .sort((a, b) => a.startAt - b.startAt || a.id - b.id);
  const offered: ProgramId[] = [];
  for (const other of same) {
    if (offered.length >= MAX_OFFERED) break;
    const instead = claimOf(input, other, null);
    if (instead !== undefined && fits(instead)) offered.push(other.id);
  }
  return offered;
}
