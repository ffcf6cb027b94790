/** Which parts of a recording are programme and which are commercials: values and pure functions. */
import type { Chapters } from '../../lib/wire/playback.ts';

type SegmentKind = 'main' | 'cm';

/**
 * ms of the original stream's media time (`lib/arib/ts/time-scale.ts`); in order, each begins at the end of the previous
 * one.
 */
export interface ChapterSegment {
  readonly startMs: number;
  readonly endMs: number;
  readonly kind: SegmentKind;
}

/** A detected change, to which a boundary may be moved. */
export interface DetectedChange {
  /** ms of the original stream's media time. */
  readonly atMs: number;
  /** `cut`: the picture changes from one frame to the next; `silence`: the middle of a pause of the sound. */
  readonly kind: 'cut' | 'silence';
}

/** Result of a detection; `cmReliable` requires that at least one feature besides silence supports every commercial. */
export interface DetectedChapters {
  readonly segments: readonly ChapterSegment[];
  readonly reliable: boolean;
  /** 0 to 1: confidence of the least certain boundary. */
  readonly confidence: number;
  readonly changes: readonly DetectedChange[];
  /** Of the complete stream, ms. */
  readonly durationMs: number;
}

/** Why commercials could not be detected. `no_video` and the next three are permanent until the file changes. */
export const DETECTION_FAILURES = [
  'no_file',
  'unreadable',
  'no_video',
  'too_short',
  'ffmpeg_unavailable',
  'ffmpeg_failed',
  'interrupted',
] as const;
export type DetectionFailure = (typeof DETECTION_FAILURES)[number];

const MAIN_TITLE = '本編';
/** A client decides by this title whether a chapter is a commercial. */
export const CM_TITLE = 'CM';

/** Joins adjacent segments of one kind and drops empty ones. Gaps between segments, and the edges, are programme. */
export function wholeSegments(
  commercials: readonly { readonly startMs: number; readonly endMs: number }[],
  durationMs: number,
): ChapterSegment[] {
  const segments: ChapterSegment[] = [];
  const add = (startMs: number, endMs: number, kind: SegmentKind): void => {
    const last = segments.at(-1);
    if (endMs <= startMs) return;
    if (last?.kind === kind) segments[segments.length - 1] = { ...last, endMs };
    else segments.push({ startMs, endMs, kind });
  };
  let at = 0;
  for (const one of [...commercials].sort((a, b) => a.startMs - b.startMs)) {
    const start = Math.min(durationMs, Math.max(at, Math.round(one.startMs)));
    const end = Math.min(durationMs, Math.max(start, Math.round(one.endMs)));
    add(at, start, 'main');
    add(start, end, 'cm');
    at = end;
  }
  add(at, durationMs, 'main');
  return segments;
}

/** For clients; empty without commercials. */
export function chaptersOf(segments: readonly ChapterSegment[]): Chapters {
  if (!segments.some(({ kind }) => kind === 'cm')) return { chapters: [] };
  return {
    chapters: segments.map(({ startMs, endMs, kind }) => ({
      start: startMs / 1000,
      end: endMs / 1000,
      title: kind === 'cm' ? CM_TITLE : MAIN_TITLE,
    })),
  };
}
