/**
 * Pictures of the pages as broadcasters send them: PNG and MNG of colour numbers whose own palette, if any, is wrong
 * and must be ignored (ARIB STD-B24 vol. 2 part 2, 5.2), and baseline JPEG (ISO/IEC 10918-1).
 */
import { chunk, indexedChunks, palettelessPng, SIGNATURE } from '../logo/picture.ts';
import { ByteWriter, concat } from '../si/bytes.ts';
import { colour } from './clut.ts';

/** Colour number at a point; both coordinates from -1 to 1. */
type Drawing = (x: number, y: number) => number;

const CLEAR = colour('clear');
const disc = (x: number, y: number, cx: number, cy: number, r: number) =>
  (x - cx) ** 2 + (y - cy) ** 2 <= r * r;
const isCloud = (x: number, y: number) =>
  disc(x, y, -0.35, 0.15, 0.35) || disc(x, y, 0.05, -0.05, 0.42) || disc(x, y, 0.45, 0.2, 0.32);

const SYMBOLS = {
  sun: (x, y) => {
    const rays = Math.cos(8 * Math.atan2(y, x)) > 0.2 && Math.hypot(x, y) < 0.9;
    return disc(x, y, 0, 0, 0.55) || (rays && Math.hypot(x, y) > 0.65) ? colour('sun') : CLEAR;
  },
  cloud: (x, y) => (isCloud(x, y) ? colour('cloud') : CLEAR),
  rain: (x, y) => {
    if (isCloud(x, y + 0.25)) return colour('cloud');
    const drops = y > 0.3 && y < 0.85 && Math.abs(x) < 0.7 && Math.sin(14 * x + 4 * y) > 0.6;
    return drops ? colour('rain') : CLEAR;
  },
  news: (x, y) => {
    if (Math.abs(x) > 0.8 || Math.abs(y) > 0.8) return CLEAR;
    return Math.abs(y) < 0.6 && Math.floor((y + 0.6) * 10) % 3 === 1 ? colour('ink') : colour('pale');
  },
  ball: (x, y) => {
    if (!disc(x, y, 0, 0, 0.8)) return CLEAR;
    return Math.abs(Math.hypot(x - 1.1, y) - 0.8) < 0.06 || Math.abs(Math.hypot(x + 1.1, y) - 0.8) < 0.06
      ? colour('red')
      : colour('white');
  },
  gear: (x, y) => {
    const r = Math.hypot(x, y);
    const tooth = Math.cos(8 * Math.atan2(y, x)) > 0 ? 0.85 : 0.65;
    return r < tooth && r > 0.3 ? colour('grey2') : CLEAR;
  },
  note: (x, y) => {
    const head = disc(x, y, -0.2, 0.55, 0.28);
    const stem = x > 0 && x < 0.12 && y > -0.8 && y < 0.55;
    return head || stem || (y < -0.5 && y > -0.8 && x >= 0 && x < 0.5) ? colour('leaf') : CLEAR;
  },
  antenna: (x, y) => {
    const r = Math.hypot(x, y + 0.2);
    const isWave = y < 0.1 && Math.abs(x) > 0.25 && (Math.abs(r - 0.5) < 0.07 || Math.abs(r - 0.78) < 0.07);
    return disc(x, y, 0, -0.2, 0.16) || isWave || (Math.abs(x) < 0.08 && y > -0.2 && y < 0.8)
      ? colour('pale')
      : CLEAR;
  },
} as const satisfies Record<string, Drawing>;

function numbersOf(width: number, height: number, draw: Drawing): Uint8Array {
  return Uint8Array.from({ length: width * height }, (_, index) => {
    const x = ((index % width) + 0.5) / width;
    const y = (Math.floor(index / width) + 0.5) / height;
    return draw(2 * x - 1, 2 * y - 1);
  });
}

/** @param withPalette the picture has a PLTE and a tRNS, whose colours are wrong */
export function symbolPng(symbol: keyof typeof SYMBOLS, size: number, withPalette: boolean): Uint8Array {
  const numbers = numbersOf(size, size, SYMBOLS[symbol]);
  if (!withPalette) return palettelessPng(size, size, numbers);
  const colours = Uint8Array.from({ length: 768 }, (_, at) => (at * 37) & 0xff);
  const wrong = [chunk('PLTE', colours), chunk('tRNS', new Uint8Array(256).fill(0x80))];
  return concat([SIGNATURE, ...indexedChunks(size, size, numbers, wrong)]);
}

const MNG_SIGNATURE = Uint8Array.of(0x8a, 0x4d, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const TICKS = 100;
const FRAME_DELAY = 40;

/** A sun that turns: four frames of 0.4 s, three times. */
export function turningSunMng(size: number): Uint8Array {
  const frames = [0, 1, 2, 3].map((step) => {
    const angle = (step * Math.PI) / 16;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    const draw: Drawing = (x, y) => SYMBOLS.sun(c * x - s * y, s * x + c * y);
    return indexedChunks(size, size, numbersOf(size, size, draw));
  });
  const header = [size, size, TICKS, frames.length + 1, frames.length, frames.length * FRAME_DELAY, 1];
  const mhdr = header.reduce((body, value) => body.u32(value), new ByteWriter());
  // Repeat, then show the last frame; no delay, three iterations.
  const term = new ByteWriter().u8(3).u8(0).u32(0).u32(3);
  // Framing mode 1, no name; the delay between frames is changed for the following ones.
  const fram = new ByteWriter().u8(1).u8(0).u8(2).u8(0).u8(0).u8(0).u32(FRAME_DELAY);
  // Object 0, shown, abstract, at the origin.
  const defi = new ByteWriter().u16(0).u8(0).u8(0).u32(0).u32(0);
  return concat([
    MNG_SIGNATURE,
    chunk('MHDR', mhdr.done()),
    chunk('TERM', term.done()),
    chunk('FRAM', fram.done()),
    ...frames.flatMap((frame) => [chunk('DEFI', defi.done()), ...frame]),
    chunk('MEND', new Uint8Array(0)),
  ]);
}

/** Number of codes by length, and the codes of the sizes of DC differences: ISO/IEC 10918-1 table K.3. */
const DC_COUNTS = [0, 1, 5, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0];
const DC_CODES = ['00', '010', '011', '100', '101', '110', '1110', '11110', '111110', '1111110', '11111110'];
/** Only "end of block", with the code 0. */
const AC_COUNTS = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
const QUANTIZER = 8;

function segment(marker: number, body: ArrayLike<number>): Uint8Array {
  return new ByteWriter()
    .u8(0xff)
    .u8(marker)
    .u16(body.length + 2)
    .bytes(body)
    .done();
}

/** Bits of a DC difference: its size, then its value. */
function dcBits(difference: number): string {
  const size = 32 - Math.clz32(Math.abs(difference));
  const value = difference < 0 ? difference + (1 << size) - 1 : difference;
  return `${DC_CODES[size]}${size === 0 ? '' : value.toString(2).padStart(size, '0')}`;
}

/**
 * A picture of blocks of eight by eight points, each of one colour. @param of Y, Cb and Cr of a block, whose column
 * and row are given from 0 to 1
 */
export function blockJpeg(width: number, height: number, of: (x: number, y: number) => number[]): Uint8Array {
  const [columns, rows] = [Math.ceil(width / 8), Math.ceil(height / 8)];
  const last = [0, 0, 0];
  const parts: string[] = [];
  for (let index = 0; index < columns * rows; index++) {
    const block = of((index % columns) / columns, Math.floor(index / columns) / rows);
    for (const [component, value] of block.entries()) {
      // The DC coefficient of a constant block is eight times its level.
      const level = Math.round((8 * (value - 128)) / QUANTIZER);
      parts.push(`${dcBits(level - (last[component] ?? 0))}0`);
      last[component] = level;
    }
  }
  const bits = parts.join('');
  const scan: number[] = [];
  for (let at = 0; at < bits.length; at += 8) {
    const octet = Number.parseInt(bits.slice(at, at + 8).padEnd(8, '1'), 2);
    scan.push(octet);
    if (octet === 0xff) scan.push(0);
  }
  const components = [1, 2, 3];
  const frame = new ByteWriter().u8(8).u16(height).u16(width).u8(3);
  for (const id of components) frame.u8(id).u8(0x11).u8(0);
  return concat([
    Uint8Array.of(0xff, 0xd8),
    segment(0xdb, [0, ...Array<number>(64).fill(QUANTIZER)]),
    segment(0xc0, frame.done()),
    segment(0xc4, [0x00, ...DC_COUNTS, ...DC_CODES.keys()]),
    segment(0xc4, [0x10, ...AC_COUNTS, 0]),
    segment(0xda, [3, ...components.flatMap((id) => [id, 0x00]), 0, 63, 0]),
    Uint8Array.from(scan),
    Uint8Array.of(0xff, 0xd9),
  ]);
}
