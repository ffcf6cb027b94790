/**
 * Where things lie on the sheet of the guide. Pure: broadcast times (epoch ms) to CSS pixels and back. The sheet
 * begins with the present broadcast day, which begins at 05:00 in Japan.
 */
import { broadcastDay, DAY_MS, DAYS, HOUR_MS } from '../words/day.ts';

export interface Span {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/** What the guide shows when it is `now`. */
export function guideSpan(now: number): Span {
  const from = broadcastDay(now);
  return { from, to: from + DAYS * DAY_MS };
}

/** Lengths in CSS pixels. */
export interface Scale {
  readonly hour: number;
  readonly column: number;
}

/** Smallest and largest zoom, and what one press of + or - does. */
export const ZOOM = { least: 0.35, most: 3, step: 1.25 } as const;

const HOUR_REM = 9.5;
/** A hand holds fewer columns than a desk. */
const COLUMN_REM = { narrow: 7.1, wide: 10.25 } as const;
const COLUMN_LIMITS = { least: 0.62, most: 1.7 } as const;
const NARROW_PX = 720;

export function clampZoom(zoom: number): number {
  return Math.min(ZOOM.most, Math.max(ZOOM.least, zoom));
}

/**
 * Hours grow with the zoom, columns with its root: text needs height before it needs width.
 *
 * @param rem CSS pixels of the root's letters
 * @param width of what is seen
 */
export function scaleOf(zoom: number, rem: number, width: number): Scale {
  const base = width < NARROW_PX ? COLUMN_REM.narrow : COLUMN_REM.wide;
  const grown = Math.min(COLUMN_LIMITS.most, Math.max(COLUMN_LIMITS.least, Math.sqrt(zoom)));
  return { hour: Math.round(HOUR_REM * rem * zoom), column: Math.round(base * rem * grown) };
}

export function topOf(at: number, span: Span, scale: Scale): number {
  return ((at - span.from) / HOUR_MS) * scale.hour;
}

export function timeAt(top: number, span: Span, scale: Scale): number {
  return span.from + (top / scale.hour) * HOUR_MS;
}

/** Part of the guide that is read at once; a divisor of the day, so that chunks begin at 5, 11, 17 and 23 o'clock. */
export const CHUNK_MS = 6 * HOUR_MS;

/** Beginnings of the chunks that cover a stretch of time. */
export function chunksOf(from: number, to: number): number[] {
  const chunks: number[] = [];
  for (let at = broadcastDay(from); at < to; at += CHUNK_MS) if (at + CHUNK_MS > from) chunks.push(at);
  return chunks;
}
