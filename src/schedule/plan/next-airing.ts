/** The next airing of what was recorded badly. Pure. */
import type { ProgramId } from '../../../arib/ids.ts';
import { searchText } from '../../model/search-text.ts';
import type { EpisodeText } from '../dedupe/episode.ts';
import { isSameEpisode } from '../dedupe/same-episode.ts';
import type { GuideIndex, GuideProgram } from '../match/guide-index.ts';
import type { Facts } from './program-facts.ts';

export interface AiredText extends EpisodeText {
  /** Epoch ms. */
  readonly startAt: number;
}

/** Of what tells no episode, as films do: the same title, and the same words about it. */
function isSameText(facts: Facts, a: EpisodeText, b: EpisodeText): boolean {
  return facts.of(a).title === facts.of(b).title && searchText(a.description) === searchText(b.description);
}

/** Whether both show the same, whenever they are shown. */
export function isRepeat(facts: Facts, a: AiredText, b: AiredText): boolean {
  const own = { episode: facts.of(a).episode, startAt: a.startAt };
  return isSameEpisode(own, { episode: facts.of(b).episode, startAt: b.startAt }) || isSameText(facts, a, b);
}

/**
 * The first airing that has not begun and may be recorded.
 * @param excluded programmes that are not to be booked
 * @param now epoch ms
 */
export function nextAiring(
  guide: GuideIndex,
  facts: Facts,
  text: AiredText,
  excluded: ReadonlySet<ProgramId>,
  now: number,
): GuideProgram | undefined {
  return facts
    .airings(guide)
    .of(text)
    .map(({ program }) => program)
    .filter(({ id, startAt, copyNever }) => startAt >= now && !copyNever && !excluded.has(id))
    .sort((a, b) => a.startAt - b.startAt || a.id - b.id)
    .find((program) => isRepeat(facts, text, program));
}
