/** What a reservation that found no tuner could take instead: another airing of the same, which has one. Pure. */
import type { ProgramId } from '../../../arib/ids.ts';
import { sameEpisodes } from '../dedupe/same-episode.ts';
import type { GuideProgram } from '../match/guide-index.ts';
import { type Claim, claimOf } from './claims.ts';
import type { PlanInput } from './input.ts';

const MAX_OFFERED = 3;
/** Programmes that are looked at closely; of one title a guide has fewer. */
const MAX_LOOKED_AT = 400;
/** Runs of letters: signs, numbers and blanks differ between stations. */
const LETTERS = /[\p{L}\p{M}ー]+/gu;

/** Programmes whose title shares its longest word. */
function alike({ guide, facts }: PlanInput, program: GuideProgram): GuideProgram[] {
  const words = facts.of(program).title.match(LETTERS) ?? [];
  const [word] = words.toSorted((a, b) => b.length - a.length);
  if (word === undefined) return [];
  const rows = guide.all();
  guide.narrowByWord(rows, word, false);
  const found: GuideProgram[] = [];
  rows.forEach((row) => {
    const held = guide.at(row);
    if (held === undefined || found.length >= MAX_LOOKED_AT) return;
    if (held.text.slice(0, held.titleLength).includes(word)) found.push(held.program);
  });
  return found;
}

/** @param fits whether a claim would get a tuner beside all that have one */
export function findAlternatives(
  input: PlanInput,
  claim: Claim,
  taken: ReadonlySet<ProgramId>,
  fits: (claim: Claim) => boolean,
): ProgramId[] {
  const { program } = claim;
  if (program === undefined) return [];
  const airing = (one: GuideProgram) => ({
    episode: input.facts.of(one).episode,
    startAt: one.startAt,
    program: one,
  });
  const others = alike(input, program).filter(
    (other) =>
      other.id !== program.id &&
      !taken.has(other.id) &&
      !other.copyNever &&
      other.startAt >= input.now &&
      (other.isFree || !program.isFree),
  );
  return others
    .filter((other) => sameEpisodes([airing(program), airing(other)]).length === 1)
    .sort((a, b) => a.startAt - b.startAt || a.id - b.id)
    .filter((other) => {
      const instead = claimOf(input, other, null);
      return instead !== undefined && fits(instead);
    })
    .slice(0, MAX_OFFERED)
    .map(({ id }) => id);
}
