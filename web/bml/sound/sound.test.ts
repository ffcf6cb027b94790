import { describe, expect, test } from 'bun:test';
import { createRomSound, readAdts, readAiff } from './sound.ts';

const u16 = (value: number): number[] => [(value >> 8) & 255, value & 255];
const u32 = (value: number): number[] => [...u16(value >>> 16), ...u16(value)];
const ascii = (text: string): number[] => [...Buffer.from(text, 'latin1')];
const chunk = (type: string, data: number[]): number[] => [
  ...ascii(type),
  ...u32(data.length),
  ...data,
  ...(data.length % 2 === 1 ? [0] : []),
];
/** 12,000 as an extended number: 2^13 × 1.46484375. */
const RATE_12000 = [0x40, 0x0c, 0xbb, 0x80, 0, 0, 0, 0, 0, 0];

function aiff(parts: {
  form?: string;
  bits?: number;
  channels?: number;
  frames?: number;
  type?: string;
  data: number[];
}) {
  const { form = 'AIFC', bits = 16, channels = 1, frames = 2, type = 'NONE', data } = parts;
  const common = [...u16(channels), ...u32(frames), ...u16(bits), ...RATE_12000, ...ascii(type), 0, 0];
  const body = [
    ...ascii(form),
    ...chunk('FVER', [0xa2, 0x80, 0x51, 0x40]),
    ...chunk('COMM', common),
    ...chunk('SSND', [...u32(0), ...u32(0), ...data]),
  ];
  return Uint8Array.from([...ascii('FORM'), ...u32(body.length), ...body]);
}

describe('AIFF', () => {
  test.each([
    ['16 bits', { data: [0x40, 0, 0xc0, 0] }, [[0.5, -0.5]]],
    ['little-endian', { type: 'sowt', data: [0, 0x40, 0, 0xc0] }, [[0.5, -0.5]]],
    ['8 bits', { bits: 8, data: [64, 192] }, [[0.5, -0.5]]],
    ['two channels', { channels: 2, frames: 1, data: [0x40, 0, 0xc0, 0] }, [[0.5], [-0.5]]],
    ['fewer samples than declared', { frames: 0xffffffff, data: [0x40, 0, 0xc0, 0, 1] }, [[0.5, -0.5]]],
  ])('%s', (_, parts, expected) => {
    const sound = readAiff(aiff(parts));
    expect(sound?.rate).toBe(12_000);
    expect(sound?.channels.map((channel) => [...channel])).toEqual(expected);
  });

  test.each([
    ['compressed', aiff({ type: 'ima4', data: [1, 2, 3, 4] })],
    ['a hundred channels', aiff({ channels: 100, data: [1, 2, 3, 4] })],
    ['no samples', aiff({ data: [] })],
    ['another form', aiff({ form: 'WAVE', data: [1, 2, 3, 4] })],
    ['truncated', aiff({ data: [1, 2, 3, 4] }).subarray(0, 40)],
    ['empty', new Uint8Array()],
  ])('%s is none', (_, file) => {
    expect(readAiff(file)).toBeUndefined();
  });
});

describe('ADTS', () => {
  /** 48 kHz, two channels. */
  const frame = (length: number): number[] => [
    ...[0xff, 0xf9, 0x4c, 0x80 | (length >> 11), (length >> 3) & 255, ((length & 7) << 5) | 0x1f, 0xfc],
    ...new Array(length - 7).fill(0),
  ];

  test('whole frames are kept, with their duration', () => {
    const file = Uint8Array.from([...frame(20), ...frame(30), ...frame(40).slice(0, 10)]);
    expect(readAdts(file)).toEqual({ bytes: file.slice(0, 50), durationMs: (2 * 1024 * 1000) / 48_000 });
  });
  test('an endless one is cut at a minute', () => {
    const file = Uint8Array.from(new Array(6000).fill(frame(10)).flat());
    expect(readAdts(file)?.durationMs).toBeLessThanOrEqual(60_000);
  });
  test.each([
    ['noise', [1, 2, 3, 4, 5, 6, 7, 8]],
    ['a length below the header', [0xff, 0xf9, 0x4c, 0x80, 0, 0, 0]],
    ['nothing', []],
  ])('%s is no sound', (_, file) => {
    expect(readAdts(Uint8Array.from(file))).toBeUndefined();
  });
});

test('the receiver has 14 sounds, audible, short and not clipped', () => {
  for (let number = 0; number < 14; number++) {
    const samples = createRomSound(number)?.channels[0] ?? new Float32Array();
    const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    expect(peak).toBeGreaterThan(0.1);
    expect(peak).toBeLessThan(1);
    expect(samples.length / 24_000).toBeLessThan(2);
  }
  for (const number of [14, -1, 0.5, Number.NaN]) expect(createRomSound(number)).toBeUndefined();
});
