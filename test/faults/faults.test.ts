/**
 * Faults in the whole service: real processes, real streams, the real interface. Broadcast time passes in real time, so
 * all households run in parallel.
 */
import { afterAll, beforeAll, describe, setDefaultTimeout } from 'bun:test';
import { clockFaults, wrongYear } from './clock-faults.ts';
import { homeFaults } from './disk-faults.ts';
import { LEAD_MS, LONG } from './household.ts';
import { kills } from './process-kills.ts';
import { clockwork } from './repeated-kills.ts';

setDefaultTimeout(LONG ? 600_000 : 200_000);

const at = Math.ceil((Date.now() + LEAD_MS) / 1000) * 1000;
/** One after another: to begin many at once takes a small machine seconds. */
const ROOMS = {
  'kills of agent and service': kills(at),
  'faults at home': homeFaults(at + 5_000),
  'a clock that is set': clockFaults(at + 9_000),
  'a clock of another year': wrongYear(),
  // A whole programme takes minutes.
  ...(LONG ? { 'a kill every seven seconds': clockwork(at + 14_000) } : {}),
};

beforeAll(async () => {
  await Promise.all(Object.values(ROOMS).map((room) => room.start()));
}, LEAD_MS + 60_000);
afterAll(async () => {
  await Promise.all(Object.values(ROOMS).map((room) => room.close()));
}, 60_000);

describe.concurrent('a household keeps recording through', () => {
  for (const [name, { tests }] of Object.entries(ROOMS)) describe(name, tests);
});
