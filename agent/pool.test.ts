/** The pool with a random driver: consumers, failures and new definitions at any moment. */
import { describe, expect, test } from 'bun:test';
import { PACKET_SIZE, SYNC_BYTE } from '../lib/arib/ts/packet.ts';
import { SILENT_LOG } from '../lib/host/log.ts';
import { fuzzSeed, Random } from '../test/fuzz/random.ts';
import { HANG_LIMIT_MS } from '../test/until.ts';
import type { Consumer } from './consumer.ts';
import { PassThroughDescrambler } from './descramble/descrambler.ts';
import type { Driver, TuneSession, TuneSink } from './driver/driver.ts';
import { NoTuner, PoolClosed, TunerPool, TuningTimes } from './pool.ts';
import { settleTuners, type TunerSettings } from './tuner-settings.ts';

const PACKETS = new Uint8Array(8 * PACKET_SIZE);
for (let at = 0; at < PACKETS.length; at += PACKET_SIZE) PACKETS[at] = SYNC_BYTE;

/** A device that takes some time to be released and records a fault if it is opened before. */
class RecordingDriver implements Driver {
  readonly sinks = new Map<string, TuneSink>();
  readonly faults: string[] = [];
  opened = 0;

  constructor(private readonly closeMs: () => number) {}

  open(tuner: TunerSettings, _target: unknown, sink: TuneSink): TuneSession {
    const { device } = tuner;
    if (this.sinks.has(device)) this.faults.push(`${device} is opened twice`);
    this.sinks.set(device, sink);
    this.opened += 1;
    let closing: Promise<void> | undefined;
    return {
      signal: () => null,
      close: () => {
        closing ??= (async () => {
          const until = performance.now() + this.closeMs();
          // Timers count from the start of the event loop's turn: on a busy machine one alone may be early.
          do await Bun.sleep(Math.max(0, until - performance.now()));
          while (performance.now() < until);
          if (this.sinks.get(device) === sink) this.sinks.delete(device);
        })();
        return closing;
      },
    };
  }
}

interface PoolNeeds {
  probeMs?: readonly number[];
  isPresent?: (tuner: TunerSettings) => boolean;
  /** A test that feeds the device gives it any time. */
  syncMs?: number;
}

function createPool(driver: Driver, { probeMs = [3, 7], isPresent, syncMs = 30 }: PoolNeeds = {}): TunerPool {
  return new TunerPool({
    drivers: { dvb: driver },
    ...(isPresent === undefined ? {} : { isPresent }),
    createDescrambler: (output) => new PassThroughDescrambler(output),
    tsidOf: () => null,
    timing: { syncMs, stallMs: 60_000, lingerMs: 4, drainMs: 5, flushMs: 5, probeMs },
    lagLimitBytes: 1_000_000,
    log: SILENT_LOG,
    onChange: () => {},
  });
}

function define(pool: TunerPool, tuners: { id: string; device: string }[]): void {
  pool.define(
    settleTuners(
      tuners.map((one) => ({ ...one, driver: 'dvb', types: ['GR'] })),
      [],
    ),
  );
}

test('a device redefined under another id is freed before it is opened again', async () => {
  const driver = new RecordingDriver(() => 20);
  const pool = createPool(driver, { syncMs: HANG_LIMIT_MS });
  define(pool, [{ id: 'a', device: '/dev/1' }]);
  const ask = { type: 'GR', channel: 'T27', priority: 0, use: 'x', after: [] } as const;
  const first = pool.open(ask);
  await Bun.sleep(0);
  driver.sinks.get('/dev/1')?.data(PACKETS);
  await first.consumer.started;
  define(pool, [{ id: 'b', device: '/dev/1' }]);
  const second = pool.open(ask);
  expect(second.tunerId).toBe('b');
  while (driver.opened < 2) await Bun.sleep(1);
  await pool.close();
  expect(driver.faults).toEqual([]);
  expect(driver.sinks.size).toBe(0);
});

test('the reported tuning time includes releasing the device before', async () => {
  const driver = new RecordingDriver(() => 20);
  const pool = createPool(driver, { syncMs: HANG_LIMIT_MS });
  define(pool, [{ id: 'a', device: '/dev/1' }]);
  expect(pool.snapshot()[0]).not.toHaveProperty('tunedInMs');
  const ask = { type: 'GR', channel: 'T27', priority: 0, use: 'x', after: [] } as const;
  const first = pool.open(ask);
  await Bun.sleep(0);
  driver.sinks.get('/dev/1')?.data(PACKETS);
  await first.consumer.started;
  expect(pool.snapshot()[0]?.tunedInMs).toBeNumber();
  const second = pool.open({ ...ask, channel: 'T26', priority: 1 });
  while (driver.opened < 2) await Bun.sleep(1);
  driver.sinks.get('/dev/1')?.data(PACKETS);
  await second.consumer.started;
  const measured = pool.snapshot()[0]?.tunedInMs;
  expect(measured).toBeGreaterThanOrEqual(15);
  // Much slower, but nothing that a recording waits for.
  const third = pool.open({ ...ask, channel: 'T25', priority: 2, use: 'still GR/T25' });
  while (driver.opened < 3) await Bun.sleep(1);
  await Bun.sleep((measured ?? 0) + 5);
  driver.sinks.get('/dev/1')?.data(PACKETS);
  await third.consumer.started;
  expect(pool.snapshot()[0]?.tunedInMs).toBe(measured);
  await pool.close();
});

test('the longest of the last five tuning times is reported', () => {
  const times = new TuningTimes();
  expect(times.longest).toBeNull();
  for (const ms of [900.4, 100, 200, 150, 120]) times.add(ms, 'rec 1');
  expect(times.longest).toBe(900);
  times.add(50, 'rec 1');
  expect(times.longest).toBe(200);
});

test('the tuning times of background uses are reported only until a recording or viewer was measured', () => {
  const times = new TuningTimes();
  for (const use of ['epg T27', 'still GR/T27', 'logo GR/T27', 'scan T27', null]) times.add(4_000, use);
  expect(times.longest).toBe(4_000);
  times.add(300, 'live GR/T27');
  expect(times.longest).toBe(300);
  for (const use of ['mirakurun 1', 'rec 1', 'EPGStation']) times.add(500, use);
  times.add(4_000, 'epg T27');
  expect(times.longest).toBe(500);
});

describe('a device that cannot be opened', () => {
  const ask = { type: 'GR', channel: 'T27', priority: 9, use: 'x', after: [] } as const;
  /** Can be opened while it is plugged in. */
  class Plug extends RecordingDriver {
    plugged = false;
    readonly tried: string[] = [];

    override open(tuner: TunerSettings, target: unknown, sink: TuneSink): TuneSession {
      this.tried.push(tuner.device);
      if (!this.plugged) throw new Error('no device');
      return super.open(tuner, target, sink);
    }
  }

  test('is probed again until it is back, with its state shown meanwhile', async () => {
    const driver = new Plug(() => 0);
    const pool = createPool(driver);
    define(pool, [{ id: 'a', device: '/dev/1' }]);
    const started = pool.open(ask).consumer.started;
    expect(await started.catch((error: Error) => error.message)).toContain('no device');
    while (driver.tried.length < 5) {
      expect(pool.snapshot()).toMatchObject([{ state: 'error', error: 'no device', tuned: null, users: [] }]);
      await Bun.sleep(1);
    }
    expect(pool.snapshot()[0]?.retryAt).toBeNumber();
    driver.plugged = true;
    while (driver.opened === 0) await Bun.sleep(1);
    // Opened, no data yet.
    expect(pool.snapshot()).toMatchObject([{ state: 'error' }]);
    driver.sinks.get('/dev/1')?.data(PACKETS);
    expect(pool.snapshot()).toMatchObject([{ state: 'idle', error: null }]);
    await pool.close();
    expect([driver.sinks.size, driver.faults]).toEqual([0, []]);
  });

  test('is usable again once it opens, even if the channel has no signal', async () => {
    const driver = new Plug(() => 0);
    const pool = createPool(driver);
    define(pool, [{ id: 'a', device: '/dev/1' }]);
    await pool.open(ask).consumer.started.catch(() => {});
    driver.plugged = true;
    while (pool.snapshot()[0]?.state !== 'idle') await Bun.sleep(1);
    expect(pool.snapshot()[0]?.error).not.toBeNull();
    expect(pool.snapshot()[0]).not.toHaveProperty('retryAt');
    await pool.close();
  });

  test('a request during a probe gets the tuner', async () => {
    const driver = new Plug(() => 1);
    const pool = createPool(driver);
    define(pool, [{ id: 'a', device: '/dev/1' }]);
    await pool.open(ask).consumer.started.catch(() => {});
    driver.plugged = true;
    while (driver.opened === 0) await Bun.sleep(1);
    const { consumer } = pool.open(ask);
    while (driver.opened < 2) await Bun.sleep(1);
    driver.sinks.get('/dev/1')?.data(PACKETS);
    await consumer.started;
    expect(pool.snapshot()).toMatchObject([{ state: 'tuned', error: null, users: [{ use: 'x' }] }]);
    await pool.close();
    expect(driver.faults).toEqual([]);
  });

  test('is no longer probed when it is removed from the definition, or the agent ends', async () => {
    const driver = new Plug(() => 0);
    const pool = createPool(driver, { probeMs: [5] });
    define(pool, [
      { id: 'a', device: '/dev/1' },
      { id: 'b', device: '/dev/2' },
    ]);
    const failing = ['T27', 'T28'].map((channel) => pool.open({ ...ask, channel }).consumer.started);
    await Promise.allSettled(failing);
    const triesOf = (device: string): number => driver.tried.filter((one) => one === device).length;
    define(pool, [{ id: 'b', device: '/dev/2' }]);
    const before = [triesOf('/dev/1'), triesOf('/dev/2')];
    while (triesOf('/dev/2') < (before[1] ?? 0) + 4) await Bun.sleep(1);
    expect(triesOf('/dev/1')).toBe(before[0] ?? 0);
    await pool.close();
    const { length } = driver.tried;
    await Bun.sleep(25);
    expect(driver.tried).toHaveLength(length);
  });
});

/** A consumer that reads until its stream ends, normally or not. */
class User {
  /** It belongs to a tuning. */
  present = true;
  readonly done: Promise<void>;

  constructor(readonly consumer: Consumer) {
    void consumer.left.then(() => {
      this.present = false;
    });
    this.done = this.#read().catch(() => {});
  }

  async #read(): Promise<void> {
    await this.consumer.started;
    for await (const chunk of this.consumer.body) expect(chunk.length).toBe(PACKETS.length);
  }
}

test('random users, failures and definitions: no device is opened twice, no request is left unanswered', async () => {
  const seed = fuzzSeed();
  console.log(`seed ${seed}`);
  const random = new Random(seed);
  const driver = new RecordingDriver(() => random.below(12));
  const pool = createPool(driver);
  const users: User[] = [];
  const steps: (() => void)[] = [
    () => {
      for (const sink of [...driver.sinks.values()]) sink.data(PACKETS);
    },
    () => users[random.below(users.length + 1)]?.consumer.leave(),
    () => [...driver.sinks.values()][random.below(4)]?.ended('it broke', false),
    () => {
      const devices = ['/dev/1', '/dev/2', '/dev/3'].slice(random.below(3));
      define(
        pool,
        devices.map((device, index) => ({ id: `t${(index + random.below(2) * 3) % 6}`, device })),
      );
    },
  ];
  const open = (): void => {
    const channel = random.pick(['T13', 'T14', 'T15', 'T16']);
    const after = random.below(3) === 0 ? [random.pick(['a', 'b', 'c'])] : [];
    const ask = { channel, after, priority: random.below(4), use: random.pick(['a', 'b', 'c']) };
    try {
      users.push(new User(pool.open({ type: 'GR', ...ask }).consumer));
    } catch (error) {
      expect(error).toBeInstanceOf(NoTuner);
    }
  };
  define(pool, [{ id: 't0', device: '/dev/1' }]);
  for (let step = 0; step < 800; step += 1) {
    const which = random.below(20);
    if (which < 8) open();
    else if (which < 14) steps[0]?.();
    else if (which < 17) steps[1]?.();
    else steps[which === 19 ? 3 : 2]?.();
    await Bun.sleep(random.below(3));
    const shown = pool.snapshot();
    expect(shown.flatMap((tuner) => tuner.users)).toHaveLength(users.filter((user) => user.present).length);
    for (const tuner of shown) if (tuner.tuned === null) expect(tuner.users).toEqual([]);
  }
  await pool.close();
  await Promise.all(users.map((user) => user.done));
  expect(driver.opened).toBeGreaterThan(50);
  expect(driver.faults).toEqual([]);
  expect(driver.sinks.size).toBe(0);
  expect(() => pool.open({ type: 'GR', channel: 'T13', priority: 9, use: 'x', after: [] })).toThrow(
    PoolClosed,
  );
});

test('a tuner whose device is missing has no rank, and works again when the device is back', async () => {
  const driver = new RecordingDriver(() => 0);
  const gone = new Set(['/dev/1']);
  const pool = createPool(driver, { probeMs: [], isPresent: ({ device }) => !gone.has(device) });
  const tuners = [
    { id: 'a', device: '/dev/1' },
    { id: 'b', device: '/dev/2' },
  ];
  const ask = { type: 'GR', channel: 'T27', priority: 9, use: 'x', after: [] } as const;
  define(pool, tuners);
  expect(pool.snapshot().map(({ id, rank, state }) => [id, rank, state])).toEqual([
    ['b', 0, 'idle'],
    ['a', null, 'error'],
  ]);
  expect(pool.snapshot()[1]?.error).toContain('/dev/1 が見つかりません');
  // The device of a running tuning is unplugged.
  const { consumer, tunerId } = pool.open(ask);
  expect(tunerId).toBe('b');
  await Bun.sleep(0);
  driver.sinks.get('/dev/2')?.data(PACKETS);
  await consumer.started;
  gone.add('/dev/2');
  driver.sinks.get('/dev/2')?.ended('it is gone', true);
  define(pool, tuners);
  expect(() => pool.open(ask)).toThrow(NoTuner);
  expect(pool.snapshot().map(({ state }) => state)).toEqual(['error', 'error']);
  gone.clear();
  define(pool, tuners);
  expect(pool.snapshot().map(({ rank, state, error }) => [rank, state, error])).toEqual([
    [0, 'idle', null],
    [0, 'idle', null],
  ]);
  await pool.close();
});
