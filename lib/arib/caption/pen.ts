/**
 * The active position in the display area: ARIB STD-B24 Vol. 1 Part 2, 7 (APB to APS, ACPS) and 8.3. Horizontal
 * writing: the bottom left dot of the next cell, lines downwards. Vertical writing: the middle of the cell's top,
 * lines from right to left. Dots of the plane.
 */
import type { CellLook, WritingFormat } from './look.ts';

/** Larger positions are damaged: the largest plane is 1920 by 1080. */
const LIMIT = 4096;

function bounded(dots: number): number {
  return Math.max(-LIMIT, Math.min(LIMIT, dots));
}

export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export class Pen {
  #format: WritingFormat;
  #area: Area;
  #x = 0;
  #y = 0;
  /** False until something was positioned or written: the first position follows later SDP, SSM and the like. */
  #placed = false;
  /** Roll-up and SCR: a line beyond the last one scrolls the others, instead of continuing at the first. */
  scrolling = false;

  constructor(format: WritingFormat) {
    this.#format = format;
    this.#area = { x: 0, y: 0, width: format.width, height: format.height };
  }

  reset(format: WritingFormat): void {
    this.#format = format;
    this.#area = { x: 0, y: 0, width: format.width, height: format.height };
    this.#placed = false;
    this.scrolling = false;
  }

  get area(): Area {
    return this.#area;
  }

  /** SDP. */
  moveArea(x: number, y: number): void {
    this.#area = { ...this.#area, x: bounded(x), y: bounded(y) };
  }

  /** SDF. */
  sizeArea(width: number, height: number): void {
    this.#area = { ...this.#area, width: bounded(width), height: bounded(height) };
  }

  /** Top left dot of the cell at the active position. */
  cellAt(cell: CellLook): { x: number; y: number } {
    this.#place(cell);
    if (this.#format.vertical) return { x: this.#x - Math.ceil(cell.width / 2), y: this.#y };
    return { x: this.#x, y: this.#y - cell.height + 1 };
  }

  /** Dots by which the area must be scrolled before the next cell is written; the position is moved accordingly. */
  scrollDue(cell: CellLook): number {
    if (!this.scrolling || this.#format.vertical) return 0;
    this.#place(cell);
    const beyond = this.#y - (this.#area.y + this.#area.height - 1);
    if (beyond <= 0) return 0;
    const lines = Math.ceil(beyond / cell.height);
    this.#y -= lines * cell.height;
    return lines * cell.height;
  }

  /** Cells from the active position to the end of the line, at least 1. */
  cellsLeft(cell: CellLook): number {
    this.#place(cell);
    const { x, y, width, height } = this.#area;
    const dots = this.#format.vertical ? y + height - this.#y : x + width - this.#x;
    return Math.max(1, Math.ceil(dots / this.#pitch(cell)));
  }

  /** ACPS. */
  moveTo(x: number, y: number): void {
    this.#x = bounded(x);
    this.#y = bounded(y);
    this.#placed = true;
  }

  /** APS: line and character from the first ones, in cells of the current size. */
  moveToCell(line: number, character: number, cell: CellLook): void {
    this.#home(cell);
    const { width, height } = cell;
    if (this.#format.vertical) this.moveTo(this.#x - line * width, this.#y + character * height);
    else this.moveTo(this.#x + character * width, this.#y + line * height);
  }

  /** APF, or the step after a character. */
  forward(cell: CellLook): void {
    this.#place(cell);
    const { x, y, width, height } = this.#area;
    if (this.#format.vertical) {
      this.#y += cell.height;
      if (this.#y >= y + height) {
        this.#y = y;
        this.nextLine(cell);
      }
      return;
    }
    this.#x += cell.width;
    if (this.#x >= x + width) {
      this.#x = x;
      this.nextLine(cell);
    }
  }

  /** APB. */
  back(cell: CellLook): void {
    this.#place(cell);
    const { x, y, width, height } = this.#area;
    const length = this.#format.vertical ? height : width;
    const last = (Math.max(1, Math.floor(length / this.#pitch(cell))) - 1) * this.#pitch(cell);
    if (this.#format.vertical) {
      this.#y -= cell.height;
      if (this.#y < y) {
        this.#y = y + last;
        this.previousLine(cell);
      }
      return;
    }
    this.#x -= cell.width;
    if (this.#x < x) {
      this.#x = x + last;
      this.previousLine(cell);
    }
  }

  /** APD. */
  nextLine(cell: CellLook): void {
    this.#place(cell);
    const { x, y, height } = this.#area;
    if (this.#format.vertical) {
      this.#x -= cell.width;
      if (this.#x < x) this.#x = this.#firstColumn(cell);
      return;
    }
    this.#y = bounded(this.#y + cell.height);
    if (this.#y >= y + height && !this.scrolling) this.#y = y + cell.height - 1;
  }

  /** APU. */
  previousLine(cell: CellLook): void {
    this.#place(cell);
    const { x, y, width, height } = this.#area;
    if (this.#format.vertical) {
      this.#x += cell.width;
      const lines = Math.max(1, Math.floor(width / cell.width)) - 1;
      if (this.#x > x + width) this.#x = this.#firstColumn(cell) - lines * cell.width;
      return;
    }
    this.#y -= cell.height;
    if (this.#y < y) this.#y = y + Math.max(1, Math.floor(height / cell.height)) * cell.height - 1;
  }

  /** APR. */
  returnLine(cell: CellLook): void {
    this.#place(cell);
    if (this.#format.vertical) this.#y = this.#area.y;
    else this.#x = this.#area.x;
    this.nextLine(cell);
  }

  /** PLD and PLU: half a cell down or up. */
  halfLine(cell: CellLook, direction: 1 | -1): void {
    this.#place(cell);
    const half = Math.floor((this.#format.vertical ? cell.width : cell.height) / 2) * direction;
    if (this.#format.vertical) this.moveTo(this.#x - half, this.#y);
    else this.moveTo(this.#x, this.#y + half);
  }

  #pitch(cell: CellLook): number {
    return this.#format.vertical ? cell.height : cell.width;
  }

  #firstColumn(cell: CellLook): number {
    return this.#area.x + this.#area.width - Math.floor(cell.width / 2);
  }

  #home(cell: CellLook): void {
    const { x, y } = this.#area;
    if (this.#format.vertical) this.moveTo(this.#firstColumn(cell), y);
    else this.moveTo(x, y + cell.height - 1);
  }

  #place(cell: CellLook): void {
    if (!this.#placed) this.#home(cell);
  }
}
