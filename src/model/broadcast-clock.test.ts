import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { networkId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { monotonicMs, wallMs } from '../../lib/host/clock.ts';
import { Random } from '../../test/fuzz/random.ts';
import { BroadcastClock } from './broadcast-clock.ts';

const START = Date.UTC(2026, 10, 21);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SEED = Number(process.env.CLOCK_SEED ?? 4711);

/** A simulated machine and broadcast: real time advances, the wall clock has a settable error. */
class Machine {
  at = 0;
  wallOff = 0;
  readonly set: number[] = [];
  readonly clock = new BroadcastClock(
    {
      wall: () => wallMs(START + this.at + this.wallOff),
      elapsed: () => monotonicMs(12_345 + this.at),
      monotonic: () => monotonicMs(99 + this.at),
    },
    (by) => this.set.push(by),
  );

  /** Difference between the clock and real time, ms. */
  get error(): number {
    return this.clock.now() - START - this.at;
  }

  /** A network with this clock error sends tables, one every 5 s. @param late delay of each table's arrival, ms */
  hear(network: number, off: number, count = 17, late: (index: number) => number = () => 0): void {
    for (let index = 0; index < count; index++) {
      this.at += 5000;
      this.one(network, off - late(index));
    }
  }

  /** @param waited time of the message between threads, ms */
  one(network: number, off: number, waited = 0): void {
    this.clock.receive({
      networkId: networkId(network),
      time: broadcastMs(START + this.at + off - waited),
      at: monotonicMs(99 + this.at - waited),
    });
  }
}

describe('BroadcastClock', () => {
  test('follows the wall clock while no broadcast time is received', () => {
    const machine = new Machine();
    machine.wallOff = 7 * MINUTE;
    expect(machine.error).toBe(7 * MINUTE);
    machine.wallOff = -HOUR;
    expect(machine.error).toBe(-HOUR);
    machine.hear(1, 0, 2);
    expect(machine.error).toBe(-HOUR);
  });

  test('a clock that is wrong by minutes is corrected after three tables of one network', () => {
    const machine = new Machine();
    machine.wallOff = -10 * MINUTE;
    machine.hear(1, 0, 3);
    expect(machine.error).toBe(0);
    expect(machine.set).toEqual([10 * MINUTE]);
  });

  test('setting the wall clock does not move it', () => {
    const machine = new Machine();
    machine.hear(1, 0);
    for (const off of [10 * MINUTE, -10 * MINUTE, 3 * DAY, -800]) {
      machine.wallOff = off;
      expect(machine.error).toBe(0);
      machine.hear(1, 0, 40);
      expect(machine.error).toBe(0);
    }
    expect(machine.set).toEqual([]);
  });

  test('the delay between arrival and reading of a table does not count as an offset, however the wall clock is set', () => {
    const machine = new Machine();
    for (const [wallOff, waited] of [
      [-5 * MINUTE, 1500],
      [-12 * MINUTE, 9000],
      [-5 * MINUTE, 20_000],
    ] as const) {
      machine.at += 25_000;
      machine.wallOff = wallOff;
      machine.one(1, 0, waited);
    }
    expect(machine.error).toBe(0);
  });

  test('offsets up to a second are ignored, up to three seconds are corrected by running faster or slower', () => {
    const machine = new Machine();
    machine.hear(1, 0);
    machine.hear(1, -900);
    expect(machine.error).toBe(0);
    machine.hear(1, 2500, 9);
    const early = machine.error;
    expect(early).toBeGreaterThanOrEqual(0);
    expect(early).toBeLessThanOrEqual(1500);
    let before: number = machine.clock.now();
    for (let second = 0; second < 120; second++) {
      machine.at += 1000;
      const step = machine.clock.now() - before;
      before += step;
      expect(step).toBeGreaterThanOrEqual(950);
      expect(step).toBeLessThanOrEqual(1050);
    }
    expect(machine.error).toBe(2500);
    expect(machine.set).toEqual([]);
  });

  test('is reliable once broadcast time is received, or the machine has been up for a day', () => {
    const machine = new Machine();
    machine.wallOff = 30 * DAY;
    expect(machine.clock.isSure()).toBe(false);
    // One table is not trusted yet.
    machine.hear(1, 0);
    expect(machine.clock.isSure()).toBe(false);
    machine.hear(2, 0, 3);
    expect(machine.clock.isSure()).toBe(true);
    const deaf = new Machine();
    deaf.at = DAY - MINUTE;
    expect(deaf.clock.isSure()).toBe(false);
    deaf.at = DAY;
    expect(deaf.clock.isSure()).toBe(true);
  });

  test('a network with a wrong clock is outvoted, whichever comes first', () => {
    const wrongLast = new Machine();
    for (const network of [1, 2]) wrongLast.hear(network, 0);
    wrongLast.hear(3, 3 * HOUR, 40);
    expect(wrongLast.error).toBe(0);
    const wrongFirst = new Machine();
    wrongFirst.hear(3, 3 * HOUR);
    expect(wrongFirst.error).toBe(3 * HOUR);
    // Two networks disagree: the machine's clock decides.
    wrongFirst.hear(1, 0, 3);
    expect(wrongFirst.error).toBe(0);
    wrongFirst.wallOff = 3 * HOUR;
    wrongFirst.hear(2, 0, 3);
    expect(wrongFirst.error).toBe(0);
  });

  test('a single network that differs by days is not trusted; two that agree are', () => {
    const machine = new Machine();
    machine.hear(1, 3 * DAY);
    expect(machine.error).toBe(0);
    machine.hear(2, 3 * DAY, 3);
    expect(machine.error).toBe(3 * DAY);
  });

  test.each([HOUR, -HOUR])(
    'a single network that departs from its agreement with the machine is not trusted (%d ms)',
    (off) => {
      const machine = new Machine();
      machine.hear(1, 0);
      machine.hear(1, off, 120);
      expect([machine.error, machine.set]).toEqual([0, []]);
      machine.hear(1, 0);
      expect([machine.error, machine.set]).toEqual([0, []]);
      // A second network with the same time makes both trusted.
      machine.hear(1, off);
      machine.hear(2, off, 3);
      expect(machine.error).toBe(off);
    },
  );

  test('a single network that is corrected by seconds is followed', () => {
    const machine = new Machine();
    machine.hear(1, 0);
    machine.hear(1, 20_000, 3);
    expect(machine.error).toBe(20_000);
  });

  test('a machine without a clock trusts a single network', () => {
    const machine = new Machine();
    machine.wallOff = -START;
    machine.hear(1, 0, 3);
    expect(machine.error).toBe(0);
  });

  test('a network whose clock was corrected is trusted again after three tables', () => {
    const machine = new Machine();
    machine.hear(1, 20 * MINUTE);
    expect(machine.error).toBe(20 * MINUTE);
    machine.hear(1, 0, 3);
    expect(machine.error).toBe(0);
  });

  test('after a day without a table it follows the wall clock again', () => {
    const machine = new Machine();
    machine.hear(1, 0);
    machine.wallOff = 4000;
    machine.at += DAY - 1000;
    expect(machine.error).toBe(0);
    machine.at += 2000;
    expect(machine.error).toBe(4000);
    machine.hear(1, 0, 2);
    expect(machine.error).toBe(4000);
  });

  test('a wall clock that is ahead by seconds is corrected once steady tables have been behind it for 15 s', () => {
    const machine = new Machine();
    machine.wallOff = 5000;
    machine.hear(1, 0, 5);
    expect(machine.set).toEqual([]);
    machine.hear(1, 0, 1);
    expect([machine.error, machine.set]).toEqual([0, [-5000]]);
  });

  test(`for any broadcast and machine clocks it is monotonic and stays close to the true time (CLOCK_SEED=${SEED})`, () => {
    for (let round = 0; round < 40; round++) {
      const random = new Random(SEED + round);
      const machine = new Machine();
      machine.wallOff = random.below(20 * MINUTE) - 10 * MINUTE;
      for (const network of [1, 2]) machine.hear(network, 0, 5, () => random.below(1000));
      const steps = machine.set.length;
      expect(Math.abs(machine.error)).toBeLessThanOrEqual(2000);
      let before: number = machine.clock.now();
      for (let turn = 0; turn < 300; turn++) {
        const waits = random.below(20_000);
        machine.at += waits;
        const kind = random.below(10);
        if (kind === 0) machine.wallOff = random.below(40 * MINUTE) - 20 * MINUTE;
        else if (kind < 3) machine.one(9, random.below(2 * DAY) - DAY);
        else machine.one(1 + random.below(2), -random.below(1000));
        const now = machine.clock.now();
        // Never backward, never a jump.
        expect(now - before).toBeGreaterThanOrEqual(waits * 0.95 - 1);
        expect(now - before).toBeLessThanOrEqual(waits * 1.05 + 1);
        expect(Math.abs(machine.error)).toBeLessThanOrEqual(2000);
        before = now;
      }
      expect(machine.set.length).toBe(steps);
    }
  });
});

/** One-sided delays of a busy machine, ms. */
const LATE: Readonly<Record<string, (random: Random, index: number) => number>> = {
  'a constant delay': () => 6000,
  'a growing backlog': (_, index) => Math.min(9500, index * 500),
  'bursts of delay': (random, index) => (index % 12 < 9 ? 2000 + random.below(8000) : random.below(80)),
  'scattered delays': (random) => 500 + random.below(9000),
};

describe('BroadcastClock while tables arrive late', () => {
  test.each(Object.entries(LATE))('%s for ten minutes does not move it', (_, lateness) => {
    const machine = new Machine();
    machine.hear(1, 0);
    const random = new Random(SEED);
    machine.hear(1, 0, 120, (index) => lateness(random, index));
    expect(Math.abs(machine.error)).toBeLessThanOrEqual(250);
    expect(machine.set).toEqual([]);
  });

  test.each(Object.entries(LATE).filter(([name]) => name !== 'a constant delay'))(
    'a restart during %s keeps the wall clock',
    (_, lateness) => {
      const machine = new Machine();
      const random = new Random(SEED);
      machine.hear(1, 0, 60, (index) => lateness(random, index + 1));
      expect(Math.abs(machine.error)).toBeLessThanOrEqual(250);
      expect(machine.set).toEqual([]);
    },
  );

  test('it is late no longer than the least late table: a late start is corrected forward', () => {
    const machine = new Machine();
    machine.wallOff = -MINUTE;
    machine.hear(1, 0, 3, () => 7000);
    expect(machine.error).toBe(-7000);
    machine.hear(1, 0, 3, (index) => 100 * index);
    expect(machine.error).toBe(0);
  });

  test('a machine clock that is set while tables are late does not move it', () => {
    const machine = new Machine();
    machine.hear(1, 0);
    const random = new Random(SEED);
    for (const off of [MINUTE, -6000, 3000, 0]) {
      machine.wallOff = off;
      machine.hear(1, 0, 20, () => 2000 + random.below(8000));
    }
    expect([machine.error, machine.set]).toEqual([0, []]);
  });

  test('all networks of a busy machine are late', () => {
    const machine = new Machine();
    for (const network of [1, 2, 3]) machine.hear(network, 0);
    for (let turn = 0; turn < 120; turn++) machine.hear(1 + (turn % 3), 0, 1, () => 5000);
    expect([machine.error, machine.set]).toEqual([0, []]);
  });

  test.each([
    // The wall clock contradicts it: a broadcaster of a machine that is not synchronised.
    { wallOff: -40_000, minutes: 6 },
    { wallOff: 0, minutes: 33 },
  ])('a broadcaster that really sets its clock back is followed (%o)', ({ wallOff, minutes }) => {
    const machine = new Machine();
    machine.wallOff = wallOff;
    machine.hear(1, 0);
    const steps = machine.set.length;
    machine.hear(1, -10_000, 12);
    expect(machine.error).toBe(0);
    machine.hear(1, -10_000, minutes * 12);
    expect([machine.error, machine.set.slice(steps)]).toEqual([-10_000, [-10_000]]);
  });

  test('one table in time within two minutes keeps it right, and it never leaps, for any other delays', () => {
    const delays = fc.array(fc.integer({ min: 0, max: 60_000 }), { minLength: 60, maxLength: 300 });
    const property = fc.property(
      delays,
      fc.integer({ min: -120_000, max: 0 }),
      fc.integer({ min: 0, max: 5 }),
      (late, wallOff, phase) => {
        const machine = new Machine();
        machine.wallOff = wallOff;
        machine.hear(1, 0, 3);
        const steps = machine.set.length;
        machine.at += MINUTE;
        let before: number = machine.clock.now();
        for (const [index, delay] of late.entries()) {
          // Three tables support each other.
          const isInTime = Math.floor(index / 3) % 6 === phase;
          machine.hear(1, 0, 1, () => (isInTime ? delay % 100 : delay));
          const now = machine.clock.now();
          expect(now - before).toBeWithin(4749, 5252);
          expect(Math.abs(machine.error)).toBeLessThanOrEqual(1000);
          before = now;
        }
        expect(machine.set.length).toBe(steps);
      },
    );
    fc.assert(property, { seed: SEED, numRuns: 200 });
  });

  test('tables that are only late never set it ahead, and it moves by steps that are told or by 5 %', () => {
    const table = fc.record({
      network: fc.integer({ min: 1, max: 3 }),
      late: fc.integer({ min: 0, max: 60_000 }),
      after: fc.integer({ min: 100, max: 30_000 }),
      wallOff: fc.option(fc.integer({ min: -90_000, max: 0 }), { freq: 20, nil: undefined }),
    });
    const property = fc.property(fc.array(table, { maxLength: 400 }), (tables) => {
      const machine = new Machine();
      let before: number = machine.clock.now();
      let isKnown = false;
      for (const { network, late, after, wallOff } of tables) {
        machine.at += after;
        if (wallOff !== undefined) machine.wallOff = wallOff;
        const told = machine.set.length;
        machine.one(network, -late);
        const now = machine.clock.now();
        const steps = machine.set.slice(told).reduce((sum, by) => sum + by, 0);
        expect(machine.error).toBeLessThanOrEqual(0);
        if (isKnown) expect(Math.abs(now - before - after - steps)).toBeLessThanOrEqual(0.05 * after + 2);
        isKnown ||= machine.set.length > 0;
        before = now;
      }
    });
    fc.assert(property, { seed: SEED, numRuns: 200 });
  });
});
