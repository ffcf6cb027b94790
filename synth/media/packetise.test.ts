import { describe, expect, test } from 'bun:test';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccessUnit, MediaError } from './access-units.ts';
import { loopToBytes, readLoop } from './loop.ts';
import { audioLoop, spreadPackets, type VideoShape, videoLoop, writeStamps } from './packetise.ts';

const FRAME = 3_003;

/** Pictures of given sizes in one group, each decoded one frame time before its presentation. */
function pictures(...sizes: number[]): { bytes: Uint8Array; units: AccessUnit[]; shape: VideoShape } {
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
  const bitrate = (start * 8 * 90_000) / (sizes.length * FRAME);
  const shape = { groupUnits: sizes.length, unitTicks: FRAME, bitrate, bufferBits: 1e6, lead: 20_000 };
  return { bytes: new Uint8Array(start).fill(0x55), units, shape };
}

/** Bytes of a packet outside its payload. */
function overhead(packet: Uint8Array): number {
  return 4 + (((packet[3] ?? 0) & 0x20) === 0 ? 0 : 1 + (packet[4] ?? 0));
}

describe('video', () => {
  test('is cut into packets that begin with a PES header', () => {
    const { bytes, units, shape } = pictures(300, 100);
    const { packets, unitPacket } = videoLoop(bytes, units, shape);
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

  test('comes in groups of a whole round of the continuity counter', () => {
    const { bytes, units, shape } = pictures(300, 100);
    const { packets, groupPacket } = videoLoop(bytes, units, shape);
    expect([...groupPacket]).toEqual([0, 16]);
    // The last picture, 19 + 100 bytes, is spread over the remaining 14 packets, its header in the first.
    const shares = Array.from({ length: 14 }, (_, index) => {
      const at = (index + 2) * 188;
      return 188 - overhead(packets.subarray(at, at + 188));
    });
    expect(shares).toEqual([19, ...Array(9).fill(8), ...Array(4).fill(7)]);
  });

  test('is sent evenly and in time for its decoding', () => {
    const { bytes, units, shape } = pictures(60_000, 2_000, 2_000, 2_000);
    const { groupPacket, groupLead, unitPacket, groupTicks } = videoLoop(bytes, units, shape);
    const count = groupPacket.at(-1) ?? 0;
    expect(groupTicks).toBe(4 * FRAME);
    for (const [index, unit] of units.entries()) {
      const last = (unitPacket[index + 1] ?? count) - 1;
      expect((groupLead[0] ?? 0) + (last / count) * groupTicks).toBeLessThan(unit.dts);
    }
  });

  test('that a decoder could not buffer is refused', () => {
    const { bytes, units, shape } = pictures(60_000, 2_000, 2_000, 2_000);
    expect(() => videoLoop(bytes, units, { ...shape, bufferBits: 100_000 })).toThrow(MediaError);
  });

  test('that would arrive too late is refused', () => {
    const { bytes, units, shape } = pictures(60_000, 2_000, 2_000, 2_000);
    expect(() => videoLoop(bytes, units, { ...shape, lead: 10_000 })).toThrow(MediaError);
  });
});

test('audio frames last exactly their time and contain their length', () => {
  const loop = audioLoop([new Uint8Array(400), new Uint8Array(100)], 1_920);
  expect([...loop.unitPacket]).toEqual([0, 3]);
  expect([...loop.unitPts]).toEqual([0, 1_920]);
  expect([...loop.groupPacket]).toEqual([0, 3, 4]);
  expect([...loop.groupLead]).toEqual([-8_100, -8_100]);
  expect(loop.groupTicks).toBe(1_920);
  // PES of audio; 400 + 8 bytes follow the length; PTS only.
  expect([...loop.packets.subarray(4, 13)]).toEqual([0, 0, 1, 0xc0, 0x01, 0x98, 0x84, 0x80, 5]);
});

test('a unit spread over more packets keeps its bytes and its random access mark', () => {
  const { bytes, units, shape } = pictures(500, 100);
  const { packets } = videoLoop(bytes, units, shape);
  const unit = packets.subarray(0, 3 * 188);
  const spread = spreadPackets(unit, 7);
  const payload = (of: Uint8Array): number[] =>
    Array.from({ length: of.length / 188 }, (_, index) =>
      of.subarray(index * 188, (index + 1) * 188),
    ).flatMap((packet) => [...packet.subarray(overhead(packet))]);
  expect(spread.length / 188).toBe(7);
  expect(payload(spread)).toEqual(payload(unit));
  expect(spread[1]).toBe(0x40);
  expect(spread[5]).toBe(0x40);
  expect(spread[188 + 1]).toBe(0);
});

test('a unit of too few bytes for that gets stuffing in its header', () => {
  const { packets } = audioLoop([new Uint8Array(10).fill(0x55)], 1_920);
  const spread = spreadPackets(packets, 16);
  const shares = Array.from({ length: 16 }, (_, index) => {
    const packet = spread.subarray(index * 188, (index + 1) * 188);
    return [...packet.subarray(overhead(packet))];
  });
  // 14 bytes of header and 10 of payload do not fill 16 packets: 5 bytes of stuffing, counted in both lengths.
  expect(shares[0]?.slice(0, 9)).toEqual([0, 0, 1, 0xc0, 0, 8 + 5 + 10, 0x84, 0x80, 5 + 5]);
  expect(shares.map((share) => share.length)).toEqual([14, ...Array(15).fill(1)]);
  expect(shares.slice(1).flat()).toEqual([...Array(5).fill(0xff), ...Array(10).fill(0x55)]);
});

test('time stamps are written within their wrap, with their marker bits', () => {
  const { bytes, units, shape } = pictures(20, 20);
  const { packets } = videoLoop(bytes, units, shape);
  writeStamps(packets, 0, 2 ** 33 + 1, 2 ** 33 - 1);
  const at = packets.indexOf(10, 8) + 1;
  // '0011' PTS 000 1, 15 bits 1, 15 bits 1; '0001' DTS, all ones.
  expect([...packets.subarray(at, at + 10)]).toEqual([0x31, 0, 1, 0, 3, 0x1f, 0xff, 0xff, 0xff, 0xff]);
});

test('a loop is unchanged after storing it in the cache', async () => {
  const { bytes, units, shape } = pictures(500, 20, 20);
  const loop = videoLoop(bytes, units, shape);
  const path = join(tmpdir(), `loop-${process.pid}.test`);
  await Bun.write(path, loopToBytes(loop));
  expect(readLoop(path)).toEqual(loop);
  await Bun.file(path).delete();
});
