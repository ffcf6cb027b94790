import { describe, expect, test } from 'bun:test';
import {
  AT,
  BG,
  bodyPage,
  CLEAR,
  cells,
  cellsOf,
  hex,
  PRE,
  pagesOf,
  payload,
  statement,
  unit,
} from '../../../test/caption/statement-builder.ts';
import { CaptionDecoder } from './decoder.ts';
import type { CaptionRun } from './page.ts';

describe('positions and sizes', () => {
  test('APS, kanji in GL, hiragana in GR', () => {
    const page = bodyPage(`${PRE} 1C4740 87 ${BG} 3B7A4B6BC7B9`);
    expect(cellsOf(page)).toEqual(
      cells(
        7,
        65,
        ['字', '[170,450]-[209,509]'],
        ['幕', '[210,450]-[249,509]'],
        ['で', '[250,450]-[289,509]'],
        ['す', '[290,450]-[329,509]'],
      ),
    );
    expect(page.runs).toHaveLength(1);
    expect(page.runs[0]).toEqual({
      ...{ x: 170, y: 450, w: 40, h: 60, fx: 2, fy: 12, size: 36, scaleX: 1 },
      text: '字幕です',
      fg: '#ffffffff',
      bg: '#00000080',
    });
  });

  test('ACPS is absolute', () => {
    expect(
      cellsOf(bodyPage(`${PRE} 87 ${BG} 9B3239303B343439206145 6C357E3158 9B3239303B3530392061 3126`)),
    ).toEqual(
      cells(
        7,
        65,
        ['東', '[290,390]-[329,449]'],
        ['京', '[330,390]-[369,449]'],
        ['駅', '[370,390]-[409,449]'],
        ['右', '[290,450]-[329,509]'],
      ),
    );
  });

  test('small text right above is ruby', () => {
    const byCoordinates = bodyPage(
      `${PRE} 87 ${BG} 9B3337303B3434392061 88 ABF3B8 9B3337303B3530392061 8A 34413B7A`,
    );
    expect(cellsOf(byCoordinates)).toEqual(
      cells(
        7,
        65,
        ['か', '[370,420]-[389,449]'],
        ['ん', '[390,420]-[409,449]'],
        ['じ', '[410,420]-[429,449]'],
        ['漢', '[370,450]-[409,509]'],
        ['字', '[410,450]-[449,509]'],
      ),
    );
    expect(byCoordinates.runs.map(({ ruby }) => ruby)).toEqual([true, undefined]);
    const bySmallCells = bodyPage(`${PRE} 87 ${BG} 88 1C4D46 C8A6ADE7A6 1C4F46 8A 456C357E`);
    expect(cellsOf(bySmallCells)[0]).toBe('と [290,420]-[309,449] fg7 bg65');
    expect(cellsOf(bySmallCells)[5]).toBe('東 [290,450]-[329,509] fg7 bg65');
    expect(bySmallCells.runs.map(({ ruby, size }) => [ruby, size])).toEqual([
      [true, 18],
      [undefined, 36],
    ]);
  });

  test('small text with no text below it is not ruby', () => {
    expect(bodyPage(`${PRE} 87 88 1C4040 ABF3`).runs[0]?.ruby).toBeUndefined();
  });

  test('characters of different sizes are aligned at the bottom', () => {
    const page = bodyPage(`${PRE} 1C4140 87 ${BG} 1B294A 89 0E 4142 8A 0F 3B7A 8B44 4B6B 8B41 323B`);
    expect(cellsOf(page)).toEqual(
      cells(
        7,
        65,
        ['A', '[170,90]-[189,149]'],
        ['B', '[190,90]-[209,149]'],
        ['字', '[210,90]-[249,149]'],
        ['幕', '[250,90]-[329,149]'],
        ['音', '[330,30]-[369,149]'],
      ),
    );
    expect(page.runs.map(({ size, scaleX }) => [size, scaleX])).toEqual([
      [36, 1],
      [36, 1],
      [36, 2],
      [72, 0.5],
    ]);
  });

  test('kanji in the middle size are half as wide', () => {
    expect(bodyPage(`${PRE} 89 3B7A`).runs[0]).toMatchObject({ w: 20, size: 36, scaleX: 0.5, text: '字' });
  });

  test('letters are full width in the normal size, those of the Kanji set half width in the middle one', () => {
    expect(bodyPage('1B294A 0E 41 0F').runs[0]).toMatchObject({ text: 'Ａ', scaleX: 1 });
    expect(bodyPage('89 2341 212A 20').runs[0]).toMatchObject({ text: 'A! ', scaleX: 1 });
  });

  test('a line wraps after the last cell that fits the display area', () => {
    expect(cellsOf(bodyPage(`${PRE} 1C404E 3A383126A2`))).toEqual(
      cells(7, 8, ['左', '[730,30]-[769,89]'], ['右', '[770,30]-[809,89]'], ['あ', '[170,90]-[209,149]']),
    );
  });

  test('SD planes', () => {
    const page = bodyPage(
      '9B392053 9B3632303B3431362056 9B35303B3332205F 9B342058 9B31362059 9B33363B33362057 1C4740 87 ' +
        `${BG} 3B7A4B6B`,
    );
    expect(page.plane).toEqual([720, 480]);
    expect(cellsOf(page)).toEqual(cells(7, 65, ['字', '[50,396]-[89,447]'], ['幕', '[90,396]-[129,447]']));
  });

  test('PAPF, APF, APR, APB, APU, APD', () => {
    expect(cellsOf(bodyPage(`${PRE} 1C4640 87 ${BG} 1642 456C 09 357E 0D 3158`))).toEqual(
      cells(
        7,
        65,
        ['東', '[250,390]-[289,449]'],
        ['京', '[330,390]-[369,449]'],
        ['駅', '[170,450]-[209,509]'],
      ),
    );
    // Up one line and back two cells; down from the last line is the first one.
    expect(cellsOf(bodyPage(`${PRE} 1C4742 0B 08 08 3B7A 0A 0A 4B6B`))).toEqual(
      cells(7, 8, ['字', '[170,390]-[209,449]'], ['幕', '[210,30]-[249,89]']),
    );
  });

  test('RPC repeats a character, CAN and RPC 0 fill the line', () => {
    expect(bodyPage(`${PRE} 9843 3B7A 4B6B`).runs[0]?.text).toBe('字字字幕');
    // 620 dots: 15 complete columns and a half one.
    expect(bodyPage(`${PRE} 1C4040 9840 20`).runs[0]?.text).toHaveLength(16);
    expect(cellsOf(bodyPage(`${PRE} 1C404E 18 3B7A`))).toEqual(
      cells(7, 8, ['\u3000', '[770,30]-[809,89]'], ['字', '[730,30]-[769,89]']),
    );
  });

  test('vertical writing goes down, columns from right to left', () => {
    // SWF 8: cells 60 wide and 48 high; 960 - 60 = 900.
    expect(cellsOf(bodyPage('9B382053 3B7A4B6B 0D 323B'))).toEqual(
      cells(7, 8, ['字', '[900,0]-[959,47]'], ['幕', '[900,48]-[959,95]'], ['音', '[840,0]-[899,47]']),
    );
  });

  test('a non-spacing mark is put on the next character and takes no cell', () => {
    const page = bodyPage(`${PRE} 1C4040 ${BG} 227E 3B7A 4B6B`);
    expect(cellsOf(page)).toEqual([
      '字 [170,30]-[209,89] fg7 bg65',
      '◯ [170,30]-[209,89] fg7 bg8',
      '幕 [210,30]-[249,89] fg7 bg65',
    ]);
  });

  test('a symbol without a Unicode character is a short text in one cell', () => {
    const [run] = bodyPage(`${PRE} 7C58`).runs;
    expect(run).toMatchObject({ text: '(vn)', w: 10, scaleX: 0.5 });
  });

  test('concealed strings (CSI f) are not shown', () => {
    expect(bodyPage('3B7A 9B302066 323B 9B312066 4B6B').runs[0]?.text).toBe('字幕');
  });
});

describe('colours and decoration', () => {
  test('palettes, opaque and transparent backgrounds', () => {
    expect(
      cellsOf(bodyPage(`${PRE} 1C4640 ${BG} 902040 83 4056 86 4044 902041 9048 3A38 902040 9058 87 3126`)),
    ).toEqual([
      '赤 [170,390]-[209,449] fg3 bg65',
      '青 [210,390]-[249,449] fg6 bg65',
      '左 [250,390]-[289,449] fg24 bg65',
      '右 [290,390]-[329,449] fg7 bg8',
    ]);
  });

  test('box, underline, flash, outline', () => {
    const { runs } = bodyPage(
      `${PRE} 1C4540 87 ${BG} 974D 3A38 9745 3126 9747 323B 9740 9A 335A 99 9140 4056 914F ` +
        '9B313B303030302063 4044 9B302063',
    );
    const marks = runs.map(({ text, box, underline, flash, stroke }: CaptionRun) => [
      text,
      box ?? 0,
      underline ?? false,
      flash ?? false,
      stroke ?? '',
    ]);
    expect(marks).toEqual([
      ['左', 13, false, false, ''],
      ['右', 5, false, false, ''],
      ['音', 7, false, false, ''],
      ['楽', 0, true, false, ''],
      ['赤', 0, false, true, ''],
      ['青', 0, false, false, '#000000ff'],
    ]);
  });

  test('inverted polarity, bold and slanted', () => {
    expect(cellsOf(bodyPage(`${PRE} ${BG} 9341 3B7A 9340 4B6B`))).toEqual([
      '字 [170,30]-[209,89] fg65 bg7',
      '幕 [210,30]-[249,89] fg7 bg65',
    ]);
    expect(bodyPage('9B332064 3B7A').runs[0]).toMatchObject({ bold: true, italic: true });
  });

  test('the raster colour fills the area behind the text', () => {
    const [raster] = bodyPage(`${PRE} 902044 9B3636206E 3B7A`).runs;
    expect(raster).toMatchObject({ x: 170, y: 30, w: 620, h: 480, bg: '#ff000080', text: '\u3000' });
  });

  test('DEL is a cell of the foreground colour', () => {
    expect(cellsOf(bodyPage('81 7F'))).toEqual(['\u3000 [0,0]-[39,59] fg1 bg1']);
  });
});

describe('code sets', () => {
  test('default macro by SS3, katakana by LS1, hiragana by LS2', () => {
    const page = bodyPage(`${PRE} 1D61 87 ${BG} 1C4742 0E 466C53 0F 323B335A 1B6E 4739`);
    expect(page.runs).toHaveLength(1);
    expect(page.runs[0]).toMatchObject({ x: 250, y: 450, text: 'テレビ音楽です' });
  });

  test('each statement starts from the initial state', () => {
    const decoder = new CaptionDecoder();
    decoder.feed(statement([unit(0x20, hex('0E 1B24 2942 81 89'))]), AT);
    const [page] = pagesOf(decoder.feed(statement([unit(0x20, hex('0C 3B7A'))]), AT));
    expect(page?.runs[0]).toMatchObject({ text: '字', w: 40, fg: '#ffffffff' });
  });

  test('text in UCS', () => {
    const decoder = new CaptionDecoder();
    // Format 8, TCS 01.
    decoder.feed(payload(0, hex('3F01 1A6A706E84 000000')), AT);
    // C2 89: MSZ; C2 9B ...: CSI SDP 170;30; text; E EC00: a character drawn by the broadcaster.
    const body = Uint8Array.of(
      ...hex('C29B 3137303B3330205F 1C4040 C289'),
      ...new TextEncoder().encode('A字'),
      ...hex('C28A EEB080'),
    );
    const drcs = unit(0x31, hex('01 EC00 01 00 00 08 02 817E'));
    const [page] = pagesOf(decoder.feed(statement([drcs, unit(0x20, body)]), AT));
    expect(page?.runs.map(({ text, x, scaleX }) => [text, x, scaleX])).toEqual([
      ['A', 170, 1],
      ['字', 190, 0.5],
      ['〓', 210, 1],
    ]);
    expect(Object.keys(page?.drcs ?? {})).toEqual(['b9a09433066eb40f6ec117caf4019e5f']);
  });
});

describe('bitmaps', () => {
  test('four levels through G2', () => {
    const [page] = pagesOf(
      new CaptionDecoder().feed(
        hex(
          `80FFF0 0400 0000 5A 3F000056 ${CLEAR} 1F3000000C 01 4121 01 01 02 04 04 1BE43C41 ` +
            `1F2000003A ${PRE} 1C4741 87 ${BG} 1B2A2041 1B7D A1 3B7A D572`,
        ),
        AT,
      ),
    );
    const key = '3ece3d1a024d051844c30304020e9e04';
    expect(page?.runs.map(({ text, x, y, drcs }) => [text, x, y, drcs])).toEqual([
      ['〓', 210, 450, key],
      ['字', 250, 450, undefined],
    ]);
    expect(page?.drcs).toEqual({
      [key]: { w: 4, h: 4, depth: 4, bits: 2, data: 'G+Q8QQ==', md5: key },
    });
  });

  test('a depth that is not a power of two uses the next larger number of bits', () => {
    // Depth 5 - 2 = 3: five levels in three bits: 4 3 2 1 0, one row.
    const decoder = new CaptionDecoder();
    const drcs = unit(0x30, hex('01 4121 01 01 03 05 01 8D10'));
    const [page] = pagesOf(decoder.feed(statement([drcs, unit(0x20, hex('1B282041 21'))]), AT));
    const [image] = Object.values(page?.drcs ?? {});
    // 100 011 010 001 000 → 4 3 2 1 0
    expect(image).toMatchObject({ w: 5, h: 1, depth: 5, bits: 4 });
    expect([...Buffer.from(image?.data ?? '', 'base64')]).toEqual([0x43, 0x21, 0x00]);
  });

  test('two-octet codes, undefined codes, geometric patterns', () => {
    const decoder = new CaptionDecoder();
    const drcs = unit(0x31, hex('02 3021 01 02 0000 0002 AABB 3022 01 00 00 08 02 817E'));
    const body = unit(0x20, hex('1B24282040 3021 3022'));
    const [page] = pagesOf(decoder.feed(statement([drcs, body]), AT));
    expect(page?.runs.map(({ text, drcs: key }) => [text, key !== undefined])).toEqual([
      ['〓', false],
      ['〓', true],
    ]);
  });
});
