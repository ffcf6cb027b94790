import { describe, expect, test } from 'bun:test';
import { hasPostcode, parseStructure, readFields, readPostcodeRanges, writeFields } from './binary-fields.ts';
import { BinaryTable } from './binary-table.ts';
import { addToDate, formatNumber, parseJstTime, subtractDates } from './broadcast-clock.ts';

/** Two octets for anything but ASCII, as in EUC-JP. */
const CHARSET = {
  encode: (text: string): Uint8Array =>
    Uint8Array.from(
      [...text].flatMap((character) => {
        const code = character.charCodeAt(0);
        return code < 0x80 ? [code] : [0x80 | (code >> 7), 0x80 | (code & 0x7f)];
      }),
    ),
  decode: (bytes: Uint8Array): string => {
    let text = '';
    for (let at = 0; at < bytes.length; at++) {
      const octet = bytes[at] ?? 0;
      text +=
        octet < 0x80
          ? String.fromCharCode(octet)
          : String.fromCharCode(((octet & 0x7f) << 7) | ((bytes[++at] ?? 0) & 0x7f));
    }
    return text;
  },
};

const bytes = (...octets: number[]): Uint8Array => Uint8Array.from(octets);

describe('a structure', () => {
  test.each(['U:1B', 'B:1b,P:7b,U:32b', 'S:1V,Z:2V', 'I:4B,S:300B', 'U:3b,U:5b,S:1v'])(
    '%s is one',
    (text) => {
      expect(parseStructure(text)).toBeDefined();
    },
  );
  test.each([
    '',
    'X:1B',
    'U:5B',
    'U:33b',
    'B:2b',
    'B:1B',
    'I:3B',
    'I:16b,U:1B,I:3B',
    'Z:4B',
    'S:7b',
    'P:1V',
    'U:0B',
    'U:1b,S:1B',
    'U:1b,I:1B',
    'U:1V',
    `${'U:1B,'.repeat(300)}U:1B`,
  ])('%s is none', (text) => {
    expect(parseStructure(text)).toBeUndefined();
  });
});

describe('fields', () => {
  const read = (structure: string, ...octets: number[]) =>
    readFields(bytes(...octets), parseStructure(structure) ?? [], CHARSET).values;

  test.each([
    ['B:1b,B:1b,P:6b', [0x80], [true, false]],
    ['U:1B', [0xff], [255]],
    ['U:4B', [0xff, 0xff, 0xff, 0xff], [-1]],
    ['U:3b,U:5b', [0b10100011], [5, 3]],
    ['I:1B', [0x80], [-128]],
    ['I:2B', [0xff, 0xfe], [-2]],
    ['I:4B', [0x80, 0, 0, 0], [-2147483648]],
    ['S:4B', [0x41, 0x42, 0, 0x43], ['AB']],
    ['S:1V', [2, 0x41, 0x42, 0x43], ['AB']],
    ['S:4B', [], ['']],
    ['P:2B,U:1B', [1, 2, 3], [3]],
  ])('%s of %p are %p', (structure, octets, expected) => {
    expect(read(structure, ...octets)).toEqual(expected);
  });

  const write = (structure: string, ...values: (boolean | number | string | null)[]) =>
    writeFields(values, parseStructure(structure) ?? [], CHARSET);

  test.each([
    ['B:1b,P:7b', [true], [0x80]],
    ['U:4b,U:4b', [5, 3], [0x53]],
    ['U:2B', [0x12345], [0x23, 0x45]],
    ['I:2B', [-2], [0xff, 0xfe]],
    ['S:4B', ['AB'], [0x41, 0x42, 0x20, 0x20]],
    ['S:3B', ['Aあい'], [0x41, 0xe0, 0xc2]],
    ['S:2B', ['Aあ'], [0x41, 0x20]],
    ['S:1V', ['AB'], [2, 0x41, 0x42]],
    ['P:1B,U:1B', [7, 9], [0, 7]],
    ['U:1B', [Number.NaN], [0]],
    ['S:2B', [null], [0x20, 0x20]],
  ])('%s of %p are written as %p', (structure, values, expected) => {
    expect([...(write(structure, ...values) ?? [])]).toEqual(expected);
  });

  test('too few values, postal codes and texts that are too long are not written', () => {
    expect(write('U:1B,U:1B', 1)).toBeUndefined();
    expect(write('Z:1V', 1)).toBeUndefined();
    expect(write('S:1V', 'a'.repeat(256))).toBeUndefined();
  });
});

describe('postal codes', () => {
  const includes = (code: number, ...octets: number[]) =>
    hasPostcode(readPostcodeRanges(bytes(...octets)), code);
  const list = (...octets: number[]): number[] => [1 + octets.length, 0, ...octets];

  test.each([
    ['two digits', [10, 12, 0x00, 0x00], [1_000_000, 1_299_999], [999_999, 1_300_000]],
    ['two ranges of two digits', [10, 10, 0x80 | 20, 21], [1_050_000, 2_199_999], [1_100_000, 2_200_000]],
    ['a list of three digits', [0x80 | 10, 0x81, 0x2f, 0xff], [1_010_000, 1_029_999], [1_000_000, 1_030_000]],
    [
      'ranges of three digits',
      [0x80 | 10, 0x9f, 0x13, 0x78],
      [1_010_000, 1_039_999, 1_070_000, 1_089_999],
      [1_040_000, 1_069_999],
    ],
    ['five digits', [0x80 | 10, 0xa1, 0x23, 0x45], [1_012_300, 1_012_399, 1_014_500], [1_012_400, 1_014_499]],
    ['one of five digits', [0x80 | 10, 0xa1, 0x23, 0xff], [1_012_300], [1_012_400, 1_015_500]],
    [
      'from and to of five digits',
      [0x80 | 10, 0xb1, 0x23, 0xff, 0x80 | 10, 0xc2, 0x00, 0xff],
      [1_012_300, 1_020_099],
      [1_012_299, 1_020_100],
    ],
    [
      'from and to of seven digits',
      [0x80 | 10, 0xd1, 0x23, 0x45, 0x80 | 10, 0xe1, 0x23, 0x50],
      [1_012_345, 1_012_350],
      [1_012_344, 1_012_351],
    ],
    ['seven digits', [0x80 | 10, 0xf1, 0x23, 0x45], [1_012_345], [1_012_344, 1_012_346]],
  ])('%s', (_, octets, inside, outside) => {
    for (const code of inside) expect(includes(code, ...list(...octets))).toBe(true);
    for (const code of outside) expect(includes(code, ...list(...octets))).toBe(false);
  });

  test('exceptions win', () => {
    const octets = [9, 4, 0x80 | 10, 0xf1, 0x23, 0x45, 10, 12, 0, 0];
    expect(includes(1_012_345, ...octets)).toBe(false);
    expect(includes(1_012_346, ...octets)).toBe(true);
  });

  test('an end without a begin, and truncated lists, include nothing', () => {
    expect(includes(1_012_345, ...list(0x80 | 10, 0xe1, 0x23, 0x45))).toBe(false);
    expect(includes(1_012_345)).toBe(false);
    expect(includes(1_012_345, 200)).toBe(false);
  });
});

describe('a binary table', () => {
  const fixed = (structure: string, ...octets: number[]) =>
    BinaryTable.read(bytes(...octets), structure, CHARSET);

  test('of rows without a length', () => {
    const table = fixed('0,U:1B,S:2B,B:1b,P:7b', 1, 0x41, 0x42, 0x80, 2, 0x43, 0x44, 0, 9);
    expect([table?.nrow, table?.ncolumn]).toEqual([2, 3]);
    expect(table?.toArray(0, 9)).toEqual([
      [1, 'AB', true],
      [2, 'CD', false],
    ]);
    expect([table?.toNumber(1, 0), table?.toString(1, 0), table?.toNumber(0, 2)]).toEqual([2, '2', 1]);
    expect([table?.toNumber(5, 0), table?.toString(0, 5), table?.toArray(2, 1)]).toEqual([
      Number.NaN,
      null,
      null,
    ]);
  });

  test('of rows with a length, which may be longer than the fields', () => {
    const table = fixed('1,U:1B', 3, 1, 0xee, 0xee, 1, 2);
    expect(table?.toArray(0, 2)).toEqual([[1], [2]]);
  });

  test.each(['U:1B', '9,U:1B', '-1,U:1B', '0', '0,X:1B', ',U:1B'.slice(1)])(
    'structure %s is refused',
    (structure) => {
      expect(fixed(structure, 1)).toBeUndefined();
    },
  );

  test('of 65,537 rows of length 0 is bounded', () => {
    expect(BinaryTable.read(new Uint8Array(100_000), '1,U:1B', CHARSET)?.nrow).toBe(65_536);
  });

  const TABLE = fixed('0,U:1B,S:1B,B:1b,P:7b,I:1B', 1, 0x41, 0x80, 1, 2, 0x42, 0, 0xff, 6, 0x41, 0x80, 0x80);
  const search = (start: number, conditions: [number, unknown, number][], isAny = false, limit = 10) => {
    const result = TABLE?.search(
      start,
      conditions.map(([column, value, operator]) => ({ column, value, operator })),
      isAny,
      limit,
    );
    return [result?.row, result?.rows.map(([first]) => first)];
  };

  test.each([
    [0, 2, [2]],
    [1, 2, [1, 6]],
    [2, 2, [1]],
    [3, 2, [1, 2]],
    [4, 2, [6]],
    [5, 2, [2, 6]],
    [6, 2, [2, 6]],
    [7, 0, [1, 2, 6]],
    [8, 2, [1, 6]],
    [9, 0xff, [1, 2, 6]],
    [10, 0xff, []],
    [11, 0xf9, [1, 2]],
    [11, 0xfe, [2, 6]],
  ])('operator %d with %d', (operator, value, expected) => {
    expect(search(0, [[0, value, operator]])).toEqual([-1, expected]);
  });
  test.each([
    [32, 'A', [1, 6]],
    [33, 'B', [2]],
    [34, '', [1, 2, 6]],
    [35, 'A', [1, 6]],
    [36, 'A', [2]],
    [37, 'B', [1, 6]],
  ])('operator %d with %s', (operator, value, expected) => {
    expect(search(0, [[1, value, operator]])).toEqual([-1, expected]);
  });
  test.each([
    [64, true, [1, 6]],
    [64, false, [2]],
    [65, true, [2]],
  ])('operator %d with %p', (operator, value, expected) => {
    expect(search(0, [[2, value, operator]])).toEqual([-1, expected]);
  });
  test('and, or, start and limit', () => {
    expect(
      search(0, [
        [0, 1, 4],
        [1, 'A', 32],
      ]),
    ).toEqual([-1, [6]]);
    expect(
      search(
        0,
        [
          [0, 1, 0],
          [1, 'B', 32],
        ],
        true,
      ),
    ).toEqual([-1, [1, 2]]);
    expect(search(1, [[1, 'A', 32]])).toEqual([-1, [6]]);
    expect(search(0, [[0, 0, 4]], false, 2)).toEqual([1, [1, 2]]);
    expect(search(0, [[3, -1, 0]])).toEqual([-1, [2]]);
  });
  test('no condition, five, a wrong class, a missing column and a wrong start are NaN', () => {
    const one: [number, unknown, number] = [0, 1, 0];
    for (const conditions of [
      [],
      [one, one, one, one, one],
      [[0, 1, 32]],
      [[1, 'A', 0]],
      [[2, 1, 0]],
      [[9, 1, 0]],
      [[0, 1, 12]],
      [[0, 1, 96]],
    ] as [number, unknown, number][][])
      expect(search(0, conditions)).toEqual([Number.NaN, []]);
    expect(search(-1, [one])).toEqual([Number.NaN, []]);
    expect(search(0, [one], false, 0)).toEqual([Number.NaN, []]);
  });
  test('postal codes are null, and after a search whether they matched', () => {
    const table = fixed('0,U:1B,Z:1V', 1, 6, 5, 0, 10, 12, 0, 0, 2, 6, 5, 0, 20, 22, 0, 0);
    expect(table?.toArray(0, 2)).toEqual([
      [1, null],
      [2, null],
    ]);
    expect([table?.toString(0, 1), table?.toNumber(0, 1)]).toEqual([null, Number.NaN]);
    expect(table?.search(0, [{ column: 1, value: '2000000', operator: 96 }], false, 1)).toEqual({
      row: 1,
      rows: [[2, true]],
    });
    expect(table?.search(0, [{ column: 1, value: 2_000_000, operator: 97 }], false, 1)).toEqual({
      row: 0,
      rows: [[1, true]],
    });
    expect(table?.search(0, [{ column: 0, value: 1, operator: 0 }], false, 1).rows).toEqual([[1, null]]);
  });
});

describe('dates and numbers', () => {
  const DAY = 86_400_000;
  test.each([
    [1999, 0, 0, 1999],
    [1999, 0, 1, 1],
    [-1999, 0, 1, -1],
    [DAY, 0, 2, 1440],
    [DAY, 0, 3, 24],
    [DAY * 8, 0, 4, 8],
    [DAY * 8, 0, 5, 1],
    [500, 0, 9, 500],
    [DAY * 30, 0, 0, Number.NaN],
    [Number.NaN, 0, 1, Number.NaN],
  ])('%d - %d in unit %d is %d', (target, base, unit, expected) => {
    expect(subtractDates(target, base, unit)).toBe(expected);
  });
  test.each([
    [10, 0, 10],
    [10, 1, 10_000],
    [1, 5, 7 * DAY],
    [-1, 4, -DAY],
    [5, 6, 5],
    [Number.NaN, 1, 0],
  ])('0 + %d of unit %d is %d', (amount, unit, expected) => {
    expect(addToDate(0, amount, unit)).toBe(expected);
  });
  test.each([
    [0, '0'],
    [999, '999'],
    [1000, '1,000'],
    [-1234567, '-1,234,567'],
    [2147483647, '2,147,483,647'],
    [Number.NaN, '0'],
  ])('%d is formatted as %p', (value, expected) => {
    expect(formatNumber(value)).toBe(expected);
  });
  test('a time in Japan', () => {
    expect(parseJstTime('20261126090000')).toBe(Date.UTC(2026, 10, 26));
    expect(parseJstTime('2026112609000')).toBeUndefined();
  });
});
