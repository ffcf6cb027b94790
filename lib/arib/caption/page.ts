/**
 * Converts the screen to a caption page: runs of cells with the same attributes, for a client that draws them. The
 * page's fields are the public interface; `lib/wire/caption.ts` describes them. Times and positions are those of the
 * broadcast.
 */
import type { DrcsGlyph, DrcsImage } from './drcs.ts';
import { type CellLook, colourName, TRANSPARENT, type WritingFormat } from './look.ts';
import type { Area } from './pen.ts';
import { isHalfWidth } from './width.ts';

// The cells on screen: a drawing plane of characters. ARIB STD-B24 Vol. 1 Part 2, 8.3.

interface Cell {
  /** Top left dot in the plane. */
  readonly x: number;
  readonly y: number;
  readonly look: CellLook;
  /** One character, or several that represent a symbol missing in Unicode. */
  readonly text: string;
  /** Drawn over the previous cell, without a background. */
  readonly overlay: boolean;
  readonly drcs: DrcsGlyph | undefined;
}

/** A colour behind all cells of an area (RCS). */
interface Raster extends Area {
  readonly colour: number;
}

/** The screen content at one moment. */
export interface Snapshot {
  readonly cells: readonly Cell[];
  readonly raster: Raster | undefined;
}

export const EMPTY_SNAPSHOT: Snapshot = { cells: [], raster: undefined };

/**
 * Limit of cells on screen. The densest page in operation, small characters all over 620 by 480 dots, has 31 x 16 =
 * 496.
 */
const MAX_CELLS = 2048;
const ROW = 0x10000;

export class Screen {
  #cells = new Map<number, Cell>();
  raster: Raster | undefined;

  /** Number of cells on screen. */
  get size(): number {
    return this.#cells.size;
  }

  /** A cell replaces the one with the same bottom left corner, also with another size. */
  put(cell: Cell): void {
    const bottom = cell.y + cell.look.height;
    const place = (bottom * ROW + cell.x) * 2;
    const key = cell.overlay ? place + 1 : place;
    this.#cells.delete(key);
    if (!cell.overlay) this.#cells.delete(key + 1);
    if (this.#cells.size < MAX_CELLS) this.#cells.set(key, cell);
  }

  clear(): void {
    this.#cells.clear();
    this.raster = undefined;
  }

  /** Moves everything in the area up; cells that leave it at the top are removed. */
  scroll(area: Area, dots: number): void {
    const cells = [...this.#cells.values()];
    this.#cells.clear();
    for (const cell of cells) {
      const inside = cell.y >= area.y && cell.y < area.y + area.height;
      const moved = inside ? { ...cell, y: cell.y - dots } : cell;
      if (moved.y >= area.y || !inside) this.put(moved);
    }
  }

  snapshot(): Snapshot {
    return { cells: [...this.#cells.values()], raster: this.raster };
  }

  restore({ cells, raster }: Snapshot): void {
    this.#cells.clear();
    this.raster = raster;
    for (const cell of cells) this.put(cell);
  }
}

export interface CaptionRun {
  x: number;
  y: number;
  w: number;
  h: number;
  fx: number;
  fy: number;
  size: number;
  scaleX: number;
  text: string;
  fg: string;
  bg: string;
  stroke?: string;
  underline?: true;
  box?: number;
  flash?: true;
  ruby?: true;
  bold?: true;
  italic?: true;
  drcs?: string;
}

export interface CaptionPage {
  v: 1;
  plane: [number, number];
  duration: number | null;
  runs: CaptionRun[];
  drcs?: Record<string, DrcsImage>;
}

/** Maximum height of ruby characters in relation to their base: SSZ is half. */
const RUBY_HEIGHT = 0.6;
/** Tolerance of a ruby cell's lower edge to its base's top, in dots: encoders use a coarse grid. */
const RUBY_REACH = 4;
/** Dots that stay free below a one-segment caption. */
const ONE_SEGMENT_MARGIN = 8;

interface OpenRun {
  readonly first: Cell;
  last: Cell;
  readonly run: CaptionRun;
}

/** The page; `duration` in milliseconds, null: until the next one. */
export function captionPage(
  snapshot: Snapshot,
  format: WritingFormat,
  duration: number | null,
  centred: boolean,
): CaptionPage {
  const cells = centred ? placedAtBottom(snapshot.cells, format) : snapshot.cells;
  const open: OpenRun[] = [];
  const images: Record<string, DrcsImage> = {};
  let current: OpenRun | undefined;
  for (const cell of cells) {
    if (current !== undefined && !format.vertical && continues(current.last, cell)) {
      current.run.text += cell.text;
      current.last = cell;
      continue;
    }
    current = { first: cell, last: cell, run: runOf(cell) };
    open.push(current);
    if (cell.drcs !== undefined) images[cell.drcs.md5] = cell.drcs.image;
  }
  markRubies(open);
  const runs = open.map(({ run }) => run);
  if (snapshot.raster !== undefined) runs.unshift(rasterRun(snapshot.raster));
  const page: CaptionPage = { v: 1, plane: [format.width, format.height], duration, runs };
  if (Object.keys(images).length > 0) page.drcs = images;
  return page;
}

/** Whether a cell continues where the previous one ended, with the same attributes. */
function continues(last: Cell, next: Cell): boolean {
  return (
    (last.look === next.look || sameLook(last, next)) &&
    next.y === last.y &&
    next.x === last.x + last.look.width &&
    last.drcs === undefined &&
    next.drcs === undefined &&
    !last.overlay &&
    !next.overlay &&
    isSingle(last.text) &&
    isSingle(next.text) &&
    drawnHalf(last.text) === drawnHalf(next.text)
  );
}

function sameLook({ look: a }: Cell, { look: b }: Cell): boolean {
  return (
    a.width === b.width &&
    a.height === b.height &&
    a.glyphWidth === b.glyphWidth &&
    a.glyphHeight === b.glyphHeight &&
    a.foreground === b.foreground &&
    a.background === b.background &&
    a.stroke === b.stroke &&
    a.underline === b.underline &&
    a.box === b.box &&
    a.flash === b.flash &&
    a.bold === b.bold &&
    a.italic === b.italic
  );
}

function isSingle(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) ?? 0) > 0xffff);
}

function drawnHalf(text: string): boolean {
  return isHalfWidth(text.codePointAt(0) ?? 0);
}

function runOf(cell: Cell): CaptionRun {
  const { look } = cell;
  // The characters that represent one symbol share its cell.
  const share = [...cell.text].length;
  const w = look.width / share;
  const glyphWidth = look.glyphWidth / share;
  const em = drawnHalf(cell.text) ? look.glyphHeight / 2 : look.glyphHeight;
  const run: CaptionRun = {
    x: cell.x,
    y: cell.y,
    w,
    h: look.height,
    fx: (w - glyphWidth) / 2,
    fy: (look.height - look.glyphHeight) / 2,
    size: look.glyphHeight,
    scaleX: glyphWidth / em,
    text: cell.text,
    fg: colourName(look.foreground),
    bg: colourName(look.background),
  };
  if (look.stroke >= 0 && look.stroke !== TRANSPARENT) run.stroke = colourName(look.stroke);
  if (look.underline) run.underline = true;
  if (look.box !== 0) run.box = look.box;
  if (look.flash) run.flash = true;
  if (look.bold) run.bold = true;
  if (look.italic) run.italic = true;
  if (cell.drcs !== undefined) run.drcs = cell.drcs.md5;
  return run;
}

/** The display area's colour: one cell of that size without a glyph. */
function rasterRun({ x, y, width, height, colour }: Raster): CaptionRun {
  return {
    ...{ x, y, w: width, h: height, fx: 0, fy: 0, size: height, scaleX: 1, text: '\u3000' },
    fg: colourName(TRANSPARENT),
    bg: colourName(colour),
  };
}

/**
 * The broadcast does not mark rubies: small characters in the row right above larger ones are their rubies. Small
 * characters without text below them are notes, names and the like.
 */
function markRubies(open: readonly OpenRun[]): void {
  const largest = open.reduce((size, { run }) => Math.max(size, run.size), 0);
  for (const small of open) {
    const { run } = small;
    if (run.size > largest * RUBY_HEIGHT || run.text.trim() === '') continue;
    const bottom = run.y + run.h;
    const right = small.last.x + run.w;
    const above = open.some(
      (base) =>
        run.size <= base.run.size * RUBY_HEIGHT &&
        Math.abs(base.run.y - bottom) <= RUBY_REACH &&
        base.run.x < right &&
        base.last.x + base.run.w > run.x &&
        base.run.text.trim() !== '',
    );
    if (above) run.ruby = true;
  }
}

/** One-segment captions have no positions: the block is placed at the bottom, centred. TR-B14 Vol. 3 Section 4. */
function placedAtBottom(cells: readonly Cell[], format: WritingFormat): readonly Cell[] {
  if (cells.length === 0) return cells;
  const left = Math.min(...cells.map((cell) => cell.x));
  const right = Math.max(...cells.map((cell) => cell.x + cell.look.width));
  const bottom = Math.max(...cells.map((cell) => cell.y + cell.look.height));
  const across = Math.floor((format.width - right - left) / 2);
  const down = format.height - ONE_SEGMENT_MARGIN - bottom;
  return cells.map((cell) => ({ ...cell, x: cell.x + across, y: cell.y + down }));
}
