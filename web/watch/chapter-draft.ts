/** Correcting where the commercials of a recording are, boundary by boundary. Pure; s of the playback scale. */
import type { Change } from '../../lib/wire/detection.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { Break } from './skip-rules.ts';

export interface ChapterBoundary {
  /** Index of its break. */
  readonly index: number;
  readonly edge: keyof Break;
}

export interface ChapterDraft {
  readonly recordingId: RecordingId;
  readonly breaks: readonly Break[];
}

const LEAST_S = 1;
/** Length of a break that is added, unless something follows sooner. */
const ADDED_S = 60;
/** So near, a change is the one that the boundary lies at: half a frame of a broadcast. */
const SAME_S = 0.017;

const toMs = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** With one boundary as near to `to` as its own break, its neighbours and the length allow. */
export function withBoundary(
  breaks: readonly Break[],
  { index, edge }: ChapterBoundary,
  to: number,
  length: number,
): readonly Break[] {
  const found = breaks[index];
  if (found === undefined) return breaks;
  const before = breaks[index - 1]?.end ?? 0;
  const after = breaks[index + 1]?.start ?? length;
  const [low, high] = edge === 'start' ? [before, found.end - LEAST_S] : [found.start + LEAST_S, after];
  if (high < low) return breaks;
  const at = toMs(Math.min(high, Math.max(low, to)));
  return breaks.map((one) => (one === found ? { ...one, [edge]: at } : one));
}

/** With a break that begins at `at`; undefined: there is one already, or no room for another. */
export function withBreak(breaks: readonly Break[], at: number, length: number): Break[] | undefined {
  if (breaks.some(({ start, end }) => at >= start && at < end)) return undefined;
  const next = breaks.find(({ start }) => start > at)?.start ?? length;
  const end = Math.min(at + ADDED_S, next);
  if (end - at < LEAST_S) return undefined;
  return [...breaks, { start: toMs(at), end: toMs(end) }].sort((a, b) => a.start - b.start);
}

/** The next or previous change of picture or sound; undefined: there is none. @param changes by `at` */
export function changeBeside(changes: readonly Change[], at: number, by: 1 | -1): number | undefined {
  return by === 1
    ? changes.find((one) => one.at > at + SAME_S)?.at
    : changes.findLast((one) => one.at < at - SAME_S)?.at;
}

export function sameBreaks(ones: readonly Break[], others: readonly Break[]): boolean {
  return (
    ones.length === others.length &&
    ones.every(({ start, end }, index) => start === others[index]?.start && end === others[index]?.end)
  );
}
