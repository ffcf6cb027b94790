import { describe, expect, test } from 'bun:test';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccessUnit, MediaError } from './access-units.ts';
import { loopToBytes, readLoop } from './loop.ts';
import { audioLoop, videoLoop, writeStamps } from './packetise.ts';

const FRAME = 3_003;

/** Pictures of given sizes, one after the other, decoded one frame time before they are shown. */
function pictures(...sizes: number[]): { bytes: Uint8Array; units: AccessUnit[]; period: number } {
  let start = 0;
  const units = sizes.map((size, index): AccessUnit => {
    const unit = {
      start,
      end: start + size,
      pts: index * FRAME,
      dts: (index - 1) * FRAME,
      randomAccess: index === 0,
    };
    start += size;
    return unit;
  });
  return { bytes: new Uint8Array(start).fill(0x55), units, period: sizes.length * FRAME };
}

describe('video', () => {
  test('is cut into packets that begin with a PES header and end with stuffing in front', () => {
    const { bytes, units, period } = pictures(300, 10);
    const { packets, unitPacket } = videoLoop(bytes, units, period, 1e6);
    expect([...unitPacket]).toEqual([0, 2]);
    // PUSI; adaptation field of one byte with random_access_indicator.
    expect([...packets.subarray(0, 6)]).toEqual([0x47, 0x40, 0x00, 0x30, 0x01, 0x40]);
    // PES of video, no length, data aligned, PTS and DTS, ten bytes of them.
    expect([...packets.subarray(6, 15)]).toEqual([0, 0, 1, 0xe0, 0, 0, 0x84, 0xc0, 10]);
    // 182 - 19 of 300 bytes were in the first; the other 137 are at the end of the second, after 46 of adaptation.
    expect([...packets.subarray(188, 194)]).toEqual([0x47, 0x00, 0x00, 0x30, 46, 0]);
    expect(packets.subarray(188 + 4 + 47, 376).every((byte) => byte === 0x55)).toBe(true);
    expect(packets[188 + 4 + 46]).toBe(0xff);
  });

  test('leaves evenly and in time for its decoding', () => {
    const { bytes, units, period } = pictures(60_000, 2_000, 2_000, 2_000);
    const { due, unitPacket } = videoLoop(bytes, units, period, 1e6);
    const interval = period / due.length;
    for (const [index, at] of due.slice(1).entries()) {
      expect(Math.abs(at - (due[index] ?? 0) - interval)).toBeLessThanOrEqual(1);
    }
    for (const [index, unit] of units.entries()) {
      const last = (unitPacket[index + 1] ?? due.length) - 1;
      expect(due[last] ?? 0).toBeLessThan(unit.dts);
    }
  });

  test('that a decoder could not hold is refused', () => {
    const { bytes, units, period } = pictures(60_000, 2_000, 2_000, 2_000);
    expect(() => videoLoop(bytes, units, period, 100_000)).toThrow(MediaError);
  });
});

test('audio frames fill their own time and carry their length', () => {
  const { packets, due, unitPacket, unitPts, period } = audioLoop(
    [new Uint8Array(400), new Uint8Array(100)],
    1_920,
  );
  expect([...unitPacket]).toEqual([0, 3]);
  expect([...unitPts]).toEqual([0, 1_920]);
  expect(period).toBe(3_840);
  expect([...due]).toEqual([-8_100, -7_460, -6_820, -6_180]);
  // PES of audio; 400 + 8 bytes follow the length; PTS only.
  expect([...packets.subarray(4, 13)]).toEqual([0, 0, 1, 0xc0, 0x01, 0x98, 0x84, 0x80, 5]);
});

test('time stamps are written within their wrap, with their marker bits', () => {
  const { bytes, units, period } = pictures(20);
  const { packets } = videoLoop(bytes, units, period, 1e6);
  writeStamps(packets, 0, 2 ** 33 + 1, 2 ** 33 - 1);
  const at = packets.indexOf(10, 8) + 1;
  // '0011' PTS 000 1, 15 bits 1, 15 bits 1; '0001' DTS, all ones.
  expect([...packets.subarray(at, at + 10)]).toEqual([0x31, 0, 1, 0, 3, 0x1f, 0xff, 0xff, 0xff, 0xff]);
});

test('a loop is the same after the cache', async () => {
  const { bytes, units, period } = pictures(500, 20, 20);
  const loop = videoLoop(bytes, units, period, 1e6);
  const path = join(tmpdir(), `loop-${process.pid}.test`);
  await Bun.write(path, loopToBytes(loop));
  expect(readLoop(path)).toEqual(loop);
  await Bun.file(path).delete();
});
