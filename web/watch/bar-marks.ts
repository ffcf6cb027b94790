/** Marks of a recording's seek bar: chapters, gaps, the preview picture of a position. Pure. */
import type { Chapters, PlaybackGap } from '../../lib/wire/playback.ts';
import type { Previews } from '../../lib/wire/recordings.ts';
import { spellMs } from '../words/recording.ts';
import { TEXTS } from './texts.ts';

export type Chapter = Chapters['chapters'][number];

/** A stretch of the bar, 0 to 1. */
interface BarPart {
  readonly start: number;
  readonly end: number;
}

const clamp = (part: number): number => Math.min(1, Math.max(0, part));

export function partOf(seconds: number, length: number): number {
  return length > 0 ? clamp(seconds / length) : 0;
}

/** In order and within the length; invalid ones are omitted. */
export function chapterParts(chapters: readonly Chapter[], length: number): (BarPart & { isCm: boolean })[] {
  return chapters
    .filter(({ start, end }) => Number.isFinite(start) && end > start && start < length)
    .map(({ start, end, title }) => ({
      start: partOf(start, length),
      end: partOf(end, length),
      isCm: title === 'CM',
    }));
}

export function gapParts(gaps: readonly PlaybackGap[], length: number): BarPart[] {
  return gaps
    .filter(({ start }) => start <= length)
    .map(({ start, end }) => ({ start: partOf(start, length), end: partOf(end, length) }));
}

export function chapterAt(chapters: readonly Chapter[], seconds: number): Chapter | undefined {
  return chapters.find(({ start, end }) => seconds >= start && seconds < end);
}

/** Pressed so soon after a chapter's start, back leads to the one before. */
const CHAPTER_BACK_S = 3;

/** Start of the next chapter, or of the present or one before; undefined: there is none. */
export function chapterStep(chapters: readonly Chapter[], seconds: number, by: 1 | -1): number | undefined {
  const starts = chapters.map(({ start }) => start).sort((a, b) => a - b);
  return by === 1
    ? starts.find((start) => start > seconds + 0.5)
    : starts.findLast((start) => start < seconds - CHAPTER_BACK_S);
}

/** Pointing so near at a mark means the mark, as a part of the bar. */
const NEAR = 0.006;

/** The gap at a position; undefined: none. */
export function gapWords(gaps: readonly PlaybackGap[], seconds: number, length: number): string | undefined {
  const near = length * NEAR;
  const gap = gaps.find(({ start, end }) => seconds >= start - near && seconds <= end + near);
  if (gap === undefined) return undefined;
  return gap.missing > 0 ? TEXTS.lostHere(spellMs(gap.missing * 1000)) : TEXTS.someLostHere;
}

/** The picture of a place: its sheet's address, and where it lies there, in pictures. */
interface PreviewPlace {
  readonly sheet: string;
  readonly column: number;
  readonly row: number;
}

/** Where a place of a file lies in the time that previews count: what was cut out of it has pictures too. ms. */
function uncutTime(at: number, kept: Previews['kept']): number {
  let left = at;
  for (const { from, to } of kept ?? []) {
    if (left < to - from) return from + left;
    left -= to - from;
  }
  return kept?.at(-1)?.to ?? at;
}

export function previewAt(previews: Previews, seconds: number): PreviewPlace | undefined {
  const { columns, rows, count, intervalMs, sheets } = previews;
  if (count < 1 || columns < 1 || rows < 1 || intervalMs < 1) return undefined;
  const at = uncutTime(seconds * 1000, previews.kept);
  const index = Math.min(count - 1, Math.max(0, Math.round(at / intervalMs)));
  const sheet = sheets[Math.floor(index / (columns * rows))];
  if (sheet === undefined) return undefined;
  return { sheet, column: index % columns, row: Math.floor(index / columns) % rows };
}
