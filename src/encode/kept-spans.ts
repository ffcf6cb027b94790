/** What of a recording its encoded file holds, and its chapters on that file's scale. Pure. */
import { type CutList, encodedLength, toEncoded } from '../model/recording-time.ts';

/** A part of the programme or of the commercials; ms of the original stream. */
export interface ProgramSegment {
  readonly startMs: number;
  readonly endMs: number;
  readonly kind: 'main' | 'cm';
}

export interface EncodedChapter {
  /** ms of the encoded file. */
  readonly start: number;
  readonly end: number;
  readonly title: string;
}

/** Chapters shorter than this are an edge of the recording, not a part. */
const MIN_CHAPTER_MS = 100;
const TITLES = { main: '本編', cm: 'CM' } as const;

/**
 * Without the commercials; null: all of it. Nothing is cut where it would leave nothing.
 * @param length ms
 */
export function keptSpans(segments: readonly ProgramSegment[], length: number): CutList {
  const commercials = segments
    .filter(({ kind }) => kind === 'cm')
    .map(({ startMs, endMs }) => ({ from: Math.max(0, startMs), to: Math.min(length, endMs) }))
    .filter(({ from, to }) => to > from)
    .sort((a, b) => a.from - b.from);
  if (commercials.length === 0) return null;
  const kept: { from: number; to: number }[] = [];
  let at = 0;
  for (const { from, to } of commercials) {
    if (from - at >= MIN_CHAPTER_MS) kept.push({ from: at, to: from });
    at = Math.max(at, to);
  }
  if (length - at >= MIN_CHAPTER_MS) kept.push({ from: at, to: length });
  return kept.length === 0 ? null : kept;
}

/** In order; none where everything is one part. @param length ms of the original stream */
export function chaptersOf(
  segments: readonly ProgramSegment[],
  cuts: CutList,
  length: number,
): EncodedChapter[] {
  const end = encodedLength(length, cuts);
  const placed = segments.flatMap(({ startMs, endMs, kind }): EncodedChapter[] => {
    const from = toEncoded(Math.min(Math.max(0, startMs), length), cuts);
    const to = Math.min(end, toEncoded(Math.min(endMs, length), cuts));
    return to - from < MIN_CHAPTER_MS ? [] : [{ start: from, end: to, title: TITLES[kind] }];
  });
  return placed.length > 1 || placed.some(({ title }) => title === TITLES.cm) ? placed : [];
}
