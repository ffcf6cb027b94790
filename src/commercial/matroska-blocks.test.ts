import { expect, test } from 'bun:test';
import { type MatroskaBlock, MatroskaReader } from './matroska-blocks.ts';

const STREAM = Uint8Array.from([
  ...[0x1a, 0x45, 0xdf, 0xa3, 0x84, 0x42, 0x86, 0x81, 0x01], // EBML header of 4 octets: skipped
  ...[0x18, 0x53, 0x80, 0x67, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], // segment of unknown size
  ...[0xec, 0x40, 0x03, 0x00, 0x00, 0x00], // void of 3 octets, its size in two
  ...[0x1f, 0x43, 0xb6, 0x75, 0x9f], // cluster of 31 octets
  ...[0xe7, 0x82, 0x27, 0x10], // timestamp 10000
  ...[0xa3, 0x86, 0x81, 0x00, 0x21, 0x80, 0xaa, 0xbb], // simple block: track 1, +33, flags, two octets
  ...[0xa3, 0x85, 0x82, 0xff, 0xff, 0x80, 0xcc], // track 2, -1
  ...[0xa0, 0x8a, 0x9b, 0x81, 0x05, 0xa1, 0x85, 0x83, 0x01, 0x00, 0x00, 0xdd], // group: duration, block: track 3, +256
]);

const EXPECTED = [
  { track: 1, timeMs: 10_033, data: [0xaa, 0xbb] },
  { track: 2, timeMs: 9_999, data: [0xcc] },
  { track: 3, timeMs: 10_256, data: [0xdd] },
];

const plain = (blocks: MatroskaBlock[]) => blocks.map(({ data, ...rest }) => ({ ...rest, data: [...data] }));

test('blocks are read with their times, however the stream is split', () => {
  for (let size = 1; size <= STREAM.length; size += 1) {
    const reader = new MatroskaReader();
    const blocks: MatroskaBlock[] = [];
    for (let at = 0; at < STREAM.length; at += size) {
      blocks.push(...reader.feed(STREAM.slice(at, at + size)));
    }
    expect([size, plain(blocks)]).toEqual([size, EXPECTED]);
  }
});

test('a stream that is not Matroska, or a block that is too large, is rejected', () => {
  expect(() => new MatroskaReader().feed(new Uint8Array(64))).toThrow('no Matroska');
  const large = [0x1f, 0x43, 0xb6, 0x75, 0xff, 0xa3, 0x08, 0xff, 0xff, 0xff, 0xff];
  expect(() => new MatroskaReader().feed(Uint8Array.from(large))).toThrow('too large');
  const short = [0x1f, 0x43, 0xb6, 0x75, 0xff, 0xa3, 0x82, 0x81, 0x00];
  expect(() => new MatroskaReader().feed(Uint8Array.from(short))).toThrow('too short');
});
