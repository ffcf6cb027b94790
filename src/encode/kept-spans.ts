/** The spans of a recording that its encoded file contains, and its chapters on the file's time scale. Pure. */
import type { CutList } from '../model/recording-time.ts';

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

/** A shorter chapter is an artefact at the edge of the recording. */
const MIN_CHAPTER_MS = 100;
const TITLES = { main: '本編', cm: 'CM' } as const;

/**
 * The spans without commercials; null: the complete recording. Nothing is cut if nothing would be left.
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

/** In order; empty without commercials, or if they are cut out. @param length ms of the original stream */
export function encodedChapters(
  segments: readonly ProgramSegment[],
  cuts: CutList,
  length: number,
): EncodedChapter[] {
  if (cuts !== null || !segments.some(({ kind }) => kind === 'cm')) return [];
  return segments.flatMap(({ startMs, endMs, kind }): EncodedChapter[] => {
    const [start, end] = [Math.max(0, startMs), Math.min(endMs, length)];
    return end - start < MIN_CHAPTER_MS ? [] : [{ start, end, title: TITLES[kind] }];
  });
}
