/** The colours of the pages: a colour table in YCbCr, as broadcasters send it. ARIB STD-B24 vol. 2 part 2, 5.3. */
import { ByteWriter } from '../si/bytes.ts';

/** Number of the first own colour; those below are fixed in receivers. */
const FIRST = 128;
/** Fixed colours of receivers, ARIB STD-B24 vol. 1 part 2, annex. */
const FIXED = { black: 0, red: 1, yellow: 3, white: 7, clear: 8 } as const;

/** Name, red, green, blue and opacity of the own colours, in the order of their numbers. */
const COLOURS = [
  ['navy', 16, 32, 80, 255],
  ['panel', 28, 52, 118, 255],
  ['focus', 255, 176, 32, 255],
  ['pale', 214, 226, 246, 255],
  ['sun', 255, 128, 32, 255],
  ['cloud', 200, 208, 220, 255],
  ['rain', 64, 136, 240, 255],
  ['leaf', 40, 160, 96, 255],
  ['veil', 16, 32, 80, 160],
  ['ink', 24, 24, 32, 255],
  ['grey1', 90, 104, 140, 255],
  ['grey2', 150, 164, 196, 255],
] as const;
type ColourName = (typeof COLOURS)[number][0] | keyof typeof FIXED;

/** Number of a colour in documents and pictures. */
export function colour(name: ColourName): number {
  const index = COLOURS.findIndex(([known]) => known === name);
  return index < 0 ? FIXED[name as keyof typeof FIXED] : FIRST + index;
}

const clamp = (value: number) => Math.max(0, Math.min(255, Math.round(value)));

/** BT.709, limited range. */
function yCbCr(red: number, green: number, blue: number): [number, number, number] {
  const luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return [
    clamp(16 + (luma * 219) / 255),
    clamp(128 + (((blue - luma) / 1.8556) * 224) / 255),
    clamp(128 + (((red - luma) / 1.5748) * 224) / 255),
  ];
}

/** clut_type YCbCr, depth 8 bits, no region, with start and end. */
export function clutFile(): Uint8Array {
  const file = new ByteWriter()
    .u8(0x2f)
    .u8(FIRST)
    .u8(FIRST + COLOURS.length - 1);
  for (const [, red, green, blue, alpha] of COLOURS) file.bytes(yCbCr(red, green, blue)).u8(alpha);
  return file.done();
}
