import { describe, expect, test } from 'bun:test';
import { DRCS_FIRST } from './coder.ts';
import { composePage, isInside } from './compose.ts';
import { DRAWN_CHARACTERS, drawnCharacter, drcsData, packDots } from './drcs.ts';
import { type Page, PLAIN, type Run, STANDARD_FRAME, type Style, VERTICAL_FRAME } from './page.ts';

const STYLE: Style = {
  habit: 0,
  motion: 'coordinates',
  compact: true,
  outlined: false,
  halfColours: false,
  raster: false,
};

function ascii(text: string): string {
  return Buffer.from(text, 'latin1').toString('hex');
}

const SDP = `9b${ascii('170;30')}205f`;
const SDF = `9b${ascii('620;480')}2056`;
/** Normal size; white of palette 0; palette 4, background colour 1. */
const PLAIN_LOOK = '8a' + '902040' + '87' + '902044' + '9051';

function run(text: string, look: Partial<Run> = {}): Run {
  return { ...PLAIN, x: 170, y: 509, text, role: 'text', ...look };
}

function page(runs: Run[], style: Partial<Style> = {}, changed: Partial<Page> = {}): Page {
  const steps = [{ waitMs: 0, clears: true, runs }];
  return { frame: STANDARD_FRAME, style: { ...STYLE, ...style }, steps, chime: null, ...changed };
}

/** The bodies of a page's units, each with its parameter. */
function units(of: Page): string[] {
  return composePage(of).map((unit) => {
    const size = ((unit[2] ?? 0) << 16) | ((unit[3] ?? 0) << 8) | (unit[4] ?? 0);
    expect([unit[0], unit.length]).toEqual([0x1f, 5 + size]);
    return `${unit[1]?.toString(16)} ${Buffer.from(unit.subarray(5)).toString('hex')}`;
  });
}

function body(runs: Run[], style: Partial<Style> = {}): string {
  return units(page(runs, style))[0]?.slice(3) ?? '';
}

describe('formats', () => {
  test('a compact page erases, sets its area and relies on the management data for the rest', () => {
    // CS SDP SDF; ACPS 170;509; normal size and colours; 字幕 in the Kanji set.
    const acps = `9b${ascii('170;509')}2061`;
    expect(body([run('字幕')])).toBe(`0c${SDP}${SDF}${acps}${PLAIN_LOOK}3b7a4b6b`);
  });

  test('any other erases first and sets everything', () => {
    const swf = '9b37' + '2053';
    const spacing = `9b${ascii('36;36')}20579b3420589b${ascii('24')}2059`;
    const acps = `9b${ascii('170;509')}2061`;
    expect(units(page([run('字')], { compact: false }))).toEqual([
      '20 0c',
      `20 ${swf}${SDP}${SDF}${spacing}${acps}${PLAIN_LOOK}3b7a`,
    ]);
  });

  test('vertical writing has its own format and spacing', () => {
    const of = page([run('春', { x: 870, y: 30 })], { motion: 'cells' }, { frame: VERTICAL_FRAME });
    const [text = ''] = units(of);
    expect(text).toContain('9b38' + '2053');
    expect(text).toContain(`9b${ascii('12')}2058`);
    // Rows and columns are those of horizontal writing: coordinates are used.
    expect(text).toContain(`9b${ascii('870;30')}2061`);
  });

  test('raster, half colours and outline where the encoder has them; the outline ends with the page', () => {
    const raster = '9b38' + '206e';
    // COL half foreground 15 of palette 0, half background 14 of palette 1.
    const half = '902040' + '906f' + '902041' + '907e';
    const outline = `9b${ascii('1;0000')}2063`;
    const text = body([run('字')], { raster: true, halfColours: true, outlined: true });
    expect(text).toStartWith(`0c${SDP}${SDF}${raster}${half}${outline}`);
    expect(text).toEndWith('3b7a' + '9b30' + '2063');
  });
});

describe('positions', () => {
  test('by rows and columns', () => {
    // APS row 7, column 2; the size comes before it.
    expect(body([run('字', { x: 250 })], { motion: 'cells' })).toContain('8a' + '1c4742' + '902040');
  });

  test('a ruby by the grid of its own size, then the line below on the normal one', () => {
    const ruby = run('かん', { size: 'small', x: 190, y: 449, role: 'ruby' });
    // SSZ, APS row 13, column 1; か ん by their high bit; NSZ, APS row 7, column 0.
    const wanted = '88' + '1c4d41' + '902040' + '87' + '902044' + '9051' + 'abf3' + '8a' + '1c4740' + '3441';
    expect(body([ruby, run('漢')], { motion: 'cells' })).toEndWith(wanted);
  });

  test('half a column by the grid of the middle size', () => {
    // MSZ, APS row 7, column 3, NSZ.
    expect(body([run('字', { x: 230 })], { motion: 'cells' })).toContain('89' + '1c4743' + '8a');
  });

  test('a next line by a return, columns forward; what is on no grid by coordinates', () => {
    const lines = [run('上', { y: 449 }), run('下', { x: 290 }), run('外', { x: 171 })];
    const text = body(lines, { motion: 'returns' });
    // APR, PAPF 3, 下.
    expect(text).toContain('3e65' + '0d' + '1643' + '323c');
    expect(text).toEndWith(`9b${ascii('171;509')}20613330`);
  });

  test('no positioning if the pen is already there', () => {
    // Normal size, then middle at the same line: 字 and A of the alphanumeric set, which LS1 and LS0 enclose.
    const text = body([run('字'), run('A', { x: 210, size: 'middle' })]);
    expect(text).toEndWith('3b7a' + '89' + '0e41' + '0f');
  });
});

describe('looks', () => {
  test('sizes', () => {
    for (const [size, code] of [
      ['small', '88'],
      ['middle', '89'],
      ['normal', '8a'],
      ['tall', '8b41'],
      ['wide', '8b44'],
      ['large', '8b45'],
    ] as const) {
      expect(body([run('字', { size })])).toContain(`2061${code}902040`);
    }
  });

  test('colours beyond the eight by palette and COL', () => {
    // Palette 1, colour 8; palette 0, background 8 (transparent).
    const text = body([run('字', { foreground: 24, background: 8 })]);
    expect(text).toEndWith('902041' + '9048' + '902040' + '9058' + '3b7a');
  });

  test('underline, flash and inverted colours are set before and reset after', () => {
    expect(body([run('字', { underline: true })])).toEndWith('9a' + '3b7a' + '99');
    expect(body([run('字', { flash: 'normal' })])).toEndWith('9140' + '3b7a' + '914f');
    expect(body([run('字', { flash: 'inverted' })])).toEndWith('9147' + '3b7a' + '914f');
    expect(body([run('字', { inverted: true })])).toEndWith('9341' + '3b7a' + '9340');
  });

  test('a box has its left edge, the two in between, its right one', () => {
    const text = body([run('字幕字幕', { boxed: true })]);
    // HLC left + top + bottom, top + bottom, right + top + bottom, none.
    expect(text).toEndWith('974d' + '3b7a' + '9745' + '4b6b3b7a' + '9747' + '4b6b' + '9740');
    expect(body([run('字', { boxed: true })])).toEndWith('974f' + '3b7a' + '9740');
  });
});

test('waits are in tenths of a second and add up; a last one may erase', () => {
  const steps = [
    { waitMs: 0, clears: true, runs: [run('字')] },
    { waitMs: 1_500, clears: false, runs: [run('幕', { x: 210 })] },
    { waitMs: 6_500, clears: true, runs: [] },
  ];
  const [, second = '', third] = units(page([], {}, { steps }));
  // TIME 1.5 s, then the area again for receivers that begin each unit at the start.
  expect(second).toStartWith(`20 9d204f${SDP}${SDF}`);
  // TIME 6.3 s, TIME 0.2 s, CS.
  expect(third).toBe('20 ' + '9d207f' + '9d2042' + '0c');
});

test('a chime is requested before the text', () => {
  const [text = ''] = units(page([run('字')], {}, { chime: 3 }));
  // PRA 3.
  expect(text.indexOf('9b33' + '2068')).toBeGreaterThan(text.indexOf(SDF));
  expect(text.indexOf('9b33' + '2068')).toBeLessThan(text.indexOf('3b7a'));
});

describe('bitmaps', () => {
  test('dots are packed without padding of rows', () => {
    expect([...packDots([1, 0, 0, 0, 0, 0, 0, 1, 1], 1)]).toEqual([0x81, 0x80]);
    expect([...packDots([0, 1, 2, 3, 3], 2)]).toEqual([0x1b, 0xc0]);
  });

  test('a definition names its code, levels and size', () => {
    const pattern = Uint8Array.of(0xe4);
    const drawn = { name: '', width: 2, height: 2, levels: 4 as const, pattern, hash: '' };
    expect(Buffer.from(drcsData([{ ...drawn, set: 1, bytes: [0x23] }])).toString('hex')).toBe(
      [
        '01', // NumberOfCode
        '4123', // CharacterCode: DRCS-1, 0x23
        '01', // NumberOfFont
        '01', // fontId 0, mode 1 (several levels)
        '02', // depth: levels - 2
        '0202', // width, height
        'e4', // levels 3 2 1 0
      ].join(''),
    );
    const two = drcsData([{ ...drawn, levels: 2, set: 0, bytes: [0x21, 0x26] }]);
    // DRCS-0 by both of its bytes; mode 0, depth 0.
    expect(Buffer.from(two).toString('hex')).toBe('01' + '2126' + '01' + '00' + '00' + '0202' + 'e4');
  });

  test('a text is preceded by its definitions: one-byte and two-byte codes in units of their own', () => {
    const [first = '', sixth = ''] = [String.fromCodePoint(DRCS_FIRST), String.fromCodePoint(DRCS_FIRST + 5)];
    const [one = '', two = '', text = ''] = units(page([run(`${first}字${sixth}`)]));
    expect([one.slice(0, 9), two.slice(0, 9)]).toEqual(['30 014121', '31 012126']);
    // G1 DRCS-1, LS1, 0x21, LS0, 字, G1 DRCS-0 (two bytes), LS1, 0x2126; then G1 alphanumeric and LS0 again.
    const wanted = '1b292041' + '0e' + '21' + '0f' + '3b7a' + '1b24292040' + '0e' + '2126' + '1b294a' + '0f';
    expect(text).toEndWith(wanted);
  });

  test('every bitmap has lit and dark dots', () => {
    for (const character of DRAWN_CHARACTERS) {
      const drawn = drawnCharacter(character);
      const bits = drawn?.levels === 2 ? 1 : 2;
      expect(drawn?.pattern.length).toBe(Math.ceil(((drawn?.width ?? 0) * (drawn?.height ?? 0) * bits) / 8));
      expect(drawn?.pattern.some((byte) => byte !== 0)).toBe(true);
      expect(drawn?.pattern.some((byte) => byte !== 0xff)).toBe(true);
    }
    expect(drawnCharacter('字')).toBeUndefined();
  });
});

test('a run is inside its area if the left edge of its last cell is', () => {
  // 15.5 columns: the sixteenth character exceeds the area, as broadcasters allow.
  expect(isInside(STANDARD_FRAME, run('あ'.repeat(16)))).toBe(true);
  expect(isInside(STANDARD_FRAME, run('あ'.repeat(17)))).toBe(false);
  expect(isInside(STANDARD_FRAME, run('あ', { y: 60 }))).toBe(false);
});
