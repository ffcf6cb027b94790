import { describe, expect, test } from 'bun:test';
import { DEFAULT_PALETTE, type Palette, readPalette } from './palette.ts';

/** `rrggbbaa` of an entry. */
function hex(palette: Palette, index: number): string {
  const bytes = new Uint8Array(palette.slice(index, index + 1).buffer);
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

describe('the default palette', () => {
  test.each([
    [0, '000000ff'],
    [1, 'ff0000ff'],
    [3, 'ffff00ff'],
    [4, '0000ffff'],
    [7, 'ffffffff'],
    [8, '00000000'],
    [9, 'aa0000ff'],
    [15, 'aaaaaaff'],
    [16, '000055ff'],
    [17, '005500ff'],
    [18, '005555ff'],
    [19, '0055aaff'],
    [64, 'ffffaaff'],
    [65, '00000080'],
    [72, 'ffffff80'],
    [73, 'aa000080'],
    [80, '00005580'],
    [127, 'ffff5580'],
    [128, '000000ff'],
    [255, '000000ff'],
  ])('entry %d is %s', (index, expected) => {
    expect(hex(DEFAULT_PALETTE, index)).toBe(expected);
  });

  test('has 64 different opaque colours', () => {
    expect(new Set([...DEFAULT_PALETTE.slice(0, 8), ...DEFAULT_PALETTE.slice(9, 65)]).size).toBe(64);
  });
});

describe('a CLUT file', () => {
  // clut_type 0, depth 1, no region, start and end: 0 01 0 1 000.
  const YCBCR = 0x28;

  test('gives the colours from start to end, as limited-range BT.709', () => {
    const file = Uint8Array.of(YCBCR, 128, 130, 16, 128, 128, 255, 235, 128, 128, 0, 63, 102, 240, 128);
    const palette = readPalette(file);
    expect([128, 129, 130, 131, 7].map((index) => hex(palette, index))).toEqual([
      '000000ff',
      'fefefe00',
      'ff000080',
      '000000ff',
      'ffffffff',
    ]);
  });

  test('overrides entries of the default too', () => {
    expect(hex(readPalette(Uint8Array.of(YCBCR | 0x80, 17, 17, 1, 2, 3, 4)), 17)).toBe('01020304');
  });

  test('skips a region', () => {
    const file = Uint8Array.of(0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 200, 200, 9, 8, 7, 6);
    expect(hex(readPalette(file), 200)).toBe('09080706');
  });

  test.each([
    ['4 bits', [0x88, 0x12, 1, 1, 1, 255, 2, 2, 2, 255], 2, '020202ff'],
    ['16 bits', [0xc8, 0, 130, 0xff, 0xff, 1, 1, 1, 255], 130, '010101ff'],
    ['no range', [0xa0, 5, 5, 5, 5], 0, '05050505'],
  ])('with indices of %s', (_, file, index, expected) => {
    expect(hex(readPalette(Uint8Array.from(file)), index)).toBe(expected);
  });

  test('that ends early or runs backwards changes nothing else', () => {
    expect(readPalette(Uint8Array.of())).toEqual(DEFAULT_PALETTE);
    expect(readPalette(Uint8Array.of(YCBCR, 128))).toEqual(DEFAULT_PALETTE);
    expect(readPalette(Uint8Array.of(YCBCR, 200, 128, 16, 128, 128, 255))).toEqual(DEFAULT_PALETTE);
    expect(readPalette(Uint8Array.of(YCBCR, 128, 255, 16, 128, 128))).toEqual(DEFAULT_PALETTE);
  });
});
