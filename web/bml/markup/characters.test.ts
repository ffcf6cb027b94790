import { describe, expect, test } from 'bun:test';
import { characterOfCode, codeOfCharacter, decodeCharacters, drawnText, encodeEucJp } from './characters.ts';

const bytes = (...octets: number[]): Uint8Array => Uint8Array.from(octets);
const ascii = (text: string): number[] => [...text].map((character) => character.charCodeAt(0));

describe('EUC-JP', () => {
  const CASES: readonly (readonly [what: string, octets: number[], text: string])[] = [
    ['ASCII', ascii('a\\~'), 'a\\~'],
    ['kana and kanji', [0xa4, 0xa2, 0xb0, 0xa1], 'あ亜'],
    ['an additional symbol of broadcasting, row 93', [0xfd, 0xa1], characterOfCode(0xfda1)],
    ['half-width katakana', [0x8e, 0xb1, 0x41], '\ufffdA'],
    ['the supplementary set', [0x8f, 0xb0, 0xa1, 0x41], '\ufffdA'],
    ['a lead octet before ASCII', [0xa4, 0x3c], '\ufffd<'],
    ['single shifts before ASCII', [0x8e, 0x3c, 0x8f, 0x3c], '\ufffd<\ufffd<'],
    ['a lead octet at the end', [0x41, 0xa4], 'A\ufffd'],
    ['octets of no code', [0x80, 0x41, 0xff, 0xa1, 0x42], '\ufffdA\ufffdB'],
  ];
  for (const [what, octets, text] of CASES) {
    test(what, () => expect(decodeCharacters(bytes(...octets))).toBe(text));
  }

  test('every code is one unit, and the codes of JIS X 0208 are found again', () => {
    for (let row = 0xa1; row <= 0xfe; row++) {
      for (let cell = 0xa1; cell <= 0xfe; cell++) {
        const unit = characterOfCode((row << 8) | cell);
        expect(unit.length).toBe(1);
        expect(codeOfCharacter(unit.charCodeAt(0))).toBeDefined();
      }
    }
    for (const code of [0x41, 0xa4a2, 0xb0a1, 0xf4a6, 0xa1c1]) {
      expect(codeOfCharacter(characterOfCode(code).charCodeAt(0))).toBe(code);
    }
    expect(codeOfCharacter(0xff71)).toBeUndefined();
  });

  test('an empty cell keeps its code for DRCS and has no shape of its own', () => {
    const empty = characterOfCode(0xa9a1 + 0x40).charCodeAt(0);
    const codes = Array.from(
      { length: 94 * 94 },
      (_, index) => (0xa1 + Math.floor(index / 94)) * 256 + 0xa1 + (index % 94),
    );
    const withoutShape = codes.filter((code) => drawnText(characterOfCode(code).charCodeAt(0)) === '');
    expect(withoutShape.length).toBeGreaterThan(100);
    for (const code of withoutShape) expect(codeOfCharacter(characterOfCode(code).charCodeAt(0))).toBe(code);
    expect(typeof drawnText(empty)).toBe('string');
    expect(drawnText(0x3042)).toBe('あ');
  });

  test('text to octets and back', () => {
    const text = 'Ａb漢字ー';
    expect(decodeCharacters(encodeEucJp(text))).toBe(text);
    expect([...encodeEucJp('🎌')]).toEqual([0xa2, 0xae, 0xa2, 0xae]);
  });
});

describe('other encodings', () => {
  const utf8 = new TextEncoder();
  const CASES: readonly (readonly [
    what: string,
    octets: Uint8Array,
    charset: string | undefined,
    text: string,
  ])[] = [
    ['Shift_JIS', bytes(0x82, 0xa0, 0x88, 0x9f, 0x41, 0xb1), 'Shift_JIS', 'あ亜Aｱ'],
    ['Shift_JIS before ASCII', bytes(0x82, 0x3c), 'shift-jis', '\ufffd<'],
    ['UTF-8', utf8.encode('あ'), 'UTF-8', 'あ'],
    ['UTF-8 by its mark', utf8.encode('\ufeffあ'), undefined, 'あ'],
    [
      'UTF-8 by its declaration',
      utf8.encode('<?xml version="1.0" encoding="UTF-8"?>あ'),
      undefined,
      '<?xml version="1.0" encoding="UTF-8"?>あ',
    ],
    [
      'a declared style sheet',
      bytes(...ascii('@charset "Shift_JIS";'), 0x82, 0xa0),
      undefined,
      '@charset "Shift_JIS";あ',
    ],
    ['an unknown charset is EUC-JP', bytes(0xa4, 0xa2), 'x-unknown', 'あ'],
    ['damaged UTF-8', bytes(0xe3, 0x81, 0x3c), 'utf-8', '\ufffd<'],
  ];
  for (const [what, octets, charset, text] of CASES) {
    test(what, () => expect(decodeCharacters(octets, charset)).toBe(text));
  }
});
