import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { StreamBuilder } from '../../test/stream-builder.ts';
import { PacketFramer } from './framer.ts';

/** Packets whose payload never holds a sync byte, numbered so that none equals another. */
function stream(packets: number): Uint8Array {
  const builder = new StreamBuilder();
  for (let n = 0; n < packets; n++) {
    const payload = new Uint8Array(184).fill(n & 0x3f);
    payload[0] = n >> 6;
    builder.packet(0x100, { payload });
  }
  return builder.bytes();
}

function concat(...parts: Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function frame(framer: PacketFramer, bytes: Uint8Array, sizes: readonly number[]): Uint8Array {
  const out: Uint8Array[] = [];
  let at = 0;
  for (let n = 0; at < bytes.length; n++) {
    const size = sizes[n % sizes.length] ?? bytes.length;
    out.push(framer.feed(bytes.subarray(at, at + size)).slice());
    at += size;
  }
  out.push(framer.flush());
  return concat(...out);
}

describe('the framer', () => {
  test('passes aligned packets on as a view', () => {
    const bytes = stream(8);
    const framed = new PacketFramer().feed(bytes);
    expect(framed).toEqual(bytes);
    expect(framed.buffer).toBe(bytes.buffer);
  });

  test('finds the first packet behind other bytes', () => {
    const framer = new PacketFramer();
    const bytes = stream(8);
    expect(framer.feed(concat(Uint8Array.of(1, 0x47, 3), bytes))).toEqual(bytes);
    expect(framer.skippedBytes).toBe(3);
    expect(framer.syncErrors).toBe(0);
  });

  test('does not believe a sync byte that no others follow', () => {
    const framer = new PacketFramer();
    const noise = new Uint8Array(1000).fill(0x46);
    noise[100] = 0x47;
    noise[288] = 0x47;
    noise[476] = 0x47;
    expect(framer.feed(noise)).toHaveLength(0);
    expect(framer.feed(stream(8))).toEqual(stream(8));
  });

  test('finds sync again after bytes were lost in the middle of a packet', () => {
    const bytes = stream(20);
    const broken = concat(bytes.subarray(0, 5 * 188 + 70), bytes.subarray(6 * 188 + 100));
    const framer = new PacketFramer();
    const framed = framer.feed(broken);
    // The packet that was cut swallows the beginning of a later one: both are lost, everything else is there.
    expect(framed.subarray(0, 5 * 188)).toEqual(bytes.subarray(0, 5 * 188));
    expect(framed.subarray(6 * 188)).toEqual(bytes.subarray(8 * 188));
    expect(framer.syncErrors).toBe(1);
  });

  test('drops the packet whose sync byte is damaged, and no other', () => {
    const bytes = stream(20);
    const damaged = bytes.slice();
    damaged[7 * 188] = 0x00;
    const framer = new PacketFramer();
    expect(framer.feed(damaged)).toEqual(concat(bytes.subarray(0, 7 * 188), bytes.subarray(8 * 188)));
    expect(framer.syncErrors).toBe(1);
    expect(framer.skippedBytes).toBe(188);
  });

  test('finds sync again wherever a chunk ends', () => {
    const bytes = stream(24);
    const broken = concat(
      Uint8Array.of(9, 9),
      bytes.subarray(0, 1000),
      bytes.subarray(1400),
      Uint8Array.of(7),
    );
    const whole = new PacketFramer();
    const expected = frame(whole, broken, [broken.length]);
    for (let cut = 1; cut < broken.length; cut++) {
      const framer = new PacketFramer();
      const framed = frame(framer, broken, [cut, broken.length]);
      if (!Buffer.from(framed).equals(Buffer.from(expected))) throw new Error(`differs when cut at ${cut}`);
      expect(framer.skippedBytes).toBe(whole.skippedBytes);
      expect(framer.syncErrors).toBe(whole.syncErrors);
    }
  });

  test('gives the same packets for any chunks of any bytes', () => {
    // Mostly packets, with pieces of noise and of cut packets between them.
    const piece = fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: 1, max: 12 }).map(stream) },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 400 }) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 187 }).map((n) => stream(1).subarray(0, n)) },
    );
    const sizes = fc.array(fc.integer({ min: 1, max: 2000 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), sizes, (pieces, chunkSizes) => {
        const bytes = concat(...pieces);
        const whole = new PacketFramer();
        const split = new PacketFramer();
        expect(frame(split, bytes, chunkSizes)).toEqual(frame(whole, bytes, [bytes.length + 1]));
        expect(split.skippedBytes).toBe(whole.skippedBytes);
        expect(split.syncErrors).toBe(whole.syncErrors);
      }),
      { numRuns: 200 },
    );
  });

  test('accounts for every byte', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), (bytes) => {
        const framer = new PacketFramer();
        const framed = frame(framer, bytes, [500]);
        expect(framed.length % 188).toBe(0);
        expect(framed.length + framer.skippedBytes).toBe(bytes.length);
      }),
    );
  });
});

describe('the end of a stream', () => {
  test('gives packets that were too few to be confirmed', () => {
    const framer = new PacketFramer();
    expect(framer.feed(stream(2))).toHaveLength(0);
    expect(framer.flush()).toEqual(stream(2));
  });

  test('gives nothing twice', () => {
    const framer = new PacketFramer();
    expect(framer.feed(stream(9))).toEqual(stream(9));
    expect(framer.flush()).toHaveLength(0);
  });
});
