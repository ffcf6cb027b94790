import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { characterText, designatedSet, UNDEFINED_CHARACTER } from './character-set.ts';

const kanji = designatedSet(0x42, 2, false);
const plane1 = designatedSet(0x39, 2, false);
const plane2 = designatedSet(0x3a, 2, false);
const additional = designatedSet(0x3b, 2, false);

function cell(set: typeof kanji, row: number, number: number): string {
  return characterText(set.values[(row - 1) * 94 + number - 1] ?? -1);
}

function assigned(set: typeof kanji, firstRow: number, lastRow: number): number {
  const rows = set.values.subarray((firstRow - 1) * 94, lastRow * 94);
  return rows.reduce((count, value) => count + (value === UNDEFINED_CHARACTER ? 0 : 1), 0);
}

test('planes of JIS X 0213 hold as many characters as the standard defines', () => {
  expect(assigned(plane1, 1, 94)).toBe(8797);
  expect(assigned(plane2, 1, 94)).toBe(2436);
});

/**
 * Differences between the WHATWG table, which follows Windows, and the Unicode consortium's mapping of JIS X 0208.
 */
const WINDOWS_VARIANTS: Record<string, string> = {
  '1-33': '～',
  '1-34': '∥',
  '1-61': '－',
  '1-81': '￠',
  '1-82': '￡',
  '2-44': '￢',
};

test('rows 1 to 84 of the Kanji set agree with another table of JIS X 0208, Windows variants apart', () => {
  const other = new TextDecoder('euc-jp');
  const differing: Record<string, string> = {};
  let compared = 0;
  for (let row = 1; row <= 84; row++) {
    // NEC's row 13 and cells that JIS X 0208 leaves empty are not its characters.
    if (row > 8 && row < 16) continue;
    for (let number = 1; number <= 94; number++) {
      const theirs = other.decode(new Uint8Array([0xa0 + row, 0xa0 + number]));
      if (theirs.includes('\ufffd')) continue;
      compared++;
      if (cell(kanji, row, number) !== theirs) differing[`${row}-${number}`] = theirs;
    }
  }
  expect(compared).toBe(6879);
  expect(differing).toEqual(WINDOWS_VARIANTS);
});

test('the Kanji set has the broadcasters’ rows where JIS X 0213 plane 1 has others', () => {
  expect(cell(kanji, 85, 15)).toBe('𠮷');
  expect(cell(plane1, 85, 15)).toBe('昞');
  expect(cell(kanji, 90, 54)).toBe('🈑');
  expect(cell(additional, 90, 54)).toBe('🈑');
  expect(cell(additional, 16, 1)).toBe('\ufffd');
});

test('cells that need a combining character in Unicode give the base and the combining character', () => {
  expect(cell(plane1, 4, 87)).toBe('か\u309a');
  expect(cell(plane1, 11, 70)).toBe('\u02e5\u02e9');
});

test('plane 2 has its own characters, some beyond the basic plane', () => {
  expect(cell(plane2, 1, 1)).toBe('𠂉');
  expect(cell(plane2, 94, 86)).toBe('𪚲');
  expect(cell(plane2, 2, 1)).toBe('\ufffd');
});

test('additional symbols are not normalised, and symbols made of letters stay text', () => {
  expect(cell(additional, 85, 67)).toBe('\ufa6c');
  expect(cell(additional, 85, 68)).toBe('\u{242ee}');
  expect(cell(additional, 92, 59) + cell(additional, 92, 60)).toBe('(cemb)');
  expect(cell(additional, 93, 87)).toBe('\u3000');
  expect(cell(additional, 90, 12)).toBe('\ufffd');
  expect([85, 86, 90, 91, 92, 93, 94].map((row) => assigned(additional, row, row))).toEqual([
    94, 43, 73, 49, 91, 89, 93,
  ]);
});

const FACTS = '../shared/facts/additional-symbols.json';
test.skipIf(!existsSync(FACTS))('additional symbols agree with the collected assignments', async () => {
  const facts: Record<string, { unicode: string | null; alt: string | null }> = await Bun.file(FACTS).json();
  for (const [place, { unicode, alt }] of Object.entries(facts)) {
    const [row, number] = place.split('-').map(Number);
    expect(`${place} ${cell(kanji, row ?? 0, number ?? 0)}`).toBe(`${place} ${unicode ?? alt}`);
  }
});

test('an undefined set still has the width of its designation', () => {
  expect(designatedSet(0x7e, 1, false)).toMatchObject({ name: 'unknown', octets: 1 });
  expect(designatedSet(0x7e, 2, false)).toMatchObject({ name: 'unknown', octets: 2 });
  expect(designatedSet(0x60, 2, true)).toMatchObject({ name: 'unknown', octets: 2 });
  expect(designatedSet(0x4f, 1, true)).toMatchObject({ name: 'drcs', final: 0x4f, octets: 1 });
});
