/** Identifies airings of the same episode. Pure. */
import type { BroadcastMs } from '../../../lib/arib/time.ts';
import type { Episode } from './episode.ts';

export interface EpisodeAiring {
  readonly episode: Episode;
  readonly startAt: BroadcastMs;
}

/** NUL as separator, since no text contains it. */
function numberKey({ series, number }: Episode): string {
  return `${series}\0${number}`;
}

/** It can only be compared with other airings by time and title. */
function isUnidentified({ number, isOfEvent, subtitle }: Episode): boolean {
  return subtitle === null && (number === null || isOfEvent);
}

/**
 * Programmes of one event within this time are its parts, for instance before and after the news: a game of go begins
 * in the morning and continues in the afternoon.
 */
const PARTS_MS = 8 * 3_600_000;

/**
 * Whether two airings show the same episode, by the rules of `sameEpisodes`: if one has no subtitle, the other's is
 * used.
 */
export function isSameEpisode(a: EpisodeAiring, b: EpisodeAiring): boolean {
  const { series, number, subtitle, title } = a.episode;
  const other = b.episode;
  if (isUnidentified(a.episode) || isUnidentified(other))
    return (
      isUnidentified(a.episode) && isUnidentified(other) && a.startAt === b.startAt && title === other.title
    );
  if (number !== other.number || series !== other.series) return false;
  const apart = Math.abs(a.startAt - b.startAt);
  if ((a.episode.isOfEvent || other.isOfEvent) && apart > 0 && apart < PARTS_MS) return false;
  if (number !== null) return subtitle === null || other.subtitle === null || subtitle === other.subtitle;
  return subtitle === other.subtitle;
}

/** Equal for airings of the same episode in a series; different episodes may share it, too. */
export function episodeKey({ episode, startAt }: EpisodeAiring): string {
  if (isUnidentified(episode)) return `at\0${startAt}\0${episode.title}`;
  return episode.number ?? `of\0${episode.subtitle}`;
}

/**
 * Airings of the same series, number and subtitle. An airing without a subtitle has the only known subtitle of that
 * number; if there are several, it stays separate. Airings with neither number nor subtitle, or of an event with a
 * number alone, are the same only at the same time under the same title.
 * @returns each airing in exactly one group, groups and airings in input order
 */
export function sameEpisodes<T extends EpisodeAiring>(airings: readonly T[]): T[][] {
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
    const place = isUnidentified(airing.episode)
      ? `at\0${airing.startAt}\0${title}`
      : `of\0${series}\0${number}\0${subtitle ?? only ?? ''}`;
    const group = groups.get(place);
    if (group === undefined) groups.set(place, [airing]);
    else group.push(airing);
  }
  return [...groups.values()].flatMap(parts);
}

/** Splits the airings of an event: an airing that begins long after the previous one is a repeat. */
function parts<T extends EpisodeAiring>(group: readonly T[]): T[][] {
  if (group.length === 1 || !group.some(({ episode }) => episode.isOfEvent)) return [[...group]];
  const starts = [...new Set(group.map(({ startAt }) => startAt))].sort((a, b) => a - b);
  const partOf = new Map<number, number>();
  let part = 0;
  for (const [index, startAt] of starts.entries()) {
    part = startAt - (starts[index - 1] ?? -Infinity) < PARTS_MS ? part + 1 : 0;
    partOf.set(startAt, part);
  }
  return [...Map.groupBy(group, ({ startAt }) => partOf.get(startAt)).values()];
}
