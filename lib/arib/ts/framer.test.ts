import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { StreamBuilder } from '../../../test/stream-builder.ts';
import { PacketFramer } from './framer.ts';

/** Packets without a sync byte in their payload, numbered so that all differ. */
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

  test('finds the first packet after other bytes', () => {
    const framer = new PacketFramer();
    const bytes = stream(8);
    expect(framer.feed(concat(Uint8Array.of(1, 0x47, 3), bytes))).toEqual(bytes);
    expect(framer.skippedBytes).toBe(3);
    expect(framer.syncErrors).toBe(0);
  });

  test('ignores a sync byte that is not followed by others', () => {
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
    // The truncated packet swallows the beginning of a later one: both are lost, everything else is output.
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

  test('gives the same packets however the bytes are chunked', () => {
    // Mostly packets, with noise and truncated packets between them.
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

/** Each packet with octets before or after it, sync bytes among them. */
function padded(packets: Uint8Array, before: number, after: number): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < packets.length; at += 188) {
    const noise = Uint8Array.from({ length: before + after }, (_, n) => (at * 7 + n * 31) & 0xff);
    // Not in all packets: a byte repeated at every packet distance would be a sync byte by definition.
    if ((at / 188) % 3 === 0) noise[(at / 188) % (before + after)] = 0x47;
    parts.push(noise.subarray(0, before), packets.subarray(at, at + 188), noise.subarray(before));
  }
  return concat(...parts);
}

describe.each([
  ['192 octets apart, time stamp first', 4, 0],
  ['204 octets apart, parity last', 0, 16],
] as const)('packets %s', (_, before, after) => {
  const stride = 188 + before + after;

  test('are found however the stream is chunked', () => {
    const bytes = stream(40);
    for (const sizes of [[7680], [1], [188], [stride], [613], [3, 1000, 61], [stride - 1, stride + 1]]) {
      const framer = new PacketFramer();
      expect(frame(framer, padded(bytes, before, after), sizes)).toEqual(bytes);
      expect(framer.syncErrors).toBe(0);
      expect(framer.skippedBytes).toBe(40 * (before + after));
    }
  });

  test('are found again after octets were lost', () => {
    const bytes = stream(40);
    const whole = padded(bytes, before, after);
    const cut = 10 * stride + 100;
    const broken = concat(whole.subarray(0, cut), whole.subarray(cut + 37));
    for (const sizes of [[7680], [188], [500, 13]]) {
      const framer = new PacketFramer();
      const framed = frame(framer, broken, sizes);
      // The truncated packet swallows the beginning of the next: both are lost, everything else is output.
      expect(framed.subarray(0, 10 * 188)).toEqual(bytes.subarray(0, 10 * 188));
      expect(framed.subarray(11 * 188)).toEqual(bytes.subarray(12 * 188));
      expect(framer.syncErrors).toBe(1);
    }
  });

  test('may be followed by packets 188 octets apart', () => {
    const bytes = stream(30);
    const framer = new PacketFramer();
    const mixed = concat(padded(bytes.subarray(0, 10 * 188), before, after), bytes.subarray(10 * 188));
    const framed = frame(framer, mixed, [1000]);
    // The first one at an unexpected position is lost.
    const lost = after === 0 ? 10 : 11;
    expect(framed).toEqual(concat(bytes.subarray(0, lost * 188), bytes.subarray((lost + 1) * 188)));
    expect(framer.syncErrors).toBe(1);
  });
});

describe('the end of a stream', () => {
  test('returns the packets that were too few to confirm sync', () => {
    const framer = new PacketFramer();
    expect(framer.feed(stream(2))).toHaveLength(0);
    expect(framer.flush()).toEqual(stream(2));
  });

  test('returns no packet twice', () => {
    const framer = new PacketFramer();
    expect(framer.feed(stream(9))).toEqual(stream(9));
    expect(framer.flush()).toHaveLength(0);
  });
});
