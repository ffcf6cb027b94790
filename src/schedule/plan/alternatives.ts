/** Alternatives for a reservation without a tuner: other airings of the same episode that have one, by the rules of
 * automatic repeats. Pure. */
import type { ProgramId } from '../../../arib/ids.ts';
import { type Claim, claimOf } from './claims.ts';
import { repeats } from './next-airing.ts';
import type { PlanInput } from './plan-types.ts';

const MAX_OFFERED = 3;

/** @param fits whether a claim would get a tuner besides all claims that have one */
export function findAlternatives(
  input: PlanInput,
  claim: Claim,
  taken: ReadonlySet<ProgramId>,
  fits: (claim: Claim) => boolean,
): ProgramId[] {
  const { now, facts, guide } = input;
  // A programme that the guide lacks is identified by its reservation.
  const { name, description, program } = claim;
  const text = program ?? { name, description, extended: null };
  const same = repeats(guide, facts, text, claim.startAt, now)
    .filter(({ id }) => id !== claim.programId && !taken.has(id))
    .sort((a, b) => a.startAt - b.startAt || a.id - b.id);
  const offered: ProgramId[] = [];
  for (const other of same) {
    if (offered.length >= MAX_OFFERED) break;
    const instead = claimOf(input, other, null);
    if (instead !== undefined && fits(instead)) offered.push(other.id);
  }
  return offered;
}
