import { expect, test } from 'bun:test';
import { characterText, type GraphicSet } from './character-set.ts';
import { CONTROL, CSI } from './control-codes.ts';
import {
  CAPTION_SETS,
  EightUnitDecoder,
  type EightUnitSink,
  type InitialSets,
  ONE_SEGMENT_SETS,
  SI_SETS,
} from './decoder.ts';

const CONTROL_NAMES = new Map<number, string>(Object.entries(CONTROL).map(([name, code]) => [code, name]));
const CSI_NAMES = new Map<number, string>(Object.entries(CSI).map(([name, final]) => [final, name]));

/** Records every callback: characters unchanged, everything else by name. */
class Notes implements EightUnitSink {
  readonly notes: string[] = [];

  character(value: number, set: GraphicSet, code: number): void {
    const drawn = set.name === 'drcs' || set.name === 'mosaic' || set.name === 'unknown';
    this.notes.push(drawn ? `${set.name} ${hex(set.final)} ${hex(code)}` : characterText(value));
  }

  control(code: number, p1: number, p2: number): void {
    const parameters = [p1, p2].filter((parameter) => parameter >= 0).map(hex);
    this.notes.push([CONTROL_NAMES.get(code) ?? `control ${hex(code)}`, ...parameters].join(' '));
  }

  sequence(final: number, parameters: readonly number[]): void {
    this.notes.push(`${CSI_NAMES.get(final) ?? hex(final)}(${parameters.join(';')})`);
  }

  presentationTime(final: number, parameters: readonly number[]): void {
    this.notes.push(`TIME ${hex(final)} (${parameters.join(':')})`);
  }
}

function hex(value: number): string {
  return value.toString(16).toUpperCase();
}

function notes(octets: string, initial: InitialSets = SI_SETS): string[] {
  const sink = new Notes();
  new EightUnitDecoder(sink, initial).decode(Uint8Array.fromHex(octets.replaceAll(' ', '')));
  return sink.notes;
}

function text(octets: string, initial: InitialSets = SI_SETS): string {
  return notes(octets, initial).join('');
}

/** Designation to G1, LS1, then the codes: every one-octet set, with its first and last codes. */
const SINGLE_SETS: [name: string, octets: string, expected: string][] = [
  ['alphanumeric', '1B 29 4A 0E 21 41 5B 5C 5D 7E', '!A[¥]‾'],
  ['hiragana', '1B 29 30 0E 21 24 73 77 78 79 7A 7B 7C 7D 7E', 'ぁいんゝゞー。「」、・'],
  ['hiragana, empty codes', '1B 29 30 0E 74 75 76', '\ufffd\ufffd\ufffd'],
  ['katakana', '1B 29 31 0E 21 24 74 75 76 77 78 79 7A 7B 7C 7D 7E', 'ァイヴヵヶヽヾー。「」、・'],
  ['proportional alphanumeric', '1B 29 36 0E 41 7A', 'Az'],
  ['proportional hiragana', '1B 29 37 0E 22 79', 'あー'],
  ['proportional katakana', '1B 29 38 0E 22 79', 'アー'],
  ['JIS X 0201 katakana', '1B 29 49 0E 21 26 31 5E 5F', '｡ｦｱﾞﾟ'],
  ['JIS X 0201 katakana, empty code', '1B 29 49 0E 60', '\ufffd'],
];

for (const [name, octets, expected] of SINGLE_SETS) {
  test(`set of one octet: ${name}`, () => expect(text(octets)).toBe(expected));
}

/** Designation to G2 (initially invoked to GR), then GR codes. */
const DOUBLE_SETS: [name: string, octets: string, expected: string][] = [
  ['Kanji, JIS X 0208', '1B 24 2A 42 B0 A1 F4 A5', '亜凜'],
  ['Kanji, rows 85, 86 and 90', '1B 24 2A 42 F5 AF F6 CB FA D6', '𠮷麵🈑'],
  ['JIS X 0213 plane 1', '1B 24 2A 39 A4 F7 AE A1 FE FE', 'か\u309a俱繫'],
  ['JIS X 0213 plane 2', '1B 24 2A 3A A1 A1 FE F6', '𠂉𪚲'],
  ['additional symbols', '1B 24 2A 3B FA EB', '🈟'],
];

for (const [name, octets, expected] of DOUBLE_SETS) {
  test(`set of two octets: ${name}`, () => expect(text(octets)).toBe(expected));
}

test('designations reach all four registers in every form', () => {
  // G0 = hiragana, G1 = katakana, G2 = alphanumeric, G3 = plane 2, each shown once.
  expect(text('1B 28 30 24 1B 29 31 0E 24 1B 2A 4A 19 41 1B 24 2B 3A 1D 21 21')).toBe('いイA𠂉');
  // Two octets to G0 without and with the register named; to G1.
  expect(text('1B 28 4A 41 1B 24 42 30 21 1B 28 4A 42 1B 24 28 42 30 21')).toBe('A亜B亜');
  expect(text('1B 24 29 3B 0E 7A 56')).toBe('🈑');
});

test('shifts invoke each register to GL and GR', () => {
  // LS1 (A), LS0 (亜), LS2 (い), LS3 (イ); GR: hiragana, LS1R (A), LS3R (イ), LS2R (い).
  expect(text('0E 41 0F 30 21 1B 6E 24 1B 6F 24 0F A4 1B 7E C1 1B 7C A4 1B 7D A4')).toBe('A亜いイいAイい');
});

test('a single shift applies to one character, of one or two octets, in GL or GR', () => {
  expect(text('19 24 19 A4 30 21 1D 24 1D A4 30 21')).toBe('いい亜イイ亜');
  expect(text('1B 24 2B 3A 1D 21 21 1D A1 A1 30 21')).toBe('𠂉𠂉亜');
});

test('DRCS characters carry their set and code', () => {
  expect(notes('1B 29 20 41 0E 21 1B 2A 20 4F A2')).toEqual(['drcs 41 21', 'drcs 4F 22']);
  // DRCS-0 has two octets: to G0 in both forms, and to G2.
  expect(notes('1B 24 28 20 40 21 22 1B 24 2A 20 40 A1 A3')).toEqual(['drcs 40 2122', 'drcs 40 2123']);
});

test('mosaic characters of sets A to D carry their set and code', () => {
  expect(notes('1B 28 32 21 1B 28 33 22 1B 28 34 23 1B 28 35 7E')).toEqual([
    'mosaic 32 21',
    'mosaic 33 22',
    'mosaic 34 23',
    'mosaic 35 7E',
  ]);
});

test('characters of undefined sets keep their width, so the following text stays aligned', () => {
  expect(text('1B 29 7D 0E 21 22 0F 30 21')).toBe('unknown 0 21unknown 0 22亜');
  expect(text('1B 24 2A 7D A1 A2 30 21')).toBe('unknown 0 2122亜');
  // Sequences that designate nothing: a 96-code set, an announcer, an undefined shift, no final octet.
  expect(text('1B 2D 41 1B 20 41 1B 61 30 21 1B 28')).toBe('亜');
  // ESC in front of a control code or a GR octet: both are read.
  expect(notes('1B 0D 1B 28 A4')).toEqual(['APR', 'い']);
});

test('default macros designate by the codes 0x60 to 0x6F', () => {
  // G3 is the macro set in captions. 0x61: Kanji, katakana, hiragana.
  expect(text('0E 41 1D 61 30 21 0E 24 A4', CAPTION_SETS)).toBe('A亜イい');
  // 0x6E: katakana, hiragana, alphanumeric. 0x60 brings the first state back.
  expect(text('1D 6E 24 0E 24 C1 1D 60 30 21 0E 41 A4', CAPTION_SETS)).toBe('イいA亜Aい');
  // 0x66: DRCS-1 to 3; then 0x63: mosaic A, C, D; by a locking shift of G3.
  expect(notes('1D 66 21 A1 1B 6F 63 21 A1', CAPTION_SETS)).toEqual([
    'drcs 41 21',
    'drcs 43 21',
    'mosaic 32 21',
    'mosaic 35 21',
  ]);
  expect(text('1D 21 1D 5F 1D 70 30 21', CAPTION_SETS)).toBe('亜');
});

test('macros are defined, run and replaced', () => {
  // MACRO 40 61: defines 0x61 as GRF "亜"; nothing is output until it is called.
  expect(notes('95 40 61 82 30 21 95 4F 30 22 1D 61', CAPTION_SETS)).toEqual(['唖', 'GRF', '亜']);
  // MACRO 41: define and run.
  expect(text('95 41 62 30 21 95 4F 1D 62', CAPTION_SETS)).toBe('亜亜');
  // Designations in a macro stay in effect.
  expect(text('95 41 62 1B 28 4A 95 4F 41', CAPTION_SETS)).toBe('A');
});

test('macros do not nest, and their number and length are bounded', () => {
  // 0x61 calls itself and 0x62: both calls do nothing.
  expect(text('95 40 62 30 22 95 4F 95 40 61 1D 61 1D 62 30 21 95 4F 1D 61', CAPTION_SETS)).toBe('亜');
  const body = '3021'.repeat(500);
  const calls = '1D61'.repeat(100);
  // 1000 octets per call, 4096 in total: four calls.
  expect(text(`95 40 61 ${body} 95 4F ${calls}`, CAPTION_SETS).length).toBe(4 * 500);
  // A body beyond the limit is not stored; the default macro stays.
  expect(text(`95 40 61 ${'3021'.repeat(513)} 95 4F 1D 61 0E 24`, CAPTION_SETS)).toBe('イ');
});

test('an unterminated macro definition takes the rest of the text; unsupported ones are skipped', () => {
  expect(text('30 21 95 40 61 30 22 30 23', CAPTION_SETS)).toBe('亜');
  // No definition (P1 other than 40, 41), an end without a start, no code.
  expect(text('95 4F 30 21 95 42 30 21 95 40 0D', CAPTION_SETS)).toBe('亜亜APR');
});

/** Each control code with its parameters, followed by 亜, which must be decoded correctly. */
const CONTROLS: [octets: string, note: string][] = [
  ['00', 'NUL'],
  ['07', 'BEL'],
  ['08', 'APB'],
  ['09', 'APF'],
  ['0A', 'APD'],
  ['0B', 'APU'],
  ['0C', 'CS'],
  ['0D', 'APR'],
  ['16 42', 'PAPF 42'],
  ['18', 'CAN'],
  ['1C 46 40', 'APS 46 40'],
  ['1E', 'RS'],
  ['1F', 'US'],
  ['20', 'SP'],
  ['A0', 'SP'],
  ['7F', 'DEL'],
  ['80', 'BKF'],
  ['87', 'WHF'],
  ['88', 'SSZ'],
  ['89', 'MSZ'],
  ['8A', 'NSZ'],
  ['8B 45', 'SZX 45'],
  ['90 48', 'COL 48'],
  ['90 20 44', 'COL 20 44'],
  ['91 40', 'FLC 40'],
  ['92 40', 'CDC 40'],
  ['92 20 41', 'CDC 20 41'],
  ['93 41', 'POL 41'],
  ['94 44', 'WMM 44'],
  ['97 4D', 'HLC 4D'],
  ['98 43', 'RPC 43'],
  ['99', 'SPL'],
  ['9A', 'STL'],
  ['9B 37 20 53', 'SWF(7)'],
  ['9B 31 37 30 3B 33 30 20 5F', 'SDP(170;30)'],
  ['9B 31 3B 30 30 30 30 20 63', 'ORN(1;0)'],
  ['9B 3B 35 20 61', 'ACPS(0;5)'],
  ['9B 5B', 'PLD()'],
  ['9B 6F', 'SCS()'],
  ['9B 30 20 7A', '7A(0)'],
  ['9D 20 7F', 'TIME 20 7F'],
  ['9D 28 41', 'TIME 28 41'],
  ['9D 29 31 32 3B 33 34 3B 35 36 3B 37 38 39 20 40', 'TIME 40 (12:34:56:789)'],
  ['9D 29 31 3B 32 3B 33 20 42', 'TIME 42 (1:2:3)'],
  ['8C', 'control 8C'],
  ['96', 'control 96'],
  ['9F', 'control 9F'],
];

for (const [octets, note] of CONTROLS) {
  test(`control function ${octets} is taken exactly`, () => {
    expect(notes(`${octets} 30 21`)).toEqual([note, '亜']);
  });
}

test('0xFF is ignored', () => expect(text('FF 30 21 FF')).toBe('亜'));

/** Missing parameters: the function is dropped, and the octets in their place are decoded as text. */
const DAMAGED: [octets: string, expected: string[]][] = [
  ['8B 0D', ['APR']],
  ['1C 46 0D', ['APR']],
  ['90 20 A4', ['い']],
  ['9B 37 0D', ['APR']],
  ['9B 37 20 A4', ['い']],
  ['9D 0D', ['APR']],
  ['9D 20 0D', ['APR']],
  ['9D 29 31 0D', ['APR']],
  ['19 0D', ['APR']],
  ['1D', []],
  ['30', []],
  ['30 0D', ['APR']],
  ['1B 24 2B 3A 1D 21', []],
  ['1B', []],
  ['1C 46', []],
  ['9B 31 37', []],
  ['9D 29', []],
  ['95', []],
  ['95 40', []],
];

for (const [octets, expected] of DAMAGED) {
  test(`damaged: ${octets}`, () => expect(notes(octets)).toEqual(expected));
}

test('long and many parameters of CSI are bounded', () => {
  const many = Array.from({ length: 50 }, () => '39'.repeat(20)).join('3B');
  expect(notes(`9B ${many} 20 61`)).toEqual([`ACPS(${Array(8).fill(99_999).join(';')})`]);
});

test('the two octets of a character may be in different areas (GL and GR)', () => {
  expect(text('30 A1 1B 24 2A 42 B0 21')).toBe('亜亜');
});

test('one-segment captions have DRCS-1 in GL and kanji in GR', () => {
  // CS, WHF, two kanji, DRCS-1 0x21, APR, one kanji.
  expect(notes('0C 87 BB FA CB EB 21 0D B2 BB', ONE_SEGMENT_SETS)).toEqual([
    'CS',
    'WHF',
    '字',
    '幕',
    'drcs 41 21',
    'APR',
    '音',
  ]);
});

test('the state is kept between texts until it is reset', () => {
  const sink = new Notes();
  const decoder = new EightUnitDecoder(sink);
  decoder.decode(new Uint8Array([0x0e]));
  expect(decoder.left.name).toBe('alphanumeric');
  decoder.decode(new Uint8Array([0x41]));
  decoder.reset();
  expect(decoder.left.name).toBe('kanji');
  decoder.decode(new Uint8Array([0x30, 0x21]));
  expect(sink.notes).toEqual(['A', '亜']);
});
