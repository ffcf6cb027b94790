/**
 * The colour look-up table (CLUT) of a data broadcast: 256 entries, of which the receiver defines 0 to 127 and a
 * document the rest with a `.clt` file.
 */

/** 256 colours; each is R, G, B, A in ascending octets of memory (`ImageData` of a little-endian machine). */
export type Palette = Uint32Array;

const PALETTE_SIZE = 256;

function packed(red: number, green: number, blue: number, alpha: number): number {
  return ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

const OPAQUE_BLACK = packed(0, 0, 0, 255);

/** Red, green, blue of the eight corners of the colour cube, in the order of the standard's table. */
const CORNERS = Array.from(
  { length: 8 },
  (_, index) => [index & 1, (index >> 1) & 1, (index >> 2) & 1] as const,
);

/**
 * ARIB STD-B24 Vol. 1 Part 2, Annex: the common fixed colours. 0–7 full, 8 transparent, 9–15 at two thirds, 16–64
 * the rest of the cube with four levels a primary, 65–127 the former again, half transparent. Entries from 128 on
 * are the document's; unset ones are black.
 */
function createDefaultPalette(): Palette {
  const opaque: (readonly [number, number, number])[] = CORNERS.map(
    ([red, green, blue]) => [red * 255, green * 255, blue * 255] as const,
  );
  for (const [red, green, blue] of CORNERS.slice(1)) opaque.push([red * 0xaa, green * 0xaa, blue * 0xaa]);
  const key = ([red, green, blue]: readonly [number, number, number]): number =>
    (red << 16) | (green << 8) | blue;
  const taken = new Set(opaque.map(key));
  for (let index = 0; index < 64; index++) {
    const colour = [(index >> 4) * 0x55, ((index >> 2) & 3) * 0x55, (index & 3) * 0x55] as const;
    if (!taken.has(key(colour))) opaque.push(colour);
  }
  const palette = new Uint32Array(PALETTE_SIZE).fill(OPAQUE_BLACK);
  let at = 0;
  for (const [index, [red, green, blue]] of opaque.entries()) {
    if (index === 8) palette[at++] = 0;
    palette[at++] = packed(red, green, blue, 255);
  }
  for (const [red, green, blue] of opaque.slice(0, 63)) palette[at++] = packed(red, green, blue, 0x80);
  return palette;
}

export const DEFAULT_PALETTE: Palette = createDefaultPalette();

/** ITU-R BT.709, limited range, to R, G, B of 8 bits. */
function fromYCbCr(y: number, cb: number, cr: number): readonly [number, number, number] {
  const level = (value: number): number => Math.min(255, Math.max(0, Math.floor(value)));
  const luma = 1.16438 * (y - 16);
  return [
    level(luma + 1.79274 * (cr - 128)),
    level(luma - 0.213249 * (cb - 128) - 0.532909 * (cr - 128)),
    level(luma + 2.1124 * (cb - 128)),
  ];
}

/**
 * Reads a CLUT file: clut_type (0 YCbCr, 1 RGB), depth (0 4 bits, 1 8 bits, 2 16 bits), region_flag, start_end_flag,
 * the region, first and last index, then four octets a colour. Indices that the file does not give keep the default.
 * A file that ends early gives the colours it has; an empty one is the default palette.
 */
export function readPalette(file: Uint8Array): Palette {
  const palette = DEFAULT_PALETTE.slice();
  const flags = file[0];
  if (flags === undefined) return palette;
  const isRgb = (flags & 0x80) !== 0;
  const depth = (flags >> 5) & 3;
  let at = 1 + ((flags & 0x10) !== 0 ? 8 : 0);
  let start = 0;
  let end = depth === 0 ? 15 : PALETTE_SIZE - 1;
  if ((flags & 0x08) !== 0) {
    const octet = (offset: number): number => file[at + offset] ?? 0;
    if (depth === 0) {
      [start, end] = [octet(0) >> 4, octet(0) & 15];
      at += 1;
    } else if (depth === 1) {
      [start, end] = [octet(0), octet(1)];
      at += 2;
    } else {
      [start, end] = [(octet(0) << 8) | octet(1), (octet(2) << 8) | octet(3)];
      at += 4;
    }
  }
  for (
    let index = start;
    index <= Math.min(end, PALETTE_SIZE - 1) && at + 4 <= file.length;
    index++, at += 4
  ) {
    const [first = 0, second = 0, third = 0, alpha = 0] = file.subarray(at, at + 4);
    const [red, green, blue] = isRgb ? [first, second, third] : fromYCbCr(first, second, third);
    palette[index] = packed(red, green, blue, alpha);
  }
  return palette;
}
