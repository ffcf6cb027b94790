import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { decodeText } from './text.ts';

function decode(octets: string): string {
  return decodeText(Uint8Array.fromHex(octets.replaceAll(' ', '')));
}

test('alphanumerics are ASCII in every size, letters of the Kanji set stay full width', () => {
  // LS1 "NHK", MSZ "1", NSZ "2", LS0 and the Kanji set's 3-35 "Ｃ"
  expect(decode('0E 4E 48 4B 89 31 8A 32 0F 23 43')).toBe('NHK12Ｃ');
});

test('a space is as wide as its surroundings', () => {
  // 亜 SP 亜; MSZ SP NSZ; LS1 A SP B
  expect(decode('30 21 20 30 21 89 20 8A 0E 41 20 42')).toBe('亜　亜 A B');
});

test('a title as broadcast: shifts, single shifts, marks', () => {
  expect(
    decode(
      // LS1 "SF", LS0 映画, SS3 ー, GR の, LS1 "2", ESC 24 3B (additional symbols to G0), LS0 [字] [再]
      '0E 53 46 0F 31 47 32 68 1D 79 CE 0E 32 1B 24 3B 0F 7A 56 7A 6A',
    ),
  ).toBe('SF映画ーの2🈑🈞');
});

test('line breaks are kept, all other control functions are removed', () => {
  // 亜 APR 亜; WHF, APS, SZX, COL, TIME, CSI SDF, HLC, 亜
  expect(decode('30 21 0D 30 21 87 1C 41 42 8B 60 90 20 44 9D 20 7F 9B 36 3B 34 20 56 97 4D 30 21')).toBe(
    '亜\n亜亜',
  );
});

test('characters that Unicode lacks are replaced by a substitute', () => {
  // DRCS-1 0x21, mosaic A 0x21, an undefined set 0x21, the empty cell 90-12 of the Kanji set
  expect(decode('1B 28 20 41 21 1B 28 32 21 1B 28 7D 21 1B 24 42 7A 2C')).toBe('〓▒\ufffd\ufffd');
});

test('characters of several code units and texts in one cell', () => {
  // 92-56, 85-15 and, after ESC 24 39 (plane 1 to G0), 4-87
  expect(decode('7C 58 75 2F 1B 24 39 24 77')).toBe('(vn)𠮷か\u309a');
});

test('each text starts from the initial state', () => {
  expect(decode('0E 41 89')).toBe('A');
  expect(decode('30 21 20')).toBe('亜　');
  expect(decode('')).toBe('');
});

test('long texts are not truncated', () => {
  expect(decode('30 21'.repeat(10_000))).toBe('亜'.repeat(10_000));
});

interface Pair {
  readonly hex: string;
  readonly text: string | null;
  readonly ok?: boolean;
}

/**
 * Intended differences from the recorded reference: it drops line breaks (APR), which separate the two languages of
 * an audio_component's text.
 */
function asRead(text: string): string {
  return text.replaceAll('\n', '');
}

for (const file of ['onair_pairs', 'unit_test_pairs']) {
  const path = `../shared/samples/text/${file}.json`;
  test.skipIf(!existsSync(path))(`reads ${file} like another decoder`, async () => {
    const pairs: Pair[] = await Bun.file(path).json();
    expect(pairs.length).toBeGreaterThan(10);
    for (const { hex, text } of pairs) {
      // Pairs without a reference text, which the other decoder rejected, must only give a string.
      const ours = decode(hex);
      if (text === null) expect(ours).not.toBe('');
      else expect(asRead(ours)).toBe(text);
    }
  });
}
