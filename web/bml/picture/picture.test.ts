import { describe, expect, test } from 'bun:test';
import { crc32, deflateSync } from 'node:zlib';
import { readDrcs } from './drcs.ts';
import { readMng } from './mng.ts';
import { DEFAULT_PALETTE } from './palette.ts';
import { readPicture, toBt709 } from './picture.ts';

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const MNG = [0x8a, 0x4d, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

const u16 = (value: number): number[] => [(value >> 8) & 255, value & 255];
const u32 = (value: number): number[] => [...u16(value >>> 16), ...u16(value)];
const ascii = (text: string): number[] => [...Buffer.from(text, 'latin1')];

function chunk(type: string, data: readonly number[]): number[] {
  const body = [...ascii(type), ...data];
  return [...u32(data.length), ...body, ...u32(crc32(Uint8Array.from(body)))];
}

const header = (width: number, height: number, bits = 8, colourType = 3): number[] =>
  chunk('IHDR', [...u32(width), ...u32(height), bits, colourType, 0, 0, 0]);
const pixels = (width: number, height: number): number[] =>
  chunk('IDAT', [...deflateSync(new Uint8Array((width + 1) * height))]);
const END = chunk('IEND', []);
const octets = (...parts: readonly number[][]): Uint8Array => Uint8Array.from(parts.flat());

/** Types of the chunks of a PNG, with the length of their data; throws where a CRC is wrong. */
function chunksOf(file: Uint8Array): string[] {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  const found: string[] = [];
  for (let at = 8; at < file.length; ) {
    const length = view.getUint32(at);
    const body = file.subarray(at + 4, at + 8 + length);
    if (crc32(body) !== view.getUint32(at + 8 + length)) throw new Error('CRC');
    found.push(`${Buffer.from(body.subarray(0, 4)).toString()} ${length}`);
    at += 12 + length;
  }
  return found;
}

describe('PNG', () => {
  const read = (file: Uint8Array) => readPicture(file, DEFAULT_PALETTE);

  test.each([
    [8, 256],
    [4, 16],
    [2, 4],
    [1, 2],
  ])('of %d bits without a palette gets %d colours of the CLUT', (bits, count) => {
    const picture = read(octets(PNG, header(3, 2, bits), pixels(3, 2), END));
    expect(picture).toMatchObject({ type: 'image/png', width: 3, height: 2 });
    expect(chunksOf(picture?.bytes ?? new Uint8Array())).toEqual([
      'IHDR 13',
      `PLTE ${count * 3}`,
      `tRNS ${count}`,
      expect.stringContaining('IDAT'),
      'IEND 0',
    ]);
  });

  test('has the colours of the CLUT instead of its own', () => {
    const own = [...chunk('PLTE', [9, 9, 9]), ...chunk('tRNS', [1])];
    const file = octets(PNG, header(1, 1), own, pixels(1, 1), END);
    const { bytes } = read(file) ?? { bytes: new Uint8Array() };
    const at = Buffer.from(bytes).indexOf('PLTE') + 4;
    expect([...bytes.subarray(at, at + 6)]).toEqual([0, 0, 0, 255, 0, 0]);
    expect(chunksOf(bytes).filter((name) => /PLTE|tRNS/.test(name))).toEqual(['PLTE 768', 'tRNS 256']);
  });

  test('of another colour type keeps its transparency and loses profiles, text and animation', () => {
    const extra = ['iCCP', 'zTXt', 'acTL', 'fcTL', 'fdAT', 'PLTE'].flatMap((type) => chunk(type, [1, 2, 3]));
    const file = octets(PNG, header(1, 1, 8, 2), extra, chunk('tRNS', [0, 0, 0, 0, 0, 0]), pixels(1, 1), END);
    expect(chunksOf(read(file)?.bytes ?? new Uint8Array()).map((name) => name.slice(0, 4))).toEqual([
      'IHDR',
      'tRNS',
      'IDAT',
      'IEND',
    ]);
  });

  test.each([
    ['65,535 pixels wide and high', octets(PNG, header(65_535, 65_535), pixels(1, 1), END)],
    ['4096x4096', octets(PNG, header(4096, 4096), pixels(1, 1), END)],
    ['without a height', octets(PNG, header(4, 0), pixels(1, 1), END)],
    ['without data', octets(PNG, header(4, 4), END)],
    ['with a header of the wrong length', octets(PNG, chunk('IHDR', [0, 0, 0, 1]), pixels(1, 1), END)],
    ['with a chunk of 2^32-1 octets', octets(PNG, u32(0xffffffff), ascii('IHDR'), new Array(40).fill(0))],
    ['of HTML', octets(ascii('<html><script>1</script></html>'))],
    ['of SVG', octets(ascii('<svg xmlns="http://www.w3.org/2000/svg" onload="1"/>'))],
    ['of nothing', octets()],
  ])('%s is no picture', (_, file) => {
    expect(read(file)).toBeUndefined();
  });
});

describe('JPEG', () => {
  const segment = (marker: number, body: readonly number[]): number[] => [
    ...[0xff, marker],
    ...u16(body.length + 2),
    ...body,
  ];
  const frame = (width: number, height: number, components = 3): number[] =>
    segment(0xc0, [8, ...u16(height), ...u16(width), components, ...new Array(components * 3).fill(0)]);
  const scan = [...segment(0xda, [1, 1, 0, 0, 63, 0]), 1, 2, 0xff, 0, 3, 0xff, 0xd0, 4];
  const SOI = [0xff, 0xd8];
  const EOI = [0xff, 0xd9];
  const read = (...parts: number[][]) => readPicture(octets(...parts), DEFAULT_PALETTE);

  test('keeps what decoding needs; orientation, profile and comment are dropped', () => {
    const adobe = segment(0xee, [...ascii('Adobe'), 0, 100, 0, 0, 0, 0, 1]);
    const dropped = [
      segment(0xe1, ascii('Exif')),
      segment(0xe2, ascii('ICC_PROFILE')),
      segment(0xfe, [1]),
    ].flat();
    const picture = read(SOI, dropped, adobe, frame(8, 6), scan, EOI, ascii('<html>'));
    expect(picture).toMatchObject({ type: 'image/jpeg', width: 8, height: 6, isBt709: true });
    expect([...(picture?.bytes ?? [])]).toEqual([...SOI, ...adobe, ...frame(8, 6), ...scan, ...EOI]);
  });

  test('that Adobe declares as RGB, or that is grey, has no matrix to correct', () => {
    const rgb = segment(0xee, [...ascii('Adobe'), 0, 100, 0, 0, 0, 0, 0]);
    expect(read(SOI, rgb, frame(8, 6), scan, EOI)?.isBt709).toBe(false);
    expect(read(SOI, frame(8, 6, 1), scan, EOI)?.isBt709).toBe(false);
  });

  test('without its end is shown as far as it came', () => {
    expect(read(SOI, frame(8, 6), scan)?.bytes.at(-1)).toBe(0xd9);
  });

  test.each([
    ['20,000x20,000', [frame(20_000, 20_000), scan, EOI]],
    ['two frames, of which the second is large', [frame(8, 6), frame(20_000, 20_000), scan, EOI]],
    ['a height that follows later', [frame(8, 0), scan, EOI]],
    ['no scan', [frame(8, 6), EOI]],
    ['a scan before the frame', [scan, frame(8, 6), EOI]],
    ['10,000 scans', [frame(8, 6), ...new Array<number[]>(10_000).fill(scan), EOI]],
  ])('with %s is no picture', (_, parts) => {
    expect(read(SOI, ...parts)).toBeUndefined();
  });

  test('samples of BT.709 that were decoded by BT.601 are corrected; grey and alpha stay', () => {
    const [red, green, blue] = [160, 100, 90];
    const luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    const [cb, cr] = [(blue - luma) / 1.8556, (red - luma) / 1.5748];
    const decoded = [luma + 1.402 * cr, luma - 0.344136 * cb - 0.714136 * cr, luma + 1.772 * cb, 200];
    const data = Uint8ClampedArray.from([...decoded, 90, 90, 90, 7]);
    toBt709(data);
    for (const [index, expected] of [red, green, blue, 200].entries())
      expect(Math.abs((data[index] ?? 0) - expected)).toBeLessThanOrEqual(1);
    expect([...data.subarray(4)]).toEqual([90, 90, 90, 7]);
  });
});

describe('GIF', () => {
  const screen = (width: number): number[] => [
    ...ascii('GIF89a'),
    width,
    0,
    4,
    0,
    0x80,
    0,
    0,
    ...new Array(6).fill(0),
  ];
  const image = (width: number): number[] => [0x2c, 0, 0, 0, 0, width, 0, 4, 0, 0, 2, 2, 1, 1, 0];

  test('is cut after its first image', () => {
    const extension = [0x21, 0xf9, 1, 0, 0];
    const file = octets(screen(4), extension, image(4), image(4), [0x3b]);
    const picture = readPicture(file, DEFAULT_PALETTE);
    expect(picture).toMatchObject({ type: 'image/gif', width: 4, height: 4 });
    expect([...(picture?.bytes ?? [])]).toEqual([...octets(screen(4), extension, image(4), [0x3b])]);
  });

  test.each([
    ['an image larger than its screen', octets(screen(4), image(200), [0x3b])],
    ['no image', octets(screen(4), [0x3b])],
    ['its end missing', octets(screen(4), image(4).slice(0, 12))],
  ])('with %s is no picture', (_, file) => {
    expect(readPicture(file, DEFAULT_PALETTE)).toBeUndefined();
  });
});

describe('MNG', () => {
  const start = (ticks = 100, side = 16): number[] => [
    ...MNG,
    ...chunk('MHDR', [...u32(side), ...u32(side), ...u32(ticks), ...new Array(16).fill(0)]),
  ];
  const picture = [...header(2, 2), ...pixels(2, 2), ...END];
  const fram = (mode: number, delay?: readonly [change: number, ticks: number]): number[] =>
    chunk('FRAM', delay === undefined ? [mode] : [mode, 0, delay[0], 0, 0, 0, ...u32(delay[1])]);
  const defi = (x: number, y: number, isHidden = 0): number[] =>
    chunk('DEFI', [0, 0, isHidden, 0, ...u32(x), ...u32(y)]);
  const mend = chunk('MEND', []);
  const read = (...parts: number[][]) => readMng(octets(...parts), DEFAULT_PALETTE);
  const frames = (...parts: number[][]) =>
    read(start(), ...parts, mend)?.frames.map(
      ({ layers, isCleared, durationMs }) =>
        `${layers.map(({ x, y }) => `${x},${y}`).join(' ')} ${isCleared ? 'cleared ' : ''}${durationMs}`,
    );

  test('in framing mode 1 each image is a frame over the former ones', () => {
    expect(frames(fram(1, [2, 50]), picture, defi(3, 4), picture)).toEqual(['0,0 cleared 500', '3,4 500']);
  });
  test('in mode 2 the images up to the next FRAM are one frame', () => {
    expect(frames(fram(2, [2, 10]), picture, defi(1, 1), picture, fram(0), defi(2, 2), picture)).toEqual([
      '0,0 1,1 cleared 100',
      '2,2 100',
    ]);
  });
  test('in mode 3 and 4 the canvas is cleared', () => {
    expect(frames(fram(3, [2, 10]), picture, picture)).toEqual(['0,0 cleared 100', '0,0 cleared 100']);
    expect(frames(fram(4, [2, 10]), picture, picture, fram(0), picture)).toEqual([
      '0,0 0,0 cleared 100',
      '0,0 cleared 100',
    ]);
  });
  test('a delay of change 1 holds for one subframe', () => {
    expect(frames(fram(1, [2, 10]), picture, fram(1, [1, 30]), picture, fram(0), picture)).toEqual([
      '0,0 cleared 100',
      '0,0 300',
      '0,0 100',
    ]);
  });
  test('a hidden image is not shown; coordinates may be negative', () => {
    expect(frames(fram(1, [2, 10]), defi(0, 0, 1), picture, defi(-5, -6), picture)).toEqual([
      '-5,-6 cleared 100',
    ]);
  });
  test('a delay of 0 does not become a busy loop', () => {
    expect(frames(fram(1, [2, 0]), picture)).toEqual(['0,0 cleared 20']);
  });
  test.each([
    ['no TERM', [], 1],
    ['TERM 0', chunk('TERM', [0]), 1],
    ['TERM 3 five times', chunk('TERM', [3, 0, ...u32(0), ...u32(5)]), 5],
    ['TERM 3 for ever', chunk('TERM', [3, 0, ...u32(0), ...u32(0x7fffffff)]), Number.POSITIVE_INFINITY],
  ])('%s', (_, term, repeats) => {
    expect(read(start(), term, picture, mend)?.repeats).toBe(repeats);
  });
  test('the images take their colours from the CLUT', () => {
    expect(
      chunksOf(read(start(), picture)?.frames[0]?.layers[0]?.picture.bytes ?? new Uint8Array()),
    ).toContain('PLTE 768');
  });
  test('100,000 frames of one pixel, large images and no images are bounded', () => {
    const one = [...header(1, 1), ...pixels(1, 1), ...END];
    const many = Buffer.concat([
      Uint8Array.from(start()),
      ...new Array<Uint8Array>(100_000).fill(Uint8Array.from(one)),
    ]);
    expect(readMng(many, DEFAULT_PALETTE)?.frames).toHaveLength(512);
    const large = [...header(2000, 2000), ...pixels(1, 1), ...END];
    expect(read(start(), large, large, large, large)?.frames).toHaveLength(2);
    expect(read(start(100, 60_000), picture)).toBeUndefined();
    expect(read(start(), mend)).toBeUndefined();
    expect(read(start(0), picture)?.frames[0]?.durationMs).toBe(3_600_000);
  });
});

describe('DRCS', () => {
  const glyph = (code: number, ...fonts: number[][]): number[] => [
    ...u16(code),
    fonts.length,
    ...fonts.flat(),
  ];

  test('of 4 levels, 2 bits a pixel', () => {
    const file = Uint8Array.from([1, ...glyph(0x2121, [0x11, 2, 4, 2, 0b00011011, 0b11100100])]);
    expect(readDrcs(file)).toEqual([
      {
        code: 0xa1a1,
        fontId: 1,
        width: 4,
        height: 2,
        maximum: 3,
        pixels: Uint8Array.of(0, 1, 2, 3, 3, 2, 1, 0),
      },
    ]);
  });
  test('of 2 levels, whose rows are not aligned to octets', () => {
    const file = Uint8Array.from([1, ...glyph(0x2122, [0x20, 0, 3, 3, 0b10101011, 0b10000000])]);
    expect([...(readDrcs(file)[0]?.pixels ?? [])]).toEqual([1, 0, 1, 0, 1, 0, 1, 1, 1]);
  });
  test('glyphs without a width, geometric ones and damaged ones leave the others', () => {
    const empty = [0x11, 0, 0, 9];
    const geometric = [0x12, 1, 1, 0, 2, 7, 7];
    const good = [0x31, 0, 1, 1, 0x80];
    expect(
      readDrcs(Uint8Array.from([2, ...glyph(0x2121, empty, geometric, good), ...glyph(0x2122, good)])),
    ).toMatchObject([
      { code: 0xa1a1, fontId: 3 },
      { code: 0xa1a2, fontId: 3 },
    ]);
    expect(
      readDrcs(Uint8Array.from([2, ...glyph(0x2121, good), 0x21, 0x22, 1, 0x11, 0, 200, 200, 1])),
    ).toHaveLength(1);
    expect(readDrcs(new Uint8Array())).toEqual([]);
  });
  test('65,025 glyphs are bounded', () => {
    const one = [0x11, 0, 8, 1, 0xff];
    const file = Uint8Array.from([
      255,
      ...new Array(255).fill(glyph(0x2121, ...new Array(255).fill(one))).flat(),
    ]);
    expect(readDrcs(file)).toHaveLength(2048);
  });
});
