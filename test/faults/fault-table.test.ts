/**
 * The fault table (`fault-rows.ts`) against real processes. Broadcasts run in real time, so all households
 * run in parallel; as many start at once as there are processors, because starting all at once takes a small
 * machine seconds.
 */
import { afterAll, beforeAll, describe } from 'bun:test';
import { availableParallelism } from 'node:os';
import { MachineLateness } from '../machine-lateness.ts';
import { HOUSEHOLDS } from './fault-rows.ts';
import { faultTable } from './fault-table.ts';

/** `FAULT_HOUSEHOLDS=air,disk` selects some of them. */
const chosen = process.env.FAULT_HOUSEHOLDS?.split(',');
const households = HOUSEHOLDS.filter((name) => chosen?.includes(name) ?? true);
let lateness: MachineLateness | undefined;
const suites = new Map(households.map((name) => [name, faultTable(name, () => lateness?.lateMs ?? 0)]));

beforeAll(async () => {
  lateness = await MachineLateness.start();
  const left = [...suites.values()];
  const startNext = async (): Promise<void> => {
    for (let suite = left.shift(); suite !== undefined; suite = left.shift()) await suite.start();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, startNext));
});
afterAll(async () => {
  await Promise.all([...suites.values()].map((suite) => suite.close()));
  lateness?.[Symbol.dispose]();
});

describe.concurrent('the fault table', () => {
  for (const [name, suite] of suites) describe(name, suite.tests);
});
