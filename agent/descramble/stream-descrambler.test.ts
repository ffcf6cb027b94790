import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type MonotonicMs, monotonicMs } from '../../lib/host/clock.ts';
import {
  ecmMessage,
  keysOf,
  type ScrambledStream,
  scrambledStream,
  TEST_SYSTEM,
  type TestProgram,
} from '../../test/scrambled-stream.ts';
import { until } from '../../test/until.ts';
import { type AnsweredKeys, type CardSystem, KeyFailure, type KeySource } from './key-source.ts';
import { StreamDescrambler } from './stream-descrambler.ts';

const SYSTEM: CardSystem = { ...TEST_SYSTEM, source: 'test reader' };
const ONE: TestProgram = { number: 101, pmtPid: 0x1f0, ecmPid: 0x300, streams: [0x100, 0x110], seed: 1 };
const TWO: TestProgram = { number: 102, pmtPid: 0x1f1, ecmPid: 0x301, streams: [0x120], seed: 2 };
const FREE: TestProgram = { number: 103, pmtPid: 0x1f2, ecmPid: null, streams: [0x130], seed: 3 };

/** A stub of a card with answers controlled by the test. */
class ManualSource implements KeySource {
  readonly asked: Uint8Array[] = [];
  readonly open: { message: Uint8Array; answer: PromiseWithResolvers<AnsweredKeys> }[] = [];
  failure: KeyFailure | undefined;
  isAutomatic = true;

  async system(): Promise<CardSystem> {
    if (this.failure !== undefined) throw this.failure;
    return SYSTEM;
  }

  keys(message: Uint8Array): Promise<AnsweredKeys> {
    this.asked.push(message);
    if (this.failure !== undefined) return Promise.reject(this.failure);
    if (this.isAutomatic) return Promise.resolve({ ...keysOf(message), system: SYSTEM });
    const answer = Promise.withResolvers<AnsweredKeys>();
    this.open.push({ message, answer });
    return answer.promise;
  }

  answerAll(): void {
    for (const { message, answer } of this.open.splice(0))
      answer.resolve({ ...keysOf(message), system: SYSTEM });
  }
}

interface Rig {
  descrambler: StreamDescrambler;
  source: ManualSource;
  received(): Uint8Array;
  receivedBytes(): number;
  clock: { now: MonotonicMs };
}

function rig(limits: { headBytes?: number; queueBytes?: number } = {}): Rig {
  const source = new ManualSource();
  const parts: Uint8Array[] = [];
  const clock = { now: monotonicMs(0) };
  const descrambler = new StreamDescrambler({
    source,
    clock: () => clock.now,
    output: (packets) => parts.push(packets.slice()),
    onChange: () => {},
    ...limits,
  });
  return {
    descrambler,
    source,
    clock,
    received: () => new Uint8Array(Buffer.concat(parts)),
    receivedBytes: () => parts.reduce((sum, part) => sum + part.length, 0),
  };
}

/** Promise callbacks and the compilation of the module have run. */
async function settled(condition: () => boolean): Promise<void> {
  await until(condition);
}

/** Feeds in pieces of any size, like sockets and devices; the framer holds back less than 700 octets. */
async function feed(one: Rig, bytes: Uint8Array, piece: number, whole: ScrambledStream): Promise<void> {
  for (let at = 0; at < bytes.length; at += piece) {
    one.descrambler.feed(bytes.slice(at, at + piece));
    if (at % (piece * 16) === 0) await Bun.sleep(0);
  }
  await settled(() => one.receivedBytes() >= whole.clear.length - 1000);
}

describe('StreamDescrambler', () => {
  test('several programmes with changing keys are restored exactly', async () => {
    const stream = scrambledStream({ programs: [ONE, TWO, FREE], periods: 6, rounds: 60 });
    const one = rig();
    await feed(one, stream.scrambled, 5000, stream);
    const received = one.received();
    expect(Buffer.compare(received, stream.clear.subarray(0, received.length))).toBe(0);
    expect(one.descrambler.state).toBe('descrambled');
    expect(one.descrambler.leftScrambled).toBe(0);
    // Each content once: of 2 ECM streams, 7 pairs of keys for 6 periods.
    expect(one.source.asked.length).toBe(14);
    one.descrambler.close();
  });

  test('a slow card delays packets without losing or reordering any', async () => {
    const stream = scrambledStream({ programs: [ONE], periods: 4, rounds: 40 });
    const one = rig();
    one.source.isAutomatic = false;
    for (let at = 0; at < stream.scrambled.length; at += 4000) {
      one.descrambler.feed(stream.scrambled.slice(at, at + 4000));
      await Bun.sleep(0);
    }
    expect(one.descrambler.state).toBe('waiting');
    await settled(() => {
      one.source.answerAll();
      return one.receivedBytes() >= stream.clear.length - 1000;
    });
    const received = one.received();
    expect(Buffer.compare(received, stream.clear.subarray(0, received.length))).toBe(0);
    one.descrambler.close();
  });

  test('the current key stays valid while the answer for the next one is late', async () => {
    const stream = scrambledStream({ programs: [ONE], periods: 3, rounds: 40 });
    const [change = 0] = stream.ecmChanges;
    const [, second = 0] = stream.periodStarts;
    const one = rig();
    one.descrambler.feed(stream.scrambled.slice(0, change));
    await settled(() => one.receivedBytes() >= change - 1000);
    // From here on the ECM announces the key of the second period, and the card does not answer.
    one.source.isAutomatic = false;
    one.descrambler.feed(stream.scrambled.slice(change, second));
    await settled(() => one.receivedBytes() >= second - 1000);
    one.descrambler.feed(stream.scrambled.slice(second));
    expect(one.source.open.length).toBe(1);
    expect(one.receivedBytes()).toBeLessThan(second + 2000);
    await settled(() => {
      one.source.answerAll();
      return one.receivedBytes() >= stream.clear.length - 1000;
    });
    const received = one.received();
    expect(Buffer.compare(received, stream.clear.subarray(0, received.length))).toBe(0);
    one.descrambler.close();
  });

  test('without a card everything passes at once, scrambled, with the reason; clear programmes are complete', async () => {
    const stream = scrambledStream({ programs: [ONE, FREE], periods: 2, rounds: 30 });
    const one = rig();
    one.source.failure = new KeyFailure('no_card', 'no card');
    await feed(one, stream.scrambled, 3000, stream);
    const received = one.received();
    expect(Buffer.compare(received, stream.scrambled.subarray(0, received.length))).toBe(0);
    expect(one.descrambler.state).toBe('scrambled');
    expect(one.descrambler.failure?.code).toBe('no_card');
    expect(one.descrambler.leftScrambled).toBeGreaterThan(100);
    one.descrambler.close();
  });

  test('a clear stream passes without a card request', () => {
    const stream = scrambledStream({ programs: [FREE], periods: 1, rounds: 30 });
    const one = rig();
    one.source.failure = new KeyFailure('timeout', 'hangs');
    one.descrambler.feed(stream.scrambled.slice());
    expect(one.receivedBytes()).toBeGreaterThan(stream.clear.length - 1000);
    expect(one.descrambler.state).toBe('clear');
    one.descrambler.close();
  });

  test('a programme without a subscription passes scrambled beside one that is descrambled', async () => {
    const stream = scrambledStream({ programs: [ONE, TWO], periods: 3, rounds: 40 });
    const one = rig();
    const ask = one.source.keys.bind(one.source);
    one.source.keys = (message) =>
      [0, 1, 2, 3].some((period) => Buffer.compare(message, ecmMessage(2, period)) === 0)
        ? Promise.reject(new KeyFailure('not_subscribed', 'no contract'))
        : ask(message);
    await feed(one, stream.scrambled, 6000, stream);
    expect(one.descrambler.leftScrambled).toBeGreaterThan(0);
    expect(one.descrambler.state).toBe('descrambled');
    expect(one.descrambler.programFailures).toEqual([{ serviceId: 102, failure: 'not_subscribed' }]);
    one.descrambler.close();
  });

  test('a card that never answers delays packets up to the limit, then everything passes', async () => {
    const stream = scrambledStream({ programs: [ONE], periods: 2, rounds: 200 });
    const one = rig({ headBytes: 20_000 });
    one.source.isAutomatic = false;
    for (let at = 0; at < stream.scrambled.length; at += 4000) {
      one.descrambler.feed(stream.scrambled.slice(at, at + 4000));
      await Bun.sleep(0);
    }
    expect(one.receivedBytes()).toBeGreaterThan(stream.clear.length - 25_000);
    expect(one.descrambler.failure?.code).toBe('timeout');
    one.descrambler.close();
  });

  test('a card that is available again is used from the next ECM on', async () => {
    const stream = scrambledStream({ programs: [ONE], periods: 4, rounds: 40 });
    const [, , third = 0] = stream.periodStarts;
    const one = rig();
    one.source.failure = new KeyFailure('no_card', 'no card');
    one.descrambler.feed(stream.scrambled.slice(0, third));
    await settled(() => one.receivedBytes() >= third - 1000);
    one.source.failure = undefined;
    one.clock.now = monotonicMs(5_000);
    const back = third + 188 * 40;
    one.descrambler.feed(stream.scrambled.slice(third, back));
    await settled(() => one.descrambler.state !== 'scrambled');
    one.descrambler.feed(stream.scrambled.slice(back));
    await settled(() => one.receivedBytes() >= stream.clear.length - 1000);
    expect(one.descrambler.state).toBe('descrambled');
    const received = one.received();
    expect(Buffer.compare(received.subarray(back), stream.clear.subarray(back, received.length))).toBe(0);
    one.descrambler.close();
  });

  test('ECMs of another CA system are not sent to the card', async () => {
    const stream = scrambledStream({ programs: [ONE], periods: 1, rounds: 60, caSystemId: 0x000e });
    const one = rig();
    await feed(one, stream.scrambled, 3000, stream);
    expect(one.source.asked.length).toBe(0);
    expect(one.descrambler.programFailures).toEqual([{ serviceId: 101, failure: 'unsuitable_card' }]);
    one.descrambler.close();
  });

  test('accepts any bytes with bounded memory', async () => {
    const stream = scrambledStream({ programs: [ONE, TWO], periods: 2, rounds: 30 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(stream.scrambled.length - 1), fc.nat(255)), { maxLength: 300 }),
        fc.integer({ min: 1, max: 9000 }),
        async (damage, piece) => {
          const bytes = stream.scrambled.slice();
          for (const [at, value] of damage) bytes[at] = value;
          const one = rig({ headBytes: 30_000, queueBytes: 30_000 });
          for (let at = 0; at < bytes.length; at += piece) {
            one.descrambler.feed(bytes.slice(at, at + piece));
            if (at % 8 === 0) await Bun.sleep(0);
          }
          one.descrambler.close();
          expect(one.receivedBytes()).toBeLessThanOrEqual(bytes.length);
        },
      ),
      { numRuns: 50 },
    );
  });
});
