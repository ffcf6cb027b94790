/** Characters that a document brings itself: `application/X-arib-drcs` (ARIB STD-B24 Vol. 1 Part 2, 8.2). */

export interface DrcsGlyph {
  /** EUC-JP code of the character. */
  readonly code: number;
  /** 1 round gothic, 2 square gothic, 3 bold round gothic; 0 any. */
  readonly fontId: number;
  readonly width: number;
  readonly height: number;
  /** Highest value of a pixel, which is the colour of the text. */
  readonly maximum: number;
  /** Row by row, 0 (background) to `maximum`. */
  readonly pixels: Uint8Array;
}

/** Larger than the largest font of 36 px, twice. */
const MAX_SIDE = 96;
/** Of one file. A page has some ten of them. */
const MAX_GLYPHS = 2048;
const MAX_PIXELS = 1 << 20;
/** Compressed (geometric) glyphs are not operated. */
const GEOMETRIC_MODE = 2;

/** Glyphs up to the first that is not in the file as a whole; those without a size are skipped. */
export function readDrcs(file: Uint8Array): DrcsGlyph[] {
  const glyphs: DrcsGlyph[] = [];
  let pixelsLeft = MAX_PIXELS;
  let at = 1;
  const octet = (): number => file[at++] ?? 0;
  for (let count = file[0] ?? 0; count > 0 && at + 3 <= file.length; count--) {
    // JIS codes are in the file; EUC sets the high bit of both octets.
    const code = (octet() << 8) | octet() | 0x8080;
    for (let fonts = octet(); fonts > 0; fonts--) {
      const kind = octet();
      const [fontId, mode] = [kind >> 4, kind & 15];
      if (mode >= GEOMETRIC_MODE) {
        at += 2;
        const length = (octet() << 8) | octet();
        at += length;
        if (at > file.length) return glyphs;
        continue;
      }
      const maximum = octet() + 1;
      const [width, height] = [octet(), octet()];
      const bits = Math.ceil(Math.log2(maximum + 1));
      const end = at + ((width * height * bits + 7) >> 3);
      if (end > file.length) return glyphs;
      const bitmap = file.subarray(at, end);
      at = end;
      if (width === 0 || height === 0 || width > MAX_SIDE || height > MAX_SIDE || maximum > 255) continue;
      pixelsLeft -= width * height;
      if (pixelsLeft < 0 || glyphs.length >= MAX_GLYPHS) return glyphs;
      glyphs.push({
        code,
        fontId,
        width,
        height,
        maximum,
        pixels: unpack(bitmap, width * height, bits, maximum),
      });
    }
  }
  return glyphs;
}

function unpack(bitmap: Uint8Array, count: number, bits: number, maximum: number): Uint8Array {
  const pixels = new Uint8Array(count);
  for (let index = 0; index < count; index++) {
    const bit = index * bits;
    const pair = ((bitmap[bit >> 3] ?? 0) << 8) | (bitmap[(bit >> 3) + 1] ?? 0);
    pixels[index] = Math.min(maximum, (pair >> (16 - bits - (bit & 7))) & ((1 << bits) - 1));
  }
  return pixels;
}
