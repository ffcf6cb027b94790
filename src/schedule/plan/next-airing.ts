/** The next airing after a failed or damaged recording. Pure. */
import type { ProgramId } from '../../../arib/ids.ts';
import type { BroadcastMs } from '../../../arib/time.ts';
import type { EpisodeText } from '../dedupe/episode.ts';
import { isSameEpisode } from '../dedupe/same-episode.ts';
import type { GuideProgram } from '../match/guide-index.ts';
import type { GuideAiring } from './airings.ts';
import type { PlanGuide } from './plan-guide.ts';
import type { Facts } from './program-facts.ts';

interface AiredText extends EpisodeText {
  /** Epoch ms. */
  readonly startAt: BroadcastMs;
}

/** For programmes without episode data, such as films: same title and same description. */
function isSameText(facts: Facts, a: EpisodeText, b: EpisodeText): boolean {
  return facts.of(a).title === facts.of(b).title && facts.textKey(a) === facts.textKey(b);
}

/** Whether both are the same episode, regardless of time. */
export function isRepeat(facts: Facts, a: AiredText, b: AiredText): boolean {
  const own = { episode: facts.of(a).episode, startAt: a.startAt };
  return isSameEpisode(own, { episode: facts.of(b).episode, startAt: b.startAt }) || isSameText(facts, a, b);
}

/**
 * Airings of the same programme that have not begun and may be recorded, in no order.
 * @param text the guide's object if it has one: its facts are cached
 * @param startAt start of the airing with this text, epoch ms
 * @param now epoch ms
 */
export function repeats(
  guide: PlanGuide,
  facts: Facts,
  text: EpisodeText,
  startAt: BroadcastMs,
  now: BroadcastMs,
): GuideProgram[] {
  const own = { episode: facts.of(text).episode, startAt };
  const isComing = ({ program }: GuideAiring): boolean => program.startAt >= now && !program.copyNever;
  const airings = facts.airings(guide);
  // Even a series with hundreds of airings has few of the same episode.
  const alike = airings.alike(text, own).filter((one) => isComing(one) && isSameEpisode(own, one));
  const worded = airings.ofText(text).filter(isComing);
  return [...new Set([...alike, ...worded].map(({ program }) => program))];
}

/**
 * The first airing that has not begun and may be recorded.
 * @param excluded programmes that must not be booked
 * @param now epoch ms
 */
export function nextAiring(
  guide: PlanGuide,
  facts: Facts,
  text: AiredText,
  excluded: ReadonlySet<ProgramId>,
  now: BroadcastMs,
): GuideProgram | undefined {
  return repeats(guide, facts, text, text.startAt, now)
    .filter(({ id }) => !excluded.has(id))
    .sort((a, b) => a.startAt - b.startAt || a.id - b.id)[0];
}
