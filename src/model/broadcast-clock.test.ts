import { describe, expect, test } from 'bun:test';
import { networkId } from '../../arib/ids.ts';
import { broadcastMs } from '../../arib/time.ts';
import { monotonicMs, wallMs } from '../../host/clock.ts';
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
    { wall: () => wallMs(START + this.at + this.wallOff), elapsed: () => monotonicMs(12_345 + this.at) },
    (by) => this.set.push(by),
  );

  /** Difference between the clock and real time, ms. */
  get error(): number {
    return this.clock.now() - START - this.at;
  }

  /** A network with this clock error sends tables, one every 5 s. @param late delay of each table, ms */
  hear(network: number, off: number, count = 17, late: (index: number) => number = () => 0): void {
    for (let index = 0; index < count; index++) {
      this.at += 5000;
      this.one(network, off - late(index));
    }
  }

  one(network: number, off: number, at = START + this.at + this.wallOff): void {
    this.clock.receive({
      networkId: networkId(network),
      time: broadcastMs(START + this.at + off),
      at: wallMs(at),
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

  test('a table in transit while the wall clock was set is dated by its arrival', () => {
    const machine = new Machine();
    machine.wallOff = 5 * MINUTE;
    for (const wasOff of [0, 12 * MINUTE, 0]) {
      machine.at += 5000;
      machine.one(1, 0, START + machine.at + wasOff);
    }
    expect(machine.error).toBe(0);
  });

  test('the delay between arrival and reading of a table does not count as an offset', () => {
    const machine = new Machine();
    machine.wallOff = MINUTE;
    for (let index = 0; index < 3; index++) {
      machine.at += 5000;
      const sent = START + machine.at;
      machine.at += 1500;
      machine.clock.receive({
        networkId: networkId(1),
        time: broadcastMs(sent),
        at: wallMs(sent + machine.wallOff),
      });
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

  test(`for any broadcast and machine clocks it is monotonic and stays close to the true time (CLOCK_SEED=${SEED})`, () => {
    for (let round = 0; round < 40; round++) {
      const random = new Random(SEED + round);
      const machine = new Machine();
      machine.wallOff = random.below(20 * MINUTE) - 10 * MINUTE;
      for (const network of [1, 2]) machine.hear(network, 0, 3, () => random.below(1000));
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
