/**
 * Faults in the whole service: real processes, real streams, the real interface. Broadcasts run in real time,
 * so all households run in parallel.
 */
import { afterAll, beforeAll, describe } from 'bun:test';
import { realTime } from '../real-time.ts';
import { clockFaults, wrongYear } from './clock-faults.ts';
import { homeFaults } from './disk-faults.ts';
import { LONG } from './household.ts';
import { kills } from './process-kills.ts';
import { clockwork } from './repeated-kills.ts';

const SUITES = {
  'kills of agent and service': kills(),
  'faults of disk and database': homeFaults(),
  'a clock that is stepped': clockFaults(),
  'a clock of another year': wrongYear(),
  // Takes minutes, because it covers a whole programme.
  ...(LONG ? { 'a kill every seven seconds': clockwork() } : {}),
};

const measured = realTime();
const started = new Map<string, Promise<void>>();
/**
 * One after another, because starting many at once takes a small machine seconds. Not awaited, because the
 * programmes of the first household do not wait for the others.
 */
beforeAll(() => {
  let before: Promise<unknown> = Promise.resolve();
  for (const [name, suite] of Object.entries(SUITES)) {
    const start = before.then(suite.start);
    // The error is thrown by the tests that wait for it.
    before = start.catch(() => {});
    started.set(name, start);
  }
});
afterAll(async () => {
  await Promise.allSettled(started.values());
  await Promise.all(Object.values(SUITES).map((suite) => suite.close()));
});

describe.concurrent('a household keeps recording through', () => {
  for (const [name, { tests }] of Object.entries(SUITES)) {
    describe(name, () => tests(async () => await started.get(name), measured));
  }
});
