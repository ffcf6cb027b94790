/**
 * The fault table (`fault-rows.ts`) against real processes. Broadcasts run in real time, so all households
 * run in parallel; as many start at once as there are processors, because starting all at once takes a small
 * machine seconds.
 */
import { afterAll, describe } from 'bun:test';
import { availableParallelism } from 'node:os';
import { realTime } from '../real-time.ts';
import { HOUSEHOLDS } from './fault-rows.ts';
import { faultTable } from './fault-table.ts';

/** `FAULT_HOUSEHOLDS=air,disk` selects some of them. */
const chosen = process.env.FAULT_HOUSEHOLDS?.split(',');
const households = HOUSEHOLDS.filter((name) => chosen?.includes(name) ?? true);
const measured = realTime();
const suites = new Map(households.map((name) => [name, faultTable(name, measured)]));

measured.prepare(async () => {
  const left = [...suites.values()];
  const startNext = async (): Promise<void> => {
    for (let suite = left.shift(); suite !== undefined; suite = left.shift()) await suite.start();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, startNext));
});
afterAll(async () => {
  await Promise.all([...suites.values()].map((suite) => suite.close()));
});

describe.concurrent('the fault table', () => {
  for (const [name, suite] of suites) describe(name, suite.tests);
});
