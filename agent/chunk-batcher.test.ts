import { expect, test } from 'bun:test';
import { type MonotonicMs, monotonicMs } from '../host/clock.ts';
import { ChunkBatcher } from './chunk-batcher.ts';

const STARTED_MS = 10_000;

function create() {
  let now = 0;
  const passed: Uint8Array[] = [];
  const batcher = new ChunkBatcher(
    (bytes) => passed.push(bytes),
    (): MonotonicMs => monotonicMs(now),
  );
  const lengths = (): number[] => passed.map((bytes) => bytes.length);
  return { batcher, passed, lengths, pass: (ms: number) => (now += ms) };
}

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

test('passes every chunk at once, without copying, while a consumer starts', () => {
  const { batcher, passed } = create();
  const chunk = bytes(1, 2);
  batcher.push(chunk);
  batcher.push(bytes(3));
  expect(passed).toEqual([bytes(1, 2), bytes(3)]);
  expect(passed[0]).toBe(chunk);
});

test('joins small chunks in their order and passes them soon, also if no more arrive', async () => {
  const { batcher, passed, pass } = create();
  pass(STARTED_MS);
  batcher.push(bytes(1, 2));
  batcher.push(bytes(3));
  expect(passed).toEqual([]);
  while (passed.length === 0) await Bun.sleep(1);
  expect(passed).toEqual([bytes(1, 2, 3)]);
});

test('a full batch does not wait, and a chunk that is one is not copied', () => {
  const { batcher, passed, lengths, pass } = create();
  pass(STARTED_MS);
  const large = new Uint8Array(64 * 1024);
  batcher.push(large);
  expect(passed[0]).toBe(large);
  batcher.push(bytes(1));
  batcher.push(new Uint8Array(160 * 1024));
  expect(lengths()).toEqual([64 * 1024, 160 * 1024 + 1]);
});

test('a new consumer ends the waiting of what is pending and of what follows', () => {
  const { batcher, passed, pass } = create();
  pass(STARTED_MS);
  batcher.push(bytes(1));
  batcher.passAtOnce();
  batcher.push(bytes(2));
  expect(passed).toEqual([bytes(1), bytes(2)]);
});

test('what is pending can be passed or dropped before its time', async () => {
  const { batcher, passed, pass } = create();
  pass(STARTED_MS);
  batcher.push(bytes(1));
  batcher.flush();
  batcher.flush();
  batcher.push(bytes(2));
  batcher.clear();
  batcher.push(bytes(3));
  while (passed.length < 2) await Bun.sleep(1);
  expect(passed).toEqual([bytes(1), bytes(3)]);
});
