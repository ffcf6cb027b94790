/**
 * Characters sent as bitmaps (DRCS): ARIB STD-B24 vol. 1 part 2, 7.1 and Annex D. Their shapes are generated,
 * similar to those that broadcasters use for characters missing in the sets.
 */
import { createHash } from 'node:crypto';
import { ByteWriter } from '../si/bytes.ts';
import { DRCS_FIRST, type DrcsCode } from './coder.ts';
import { dataUnit, UNIT } from './data-group.ts';

/** Whether a dot is lit; the box is 1 by 1, its origin top left. */
type Shape = (x: number, y: number) => boolean;

interface Glyph {
  /** Its meaning, in words. */
  name: string;
  width: number;
  height: number;
  /** 2: lit or not; 4: with two intermediate levels. */
  levels: 2 | 4;
  /** DRCS-0 to DRCS-15. */
  set: number;
  shape: Shape;
}

function ring(x: number, y: number, centre: number, radius: number, thickness: number): boolean {
  return Math.abs(Math.hypot(x - centre, y - 0.5) - radius) < thickness / 2;
}

/** Two nested brackets: a voice from a telephone or a thought. */
const doubleOpening: Shape = (x, y) =>
  (x < 0.75 && ring(x, y, 0.95, 0.55, 0.09)) || (x < 0.95 && ring(x, y, 1.15, 0.5, 0.09));
const doubleClosing: Shape = (x, y) => doubleOpening(1 - x, y);
const handset: Shape = (x, y) => {
  const screen = x > 0.36 && x < 0.64 && y > 0.22 && y < 0.66;
  const key = Math.hypot(x - 0.5, y - 0.8) < 0.06;
  return x > 0.28 && x < 0.72 && y > 0.08 && y < 0.94 && !screen && !key;
};
const loudspeaker: Shape = (x, y) => {
  const box = x > 0.12 && x < 0.32 && Math.abs(y - 0.5) < 0.14;
  const cone = x >= 0.32 && x < 0.56 && Math.abs(y - 0.5) < 0.14 + (x - 0.32) * 1.1;
  const waves = x > 0.62 && (ring(x, y, 0.5, 0.24, 0.08) || ring(x, y, 0.5, 0.4, 0.08));
  return box || cone || waves;
};
const heart: Shape = (x, y) => {
  const across = (x - 0.5) * 2.6;
  const up = (0.55 - y) * 2.6;
  return (across ** 2 + up ** 2 - 1) ** 3 - across ** 2 * up ** 3 < 0;
};
const beamedNotes: Shape = (x, y) => {
  const heads = Math.hypot(x - 0.26, y - 0.8) < 0.12 || Math.hypot(x - 0.72, y - 0.72) < 0.12;
  const stems =
    (Math.abs(x - 0.36) < 0.035 && y > 0.2 && y < 0.8) ||
    (Math.abs(x - 0.82) < 0.035 && y > 0.12 && y < 0.72);
  const beam = x > 0.33 && x < 0.85 && Math.abs(y - (0.27 - 0.16 * x)) < 0.06;
  return heads || stems || beam;
};

/** In the order of the private use area from `DRCS_FIRST` on. */
const GLYPHS: readonly Glyph[] = [
  { name: '⸨', width: 36, height: 36, levels: 4, set: 1, shape: doubleOpening },
  { name: '⸩', width: 36, height: 36, levels: 4, set: 1, shape: doubleClosing },
  { name: '📱', width: 36, height: 36, levels: 4, set: 1, shape: handset },
  { name: '🔊', width: 36, height: 36, levels: 2, set: 2, shape: loudspeaker },
  { name: '♥', width: 18, height: 18, levels: 2, set: 3, shape: heart },
  { name: '♫', width: 36, height: 36, levels: 4, set: 0, shape: beamedNotes },
  { name: '♪', width: 18, height: 18, levels: 4, set: 0, shape: beamedNotes },
  { name: '📱', width: 18, height: 36, levels: 4, set: 1, shape: handset },
];

/** Samples per dot, horizontally and vertically. */
const SAMPLES = 4;

function levelAt(glyph: Glyph, column: number, row: number): number {
  let lit = 0;
  for (let sample = 0; sample < SAMPLES * SAMPLES; sample++) {
    const x = (column + ((sample % SAMPLES) + 0.5) / SAMPLES) / glyph.width;
    const y = (row + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES) / glyph.height;
    if (glyph.shape(x, y)) lit += 1;
  }
  return Math.round((lit / (SAMPLES * SAMPLES)) * (glyph.levels - 1));
}

/** Dots row by row, most significant bit first, rows not padded. */
export function packDots(levels: readonly number[], bits: 1 | 2): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((levels.length * bits) / 8));
  for (const [index, level] of levels.entries()) {
    const at = index * bits;
    bytes[at >> 3] = (bytes[at >> 3] as number) | (level << (8 - bits - (at & 7)));
  }
  return bytes;
}

interface DrawnCharacter extends DrcsCode {
  name: string;
  width: number;
  height: number;
  levels: 2 | 4;
  pattern: Uint8Array;
  /** MD5 of the pattern, in hexadecimal: the key in receivers' replacement tables. */
  hash: string;
}

const CELLS = 94;
const FIRST_CODE = 0x21;

function draw(glyph: Glyph, index: number): DrawnCharacter {
  const { name, width, height, levels, set } = glyph;
  const dots = Array.from({ length: width * height }, (_, at) =>
    levelAt(glyph, at % width, Math.floor(at / width)),
  );
  const pattern = packDots(dots, levels === 2 ? 1 : 2);
  const code = FIRST_CODE + (index % CELLS);
  return {
    ...{ name, width, height, levels, set, pattern },
    bytes: set === 0 ? [FIRST_CODE, code] : [code],
    hash: createHash('md5').update(pattern).digest('hex'),
  };
}

const drawn = new Map<string, DrawnCharacter>();

/** The bitmap of a private use character; undefined for all others. */
export function drawnCharacter(character: string): DrawnCharacter | undefined {
  const index = (character.codePointAt(0) ?? 0) - DRCS_FIRST;
  const glyph = GLYPHS[index];
  if (glyph === undefined) return undefined;
  const known = drawn.get(character) ?? draw(glyph, index);
  drawn.set(character, known);
  return known;
}

/** All characters that have a bitmap. */
export const DRAWN_CHARACTERS: readonly string[] = GLYPHS.map((_, index) =>
  String.fromCodePoint(DRCS_FIRST + index),
);

const DRCS_1 = 0x41;

/** DRCS_data_structure() of some characters: mode 0 for two levels, 1 for more. */
export function drcsData(characters: readonly DrawnCharacter[]): Uint8Array {
  const writer = new ByteWriter().u8(characters.length);
  for (const { set, bytes, levels, width, height, pattern } of characters) {
    const [first = 0, second = 0] = bytes;
    writer
      .u16(set === 0 ? (first << 8) | second : ((DRCS_1 - 1 + set) << 8) | first)
      // One font, its id 0.
      .u8(1)
      .u8(levels === 2 ? 0 : 1)
      .u8(levels - 2)
      .u8(width)
      .u8(height)
      .bytes(pattern);
  }
  return writer.done();
}

/** The data units that define the bitmaps of a text, one for one-byte and one for two-byte codes. */
export function drcsUnits(text: string): { units: Uint8Array[]; codes: Map<string, DrcsCode> } {
  const codes = new Map<string, DrawnCharacter>();
  for (const character of text) {
    const found = drawnCharacter(character);
    if (found !== undefined) codes.set(character, found);
  }
  const all = [...codes.values()];
  const units = [
    { parameter: UNIT.drcs1, characters: all.filter(({ set }) => set !== 0) },
    { parameter: UNIT.drcs2, characters: all.filter(({ set }) => set === 0) },
  ].flatMap(({ parameter, characters }) =>
    characters.length === 0 ? [] : [dataUnit(parameter, drcsData(characters))],
  );
  return { units, codes };
}
