/**
 * Faults inside the service: workers that stop responding, recorders that crash at once, a database with
 * damaged rows.
 */
import { afterAll, describe } from 'bun:test';
import { realTime } from '../real-time.ts';
import { damagedDatabase } from './damaged-database.ts';
import { recorderLives } from './short-lived-recorders.ts';
import { silentWorkers } from './silent-workers.ts';

const SUITES = {
  'a stream worker': silentWorkers,
  'short-lived recorders': recorderLives,
  'a damaged database': damagedDatabase,
};

const measured = realTime();
measured.prepare(async () => {
  await Promise.all(Object.values(SUITES).map((suite) => suite.start()));
});
afterAll(async () => {
  await Promise.all(Object.values(SUITES).map((suite) => suite.close()));
});

describe.concurrent('within the service', () => {
  for (const [name, { tests }] of Object.entries(SUITES)) describe(name, () => tests(measured));
});
