/** Bitmaps of characters that a broadcaster drew itself, as pictures to be stretched into a glyph's box. */
import type { DrcsImage } from '../../wire/caption.ts';

/** The largest that a broadcast can define. */
const MAX_SIDE = 255;

function octetsOf(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array(0);
  }
}

/** Intensities 0 to 1, row by row; missing data is 0. Undefined: no picture. */
export function drcsIntensities(image: DrcsImage): Float32Array | undefined {
  const { w, h, depth, bits } = image;
  const isSide = (side: number): boolean => Number.isInteger(side) && side > 0 && side <= MAX_SIDE;
  if (!isSide(w) || !isSide(h) || ![1, 2, 4, 8].includes(bits) || !(depth >= 2)) return undefined;
  const data = octetsOf(image.data);
  const levels = (1 << bits) - 1;
  return Float32Array.from({ length: w * h }, (_, index) => {
    const bit = index * bits;
    const value = ((data[bit >> 3] ?? 0) >> (8 - bits - (bit & 7))) & levels;
    return Math.min(1, value / (depth - 1));
  });
}

/** Pictures kept: the few that a programme uses, in a few colours. */
const MAX_PICTURES = 64;

export class DrcsPictures {
  readonly #pictures = new Map<string, HTMLCanvasElement | null>();

  /** The bitmap in a colour `#rrggbbaa`; null when it is none. */
  get(image: DrcsImage, colour: string): HTMLCanvasElement | null {
    const key = `${image.md5}/${image.w}x${image.h}/${colour}`;
    const known = this.#pictures.get(key);
    if (known !== undefined) return known;
    if (this.#pictures.size >= MAX_PICTURES) this.#pictures.clear();
    const picture = paint(image, colour);
    this.#pictures.set(key, picture);
    return picture;
  }
}

function paint(image: DrcsImage, colour: string): HTMLCanvasElement | null {
  const intensities = drcsIntensities(image);
  const canvas = document.createElement('canvas');
  canvas.width = image.w;
  canvas.height = image.h;
  const context = canvas.getContext('2d');
  if (intensities === undefined || context === null) return null;
  const [red = 0, green = 0, blue = 0, alpha = 255] = [1, 3, 5, 7].map((at) =>
    Number.parseInt(colour.slice(at, at + 2), 16),
  );
  const pixels = context.createImageData(image.w, image.h);
  for (const [index, intensity] of intensities.entries()) {
    pixels.data.set([red, green, blue, Math.round(intensity * alpha)], index * 4);
  }
  context.putImageData(pixels, 0, 0);
  return canvas;
}
