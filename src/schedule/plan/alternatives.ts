/** What a reservation that found no tuner could take instead: another airing of the same, which has one. Pure. */
import type { ProgramId } from '../../../arib/ids.ts';
import { isSameEpisode } from '../dedupe/same-episode.ts';
import type { GuideProgram } from '../match/guide-index.ts';
import { type Claim, claimOf } from './claims.ts';
import type { PlanInput } from './input.ts';

const MAX_OFFERED = 3;

/** @param fits whether a claim would get a tuner beside all that have one */
export function findAlternatives(
  input: PlanInput,
  claim: Claim,
  taken: ReadonlySet<ProgramId>,
  fits: (claim: Claim) => boolean,
): ProgramId[] {
  const { program } = claim;
  if (program === undefined) return [];
  const airing = (one: GuideProgram) => ({ episode: input.facts.of(one).episode, startAt: one.startAt });
  const own = airing(program);
  const others = input.facts
    .airings(input.guide)
    .of(program)
    .filter(
      (other) =>
        other.startAt >= input.now &&
        other.id !== program.id &&
        !taken.has(other.id) &&
        !other.copyNever &&
        (other.isFree || !program.isFree),
    );
  const same = others
    .filter((other) => isSameEpisode(own, airing(other)))
    .sort((a, b) => a.startAt - b.startAt || a.id - b.id);
  const offered: ProgramId[] = [];
  for (const other of same) {
    if (offered.length >= MAX_OFFERED) break;
    const instead = claimOf(input, other, null);
    if (instead !== undefined && fits(instead)) offered.push(other.id);
  }
  return offered;
}
