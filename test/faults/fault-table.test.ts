/**
 * The fault table (`fault-rows.ts`) against real processes. Broadcasts run in real time, so all households
 * run in parallel; they are started one after another, because starting many at once takes a small machine
 * seconds.
 */
import { afterAll, beforeAll, describe, setDefaultTimeout } from 'bun:test';
import { MachineLateness } from '../machine-lateness.ts';
import { HOUSEHOLDS } from './fault-rows.ts';
import { faultTable } from './fault-table.ts';

setDefaultTimeout(240_000);

/** `FAULT_HOUSEHOLDS=air,disk` selects some of them. */
const chosen = process.env.FAULT_HOUSEHOLDS?.split(',');
const households = HOUSEHOLDS.filter((name) => chosen?.includes(name) ?? true);
let lateness: MachineLateness | undefined;
const suites = new Map(households.map((name) => [name, faultTable(name, () => lateness?.lateMs ?? 0)]));

beforeAll(async () => {
  lateness = await MachineLateness.start();
  for (const suite of suites.values()) await suite.start();
}, 300_000);
afterAll(async () => {
  await Promise.all([...suites.values()].map((suite) => suite.close()));
  lateness?.[Symbol.dispose]();
}, 60_000);

describe.concurrent('the fault table', () => {
  for (const [name, suite] of suites) describe(name, suite.tests);
});
