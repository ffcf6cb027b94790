/** Which airings show the same episode. Pure. */
import type { Episode } from './episode.ts';

export interface Airing {
  readonly episode: Episode;
  /** Epoch ms. */
  readonly startAt: number;
}

/** NUL parts what no text joins. */
function numberKey({ series, number }: Episode): string {
  return `${series}\0${number}`;
}

/** Whether two airings show the same, by the same rules: of two, a missing subtitle is the other's. */
export function isSameEpisode(a: Airing, b: Airing): boolean {
  const { series, number, subtitle } = a.episode;
  const other = b.episode;
  if (number !== other.number || series !== other.series) return false;
  if (number !== null) return subtitle === null || other.subtitle === null || subtitle === other.subtitle;
  if (subtitle !== null || other.subtitle !== null) return subtitle === other.subtitle;
  return a.startAt === b.startAt && a.episode.title === other.title;
}

/** The same for airings of a series that show the same; others may have it too. */
export function episodeKey({ episode: { number, subtitle, title }, startAt }: Airing): string {
  if (number !== null) return number;
  return subtitle === null ? `at\0${startAt}\0${title}` : `of\0${subtitle}`;
}

/**
 * Airings of the same series, number and subtitle. Where one tells no subtitle, it is the only subtitle that is
 * known of that number; with several of them it stays apart. What tells neither number nor subtitle is the same
 * only at the same time under the same title.
 * @returns each airing in exactly one group, groups and airings in the order in which they were given
 */
export function sameEpisodes<T extends Airing>(airings: readonly T[]): T[][] {
  const subtitles = new Map<string, Set<string>>();
  for (const { episode } of airings) {
    if (episode.number === null) continue;
    const place = numberKey(episode);
    const known = subtitles.get(place) ?? new Set();
    subtitles.set(place, known);
    if (episode.subtitle !== null) known.add(episode.subtitle);
  }
  const groups = new Map<string, T[]>();
  for (const airing of airings) {
    const { series, number, subtitle, title } = airing.episode;
    const known = subtitles.get(numberKey(airing.episode));
    const only = known?.size === 1 ? [...known][0] : undefined;
    const place =
      number === null && subtitle === null
        ? `at\0${airing.startAt}\0${title}`
        : `of\0${series}\0${number}\0${subtitle ?? only ?? ''}`;
    const group = groups.get(place);
    if (group === undefined) groups.set(place, [airing]);
    else group.push(airing);
  }
  return [...groups.values()];
}
