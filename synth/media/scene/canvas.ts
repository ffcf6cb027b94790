/** Draws shapes with soft edges into RGBA pixels. Coordinates are those of a picture of 16 by 9 units. */

/** The units of a whole picture. */
export const WIDE = 16;
export const HIGH = 9;

/** 0xRRGGBB, or a vertical transition between two of them over the shape. */
export type Paint = number | readonly [top: number, bottom: number];

/** A rectangle of the picture, units. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export const WHOLE: Box = { x: 0, y: 0, w: WIDE, h: HIGH };

/** Rows per pixel at which the edges of a shape are computed. */
const SUBROWS = 3;
const ROUND_POINTS = 44;

function mixed(from: number, to: number, part: number): number {
  const channel = (shift: number): number => {
    const [a, b] = [(from >> shift) & 255, (to >> shift) & 255];
    return Math.round(a + (b - a) * part) << shift;
  };
  return channel(16) | channel(8) | channel(0);
}

/** A colour by its hue in degrees, its saturation and its lightness from 0 to 1. */
export function tone(hue: number, saturation: number, lightness: number): number {
  const reach = saturation * Math.min(lightness, 1 - lightness);
  const channel = (turn: number): number => {
    const place = (turn + hue / 30) % 12;
    return Math.round(255 * (lightness - reach * Math.max(-1, Math.min(place - 3, 9 - place, 1))));
  };
  return (channel(0) << 16) | (channel(8) << 8) | channel(4);
}

export class Canvas {
  readonly pixels: Uint8ClampedArray;
  readonly #cover: Float32Array;
  /** Pixels per unit. */
  readonly #across: number;
  readonly #down: number;

  /**
   * @param wraps whether the picture continues at its other side: what exceeds one side is drawn at the other
   */
  constructor(
    readonly width: number,
    readonly height: number,
    readonly box: Box = WHOLE,
    readonly wraps = false,
  ) {
    this.pixels = new Uint8ClampedArray(4 * width * height);
    this.#cover = new Float32Array(width + 1);
    this.#across = width / box.w;
    this.#down = height / box.h;
  }

  /** @param points x and y in turn @param alpha opacity */
  polygon(points: readonly number[], paint: Paint, alpha = 1): this {
    const xs = points.filter((_, index) => index % 2 === 0);
    this.#fill(points, 0, paint, alpha);
    if (this.wraps && Math.max(...xs) > WIDE) this.#fill(points, -WIDE, paint, alpha);
    if (this.wraps && Math.min(...xs) < 0) this.#fill(points, WIDE, paint, alpha);
    return this;
  }

  rect(x: number, y: number, w: number, h: number, paint: Paint, alpha = 1): this {
    return this.polygon([x, y, x + w, y, x + w, y + h, x, y + h], paint, alpha);
  }

  /** @param from @param to begin and end of an arc, in turns clockwise from the right */
  ellipse(x: number, y: number, rx: number, ry: number, paint: Paint, alpha = 1, from = 0, to = 1): this {
    const points = Array.from({ length: ROUND_POINTS }, (_, index) => {
      const angle = 2 * Math.PI * (from + ((to - from) * index) / (ROUND_POINTS - 1));
      return [x + rx * Math.cos(angle), y + ry * Math.sin(angle)];
    });
    return this.polygon(points.flat(), paint, alpha);
  }

  /** A rectangle with round corners. */
  plate(x: number, y: number, w: number, h: number, r: number, paint: Paint, alpha = 1): this {
    const corners = [
      [x + w - r, y + h - r],
      [x + r, y + h - r],
      [x + r, y + r],
      [x + w - r, y + r],
    ] as const;
    const points = corners.flatMap(([cx, cy], quarter) =>
      Array.from({ length: 7 }, (_, index) => {
        const angle = (Math.PI / 2) * (quarter + index / 6);
        return [cx + r * Math.cos(angle), cy + r * Math.sin(angle)];
      }).flat(),
    );
    return this.polygon(points, paint, alpha);
  }

  /** A stroke between two points, with round ends. */
  stroke(x1: number, y1: number, x2: number, y2: number, thick: number, paint: Paint, alpha = 1): this {
    const turn = Math.atan2(y2 - y1, x2 - x1) + Math.PI / 2;
    const end = (x: number, y: number, from: number): number[] =>
      Array.from({ length: 9 }, (_, index) => {
        const angle = from + (Math.PI * index) / 8;
        return [x + (thick / 2) * Math.cos(angle), y + (thick / 2) * Math.sin(angle)];
      }).flat();
    return this.polygon([...end(x1, y1, turn), ...end(x2, y2, turn + Math.PI)], paint, alpha);
  }

  #fill(points: readonly number[], shift: number, paint: Paint, alpha: number): void {
    const { width, height, box } = this;
    const count = points.length / 2;
    const px = Float64Array.from(
      { length: count },
      (_, index) => ((points[2 * index] as number) + shift - box.x) * this.#across,
    );
    const py = Float64Array.from(
      { length: count },
      (_, index) => ((points[2 * index + 1] as number) - box.y) * this.#down,
    );
    const [top, bottom] = [Math.min(...py), Math.max(...py)];
    const [first, last] = [Math.max(0, Math.floor(top)), Math.min(height - 1, Math.ceil(bottom))];
    for (let row = first; row <= last; row++) {
      const part = Math.max(0, Math.min(1, (row - top) / Math.max(1, bottom - top)));
      const colour = typeof paint === 'number' ? paint : mixed(paint[0], paint[1], part);
      let [from, to] = [width, 0];
      for (let sub = 0; sub < SUBROWS; sub++) {
        const [a, b] = this.#coverRow(px, py, row + (sub + 0.5) / SUBROWS);
        [from, to] = [Math.min(from, a), Math.max(to, b)];
      }
      this.#blend(row, from, to, colour, alpha);
    }
  }

  /** Adds what a shape covers of a row at one height. @returns the range that is touched */
  #coverRow(px: Float64Array, py: Float64Array, y: number): [number, number] {
    const crossings: number[] = [];
    const count = px.length;
    for (let index = 0, before = count - 1; index < count; before = index++) {
      const [ya, yb] = [py[before] as number, py[index] as number];
      if (ya <= y === yb <= y) continue;
      const [xa, xb] = [px[before] as number, px[index] as number];
      crossings.push(xa + ((y - ya) / (yb - ya)) * (xb - xa));
    }
    crossings.sort((one, other) => one - other);
    const cover = this.#cover;
    let [from, to] = [this.width, 0];
    for (let index = 0; index + 1 < crossings.length; index += 2) {
      const a = Math.max(0, crossings[index] as number);
      const b = Math.min(this.width, crossings[index + 1] as number);
      if (b <= a) continue;
      const [begin, end] = [Math.floor(a), Math.floor(b)];
      if (begin === end) cover[begin] = (cover[begin] as number) + (b - a) / SUBROWS;
      else {
        cover[begin] = (cover[begin] as number) + (begin + 1 - a) / SUBROWS;
        for (let x = begin + 1; x < end; x++) cover[x] = (cover[x] as number) + 1 / SUBROWS;
        cover[end] = (cover[end] as number) + (b - end) / SUBROWS;
      }
      [from, to] = [Math.min(from, begin), Math.max(to, Math.min(this.width, end + 1))];
    }
    return [from, to];
  }

  #blend(row: number, from: number, to: number, colour: number, alpha: number): void {
    const { pixels } = this;
    const cover = this.#cover;
    const [red, green, blue] = [colour >> 16, (colour >> 8) & 255, colour & 255];
    for (let x = from, at = 4 * (row * this.width + from); x < to; x++, at += 4) {
      const over = Math.min(1, cover[x] as number) * alpha;
      cover[x] = 0;
      if (over <= 0) continue;
      const under = ((pixels[at + 3] as number) / 255) * (1 - over);
      const all = over + under;
      pixels[at] = (red * over + (pixels[at] as number) * under) / all;
      pixels[at + 1] = (green * over + (pixels[at + 1] as number) * under) / all;
      pixels[at + 2] = (blue * over + (pixels[at + 2] as number) * under) / all;
      pixels[at + 3] = 255 * all;
    }
    cover[this.width] = 0;
  }
}
