/**
 * Geometry of the guide's sheet. Pure: broadcast times to CSS pixels and back. The sheet
 * begins with yesterday's broadcast day, which begins at 05:00 in Japan: programmes are kept for a day after their end.
 */
import { type BroadcastMs, DAY_MS, HOUR_MS, plusMs } from '../../lib/arib/time.ts';
import { broadcastDay, DAYS } from '../words/day.ts';

export interface Span {
  readonly from: BroadcastMs;
  /** Exclusive. */
  readonly to: BroadcastMs;
}

/** Broadcast days before the present one. */
const PAST_DAYS = 1;

/** Range of the guide at the time `now`. */
export function guideSpan(now: BroadcastMs): Span {
  const today = broadcastDay(now);
  return { from: plusMs(today, -PAST_DAYS * DAY_MS), to: plusMs(today, DAYS * DAY_MS) };
}

/** Lengths in CSS pixels. */
export interface Scale {
  readonly hour: number;
  readonly column: number;
}

/** Smallest and largest zoom, and what one press of + or - does. */
export const ZOOM = { least: 0.35, most: 3, step: 1.25 } as const;

/** Smallest and largest factor of a column's width, and what one press of + or - does. */
export const WIDTH = { least: 0.5, most: 2.5, step: 1.2 } as const;

/** In units of letters. */
const HOUR = 9.5;
/** A hand holds fewer columns than a desk. */
const COLUMN = { narrow: 7.1, wide: 10.25 } as const;
const COLUMN_LIMITS = { least: 0.62, most: 1.7 } as const;
const NARROW_PX = 720;
/** Few columns fill a wide screen, but none becomes wider than this: long lines are hard to follow. */
const WIDEST = 26;

export function clampZoom(zoom: number): number {
  return Math.min(ZOOM.most, Math.max(ZOOM.least, zoom));
}

export function clampWidth(width: number): number {
  return Math.min(WIDTH.most, Math.max(WIDTH.least, width));
}

interface ScaleOptions {
  /** Factor of an hour's height. */
  readonly zoom: number;
  /** Factor of a column's width, beside what the zoom does to it. */
  readonly width: number;
  /** CSS pixels of the sheet's unit of letters; hours and columns grow with it. */
  readonly unit: number;
  /** CSS pixels that the columns have in view. */
  readonly room: number;
  readonly columns: number;
}

/** Hours grow with the zoom, columns with its root: text needs height before it needs width. */
export function scaleOf({ zoom, width, unit, room, columns }: ScaleOptions): Scale {
  const base = room < NARROW_PX ? COLUMN.narrow : COLUMN.wide;
  const grown = Math.min(COLUMN_LIMITS.most, Math.max(COLUMN_LIMITS.least, Math.sqrt(zoom)));
  const preferred = Math.round(base * unit * grown * clampWidth(width));
  const filling = columns === 0 ? 0 : Math.min(Math.floor(room / columns), WIDEST * unit);
  return { hour: Math.round(HOUR * unit * zoom), column: Math.max(preferred, filling) };
}

/** Smallest letters of the sheet, in units. Those of `styles/guide-programs.css`. */
const SMALLEST = 0.71;
/** Legible from a sofa: 24 pixels of a screen that is 1920 wide. */
const TELEVISION_PART = 24 / 1920;

/**
 * CSS pixels of the unit that everything on the sheet is measured in: the root's letters, or more for a television.
 *
 * @param rem CSS pixels of the root's letters
 * @param screen CSS pixels, width of the whole screen
 */
export function unitOf(rem: number, television: boolean, screen: number): number {
  return television ? Math.max(rem, (screen * TELEVISION_PART) / SMALLEST) : rem;
}

export function topOf(at: BroadcastMs, span: Span, scale: Scale): number {
  return ((at - span.from) / HOUR_MS) * scale.hour;
}

export function timeAt(top: number, span: Span, scale: Scale): BroadcastMs {
  return plusMs(span.from, (top / scale.hour) * HOUR_MS);
}

/** Part of the guide that is loaded at once; a divisor of the day, so that chunks begin at 5, 11, 17 and 23 o'clock. */
export const CHUNK_MS = 6 * HOUR_MS;

/** Start times of the chunks that cover a time range. */
export function chunksOf(from: BroadcastMs, to: BroadcastMs): BroadcastMs[] {
  const chunks: BroadcastMs[] = [];
  for (let at = broadcastDay(from); at < to; at = plusMs(at, CHUNK_MS))
    if (at + CHUNK_MS > from) chunks.push(at);
  return chunks;
}
