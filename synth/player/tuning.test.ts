/** A receiver's queue: order, bound, faults, and the end. */
import { describe, expect, test } from 'bun:test';
import { Line } from '../fault/line.ts';
import type { Fault } from '../fault/model.ts';
import { PACKET_SIZE } from '../media/loop.ts';
import { type Ending, Tuning } from './tuning.ts';

/** A socket that takes `room` bytes, then nothing until there is room again. */
class Output {
  room = Number.POSITIVE_INFINITY;
  ended = false;
  readonly #taken: Uint8Array[] = [];

  write(bytes: Uint8Array): number {
    const taken = bytes.slice(0, this.room);
    this.room -= taken.length;
    this.#taken.push(taken);
    return taken.length;
  }

  end(): void {
    this.ended = true;
  }

  get bytes(): Uint8Array {
    return Uint8Array.from(Buffer.concat(this.#taken));
  }

  /** The number in each packet. */
  get numbers(): number[] {
    return numbersOf(this.bytes);
  }
}

function numbersOf(bytes: Uint8Array): number[] {
  expect(bytes.length % PACKET_SIZE).toBe(0);
  const view = new DataView(bytes.buffer);
  return Array.from({ length: bytes.length / PACKET_SIZE }, (_, index) =>
    view.getUint16(index * PACKET_SIZE + 4),
  );
}

/** Packets `from` to `from + count - 1`, each with its number. */
function block(from: number, count: number): Uint8Array {
  const bytes = new Uint8Array(count * PACKET_SIZE);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < count; index++) {
    bytes[index * PACKET_SIZE] = 0x47;
    view.setUint16(index * PACKET_SIZE + 4, from + index);
  }
  return bytes;
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

function tuned(maxPackets: number, faults: Fault[] = []) {
  const output = new Output();
  const endings: Ending[] = [];
  const held = { current: faults };
  const line = new Line({ faults: held, stations: [] });
  const tuning = new Tuning(output, line, maxPackets * PACKET_SIZE, (ending) => void endings.push(ending));
  const send = (from: number, count: number): Uint8Array => {
    const bytes = block(from, count);
    // A packet a millisecond.
    tuning.take(bytes, from, (packet) => packet);
    return bytes;
  };
  return { output, endings, tuning, send, held };
}

const ALWAYS = { from: null, to: null, every: null, type: null, channel: null };

test('a tuning writes what it takes, in order', () => {
  const { output, send } = tuned(100);
  for (const from of [0, 10, 20]) send(from, 10);
  expect(output.numbers).toEqual(range(0, 30));
});

test('what the output does not take waits, and is written when there is room', () => {
  const { output, tuning, send } = tuned(100);
  output.room = 1000;
  for (const from of [0, 10, 20]) send(from, 10);
  expect(output.bytes).toHaveLength(1000);
  output.room = Number.POSITIVE_INFINITY;
  tuning.flush();
  expect(output.numbers).toEqual(range(0, 30));
});

test('an output that is too slow loses what waits, but no part of a packet', () => {
  const { output, tuning, send } = tuned(25);
  output.room = 3 * PACKET_SIZE + 7;
  for (const from of [0, 10, 20, 30]) send(from, 10);
  output.room = Number.POSITIVE_INFINITY;
  tuning.flush();
  // Three packets were taken, the fourth in part; the limit was reached with the third block.
  expect(output.numbers).toEqual([...range(0, 4), ...range(20, 40)]);
});

test('an output that never takes anything holds no more than the limit', () => {
  const { output, tuning, send } = tuned(25);
  output.room = 0;
  for (let from = 0; from < 10_000; from += 10) send(from, 10);
  output.room = Number.POSITIVE_INFINITY;
  tuning.flush();
  expect(output.numbers.length).toBeWithin(1, 26);
  expect(output.numbers.at(-1)).toBe(9_999);
});

test('a fault changes the packets of this tuning, not those that others share', () => {
  const corrupt: Fault = { ...ALWAYS, kind: 'corrupt', rate: 1, flagged: true, sync: false, pids: null };
  const { output, send, held } = tuned(100, [corrupt]);
  const shared = send(0, 10);
  expect(shared).toEqual(block(0, 10));
  expect(output.bytes).toHaveLength(shared.length);
  expect(output.bytes).not.toEqual(shared);
  held.current = [];
  expect(send(10, 1)).toEqual(output.bytes.slice(-PACKET_SIZE));
});

describe('the end', () => {
  test('of a fault is told after everything before it was written', () => {
    const end: Fault = { ...ALWAYS, from: 14, kind: 'end', exitCode: 3 };
    const { output, tuning, send, endings } = tuned(100, [end]);
    output.room = 0;
    send(0, 10);
    send(10, 10);
    send(20, 10);
    expect(endings).toEqual([]);
    expect(output.ended).toBe(false);
    output.room = Number.POSITIVE_INFINITY;
    tuning.flush();
    expect(output.numbers).toEqual(range(0, 14));
    expect(output.ended).toBe(true);
    expect(endings).toEqual([{ exitCode: 3, message: null }]);
  });

  test('of a tuning without a signal has a message', () => {
    const { output, send, endings } = tuned(100, [{ ...ALWAYS, kind: 'no_lock', exitAfterSec: 0.015 }]);
    send(0, 10);
    expect(endings).toEqual([]);
    send(10, 10);
    expect(output.bytes).toHaveLength(0);
    expect(endings).toEqual([{ exitCode: 1, message: 'no signal lock' }]);
  });
});
