import { beforeEach, describe, expect, test } from 'bun:test';
import { type MonotonicMs, monotonicMs, systemWallClock } from '../../lib/host/clock.ts';
import { StreamBuilder } from '../../test/stream-builder.ts';
import { defineReader, type ReaderEnd, type ReaderKind, type StreamReader } from './reader-kind.ts';
import { ReaderSet } from './reader-set.ts';

const PID = 0x12;

let now: number;
let used: number;
let ends: (ReaderEnd & { dropped: number })[];
let set: ReaderSet;

beforeEach(() => {
  now = 0;
  used = 0;
  ends = [];
  set = new ReaderSet({
    clock: (): MonotonicMs => monotonicMs(now),
    wall: systemWallClock,
    processing: () => used,
    isOnlyUse: false,
    post: () => {},
    ended: (_reader, end) => ends.push(end),
  });
});

function start(reader: StreamReader<unknown>): void {
  const kind = defineReader<unknown, unknown, unknown>({
    name: 'test',
    start: (_options, context) => {
      context.select([PID]);
      return reader;
    },
  });
  set.start(1, kind satisfies ReaderKind<unknown, unknown, unknown>, null);
}

const packets = (count: number): Uint8Array => {
  const builder = new StreamBuilder();
  for (let at = 0; at < count; at += 1) builder.packet(PID, { payload: Uint8Array.of(at & 0xff) });
  return builder.nulls(8).take();
};

describe('ReaderSet', () => {
  test('a reader is never called while the stream is fed', () => {
    let calls = 0;
    start({
      feed: () => {
        calls += 1;
      },
    });
    set.feed(packets(100));
    expect(calls).toBe(0);
    set.close();
    expect(calls).toBeGreaterThan(0);
  });

  test('a backlog beyond its bound is dropped, counted and reported', async () => {
    let taken = 0;
    const told: number[] = [];
    start({
      feed: (bytes) => {
        taken += bytes.length / 188;
        // The time of the turn is used up after each slice.
        now += 10;
      },
      dropped: (count) => void told.push(count),
    });
    const sent = 20_000;
    for (let at = 0; at < sent; at += 1_000) set.feed(packets(1_000));
    while (taken + (told[0] ?? 0) < sent) await new Promise((resolve) => setImmediate(resolve));
    expect(told).toHaveLength(1);
    expect(taken * 188).toBeLessThanOrEqual(1024 * 1024);
    set.close();
    expect(ends).toMatchObject([{ cause: 'stream', dropped: told[0] ?? 0 }]);
  });

  test("only a reader's own processing time counts against it, not a slow machine", () => {
    start({
      feed: () => {
        now += 5_000;
      },
    });
    set.feed(packets(10));
    set.close();
    expect(ends[0]?.cause).toBe('stream');
    ends = [];
    start({
      feed: () => {
        now += 5_000;
        used += 5_000;
      },
    });
    set.feed(packets(10));
    set.close();
    expect(ends).toMatchObject([{ cause: 'fault', reason: expect.stringContaining('5000 ms') }]);
  });
});
