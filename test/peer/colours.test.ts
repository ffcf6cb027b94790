/** Compares the colour numbers of logos in the palettes of the independent reader and of this project. */
import { describe, expect, test } from 'bun:test';
import { createRequire } from 'node:module';
import { FIXED_COLOURS } from '../../lib/arib/si/fixed-colours.ts';
import { type Colour, colourNumber, TRANSPARENT } from '../../synth/logo/draw.ts';

const LEVELS = [0x00, 0x55, 0xaa, 0xff];
const ALL: Colour[] = LEVELS.flatMap((red) =>
  LEVELS.flatMap((green) => LEVELS.map((blue): Colour => [red, green, blue])),
);
/** Red, green, blue and alpha by number. */
const PALETTES: Record<string, number[][]> = {
  ours: FIXED_COLOURS.map(({ red, green, blue, alpha }) => [red, green, blue, alpha]),
  "the peer's": createRequire(import.meta.url)('@chinachu/aribts/lib/logo_clut') as number[][],
};
/** Numbers for which the peer's colour contradicts all other sources and the formula. */
const PEERS_SLIPS = [54, 64, 118];
/** FFFFAA with half opacity is missing in the peer. */
const LAST = ALL.findIndex((colour) => colour.join() === '255,255,170');

describe.each(Object.entries(PALETTES))('with palette %s', (name, palette) => {
  const slips = name === 'ours' ? [] : PEERS_SLIPS;

  test.each([
    ['opaque', false, 0xff, ALL],
    ['half transparent', true, 0x80, ALL.filter((_, index) => index !== LAST)],
  ] as const)('every colour has its number, %s', (_, half, alpha, colours) => {
    for (const colour of colours) {
      const number = colourNumber(colour, half);
      if (!slips.includes(number)) expect(palette[number]).toEqual([...colour, alpha]);
    }
  });

  test('one index is fully transparent', () => {
    expect(palette[TRANSPARENT]).toEqual([0, 0, 0, 0]);
  });
});
