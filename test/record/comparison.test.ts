/** Tests the comparison of a recording with the sent stream, on streams with known losses. */
import { expect, test } from 'bun:test';
import { PACKET } from '../stream-builder.ts';
import { compare } from './test-broadcast.ts';

const VIDEO = 0x100;
const AUDIO = 0x110;
const CLOCK = 0x1ff;
/** Pictures and sound repeat after this many packets, like the films of the synthetic broadcast. */
const LOOP = 40;
/** A clock reference follows after this many packets. */
const CLOCK_EVERY = 8;

/** A packet identified only by its number; clock references carry no payload. */
function packet(pid: number, number: number): Uint8Array {
  const bytes = new Uint8Array(PACKET).fill(0xff);
  const control = pid === CLOCK ? 0x20 : 0x10;
  bytes.set([0x47, pid >> 8, pid & 0xff, control, pid === CLOCK ? 183 : 0, 0, number >> 8, number & 0xff]);
  return bytes;
}

const STREAM = Array.from({ length: 10 * LOOP }, (_, index) => {
  if (index % CLOCK_EVERY === 0) return packet(CLOCK, index);
  return packet(index % 5 === 1 ? AUDIO : VIDEO, index % LOOP);
});
const SENT = Buffer.concat(STREAM);
const recorded = (...parts: (readonly Uint8Array[])[]): Buffer => Buffer.concat(parts.flat());

test('a complete recording has no loss', () => {
  expect(compare(SENT, SENT)).toEqual({ foreign: 0, missing: 0, places: 0, holes: 0 });
});

test('a hole longer than several loops is one hole of its true length', () => {
  const found = compare(recorded(STREAM.slice(0, 60), STREAM.slice(190)), SENT);
  expect(found).toEqual({ foreign: 0, missing: 130, places: 2, holes: 1 });
});

test('clock references restamped by the next tuning do not split one hole into two', () => {
  const own = [packet(CLOCK, 5000), packet(CLOCK, 5001)] as const;
  const next = [...STREAM.slice(193, 195), own[0], ...STREAM.slice(195, 198), own[1], ...STREAM.slice(198)];
  const found = compare(recorded(STREAM.slice(0, 60), next), SENT);
  expect(found).toEqual({ foreign: 0, missing: 133, places: 2, holes: 1 });
});

test('two holes and a foreign packet are counted', () => {
  const holes = compare(recorded(STREAM.slice(0, 60), STREAM.slice(90, 150), STREAM.slice(200)), SENT);
  expect(holes).toEqual({ foreign: 0, missing: 80, places: 4, holes: 2 });
  const foreign = compare(recorded(STREAM.slice(0, 60), [packet(VIDEO, 999)], STREAM.slice(60)), SENT);
  expect(foreign).toMatchObject({ foreign: 1, missing: 0, holes: 0 });
});
