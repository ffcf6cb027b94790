/** Service and agent are stopped for a while and continue (SIGSTOP, SIGCONT): nothing that waited is lost. */
import { expect, test } from 'bun:test';
import { type FaultRoom, Household, type Show, until } from './household.ts';
import { missingOf, readStream } from './packet-reader.ts';

const SECONDS = 40;
/** Longer than the service waits for packets (8 s). */
const SERVICE_PAUSE_MS = 10_000;
/** Longer than the agent waits for its device's packets (5 s), shorter than the service waits for the agent's. */
const AGENT_PAUSE_MS = 6_000;

async function paused(pid: number, forMs: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  try {
    await Bun.sleep(forMs);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

export function pauses(at: number): FaultRoom {
  const show: Show = { channel: 'T30', title: '止まった時間', at, seconds: SECONDS };
  let house: Household;
  let id = 0;
  const start = async (): Promise<void> => {
    house = await Household.start({ shows: [show], tuners: 'GR:1', settings: { marginAfter: 8_000 } });
    id = (await house.reserveAll()).get(show) ?? 0;
  };
  const tests = (): void => {
    test('pauses of service and agent cost nothing that the other one, or the device, kept', () =>
      house.explained(async () => {
        await house.receives(id);
        await until('it is on', () => Date.now() > at + 3_000 || undefined);
        await paused(house.pid, SERVICE_PAUSE_MS);
        await until('the service has caught up', async () => {
          const bytes = (await house.recording(id))?.progress?.bytes ?? 0;
          await Bun.sleep(1_200);
          return ((await house.recording(id))?.progress?.bytes ?? 0) > bytes || undefined;
        });
        await paused(house.air.agentPid, AGENT_PAUSE_MS);
        const { verdict, bytes } = await house.judged(show, id);
        const facts = readStream(bytes, at);
        expect(facts).toMatchObject({ unsynced: 0, breaks: 0, holes: [] });
        expect(missingOf(facts, { from: at, to: at + SECONDS * 1000 }, 0)).toEqual([]);
        expect(verdict).toMatchObject({ level: 'complete', drops: 0, gaps: [] });
      }));
  };
  return { start, tests, close: () => house?.close() };
}
