/** The cells on screen: a drawing plane of characters. ARIB STD-B24 Vol. 1 Part 2, 8.3. */
import type { DrcsGlyph } from './drcs.ts';
import type { CellLook } from './look.ts';
import type { Area } from './pen.ts';

export interface Cell {
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
export interface Raster extends Area {
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
