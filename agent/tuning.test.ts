import { expect, test } from 'bun:test';
import { PACKET_SIZE, SYNC_BYTE } from '../lib/arib/ts/packet.ts';
import { type MonotonicMs, monotonicMs } from '../lib/host/clock.ts';
import { SILENT_LOG } from '../lib/host/log.ts';
import { HANG_LIMIT_MS, until } from '../test/until.ts';
import { PassThroughDescrambler } from './descramble/descrambler.ts';
import type { Driver, TuneSink } from './driver/driver.ts';
import { settleTuners } from './tuner-settings.ts';
import { ChunkBatcher, Tuning, type TuningFailure } from './tuning.ts';

const PACKETS = new Uint8Array(8 * PACKET_SIZE);
for (let at = 0; at < PACKETS.length; at += PACKET_SIZE) PACKETS[at] = SYNC_BYTE;
const STALL_MS = 600;
const PAUSE_MS = 60_000;

/** The clock of the tuning: stopped, or advanced by a step at each reading. */
class ScriptedClock {
  readings = 0;
  step = 0;
  #now = 0;
  readonly read = (): MonotonicMs => {
    this.readings += 1;
    this.#now += this.step;
    return monotonicMs(this.#now);
  };

  pass(ms: number): void {
    this.#now += ms;
  }
}

test('a pause of the process does not count as silence of the device', async () => {
  const clock = new ScriptedClock();
  let sink: TuneSink | undefined;
  const driver: Driver = {
    open: (_tuner, _target, given) => {
      sink = given;
      return { signal: () => null, close: () => Promise.resolve() };
    },
  };
  const [tuner] = settleTuners([{ id: 'a', driver: 'dvb', device: '/dev/a', types: ['GR'] }], []);
  if (tuner === undefined) throw new Error('no tuner');
  let failure: TuningFailure | null | undefined;
  const tuning = new Tuning({
    tuner,
    target: { type: 'GR', channel: 'T27', tsid: null },
    driver,
    createDescrambler: (output) => new PassThroughDescrambler(output),
    isProbe: false,
    timing: { syncMs: HANG_LIMIT_MS, stallMs: STALL_MS, lingerMs: HANG_LIMIT_MS },
    log: SILENT_LOG,
    monotonicClock: clock.read,
    onChange: () => {},
    onEnd: (_tuning, ending) => {
      failure = ending;
    },
  });
  await tuning.start(Promise.resolve());
  sink?.data(PACKETS);
  expect(tuning.phase).toBe('streaming');
  // Data pending in the device is read after all timers that expired meanwhile.
  clock.pass(PAUSE_MS);
  const before = clock.readings;
  await until(() => clock.readings >= before + 2 || tuning.phase === 'ended');
  expect([tuning.phase, failure]).toEqual(['streaming', undefined]);
  sink?.data(PACKETS);
  clock.step = STALL_MS / 2;
  await until(() => tuning.phase === 'ended');
  expect(failure?.reason).toContain('0.6 秒間届きませんでした');
});

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
