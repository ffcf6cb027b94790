/**
 * The machine's clock is stepped by ten minutes in both directions: recordings follow the broadcast clock.
 */
import { Database } from 'bun:sqlite';
import { expect } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { GuideWindow, Station } from '../../lib/wire/api.ts';
import { TestBroadcast } from '../record/test-broadcast.ts';
import { startTestService, type TestService } from '../service/harness.ts';
import { until } from '../until.ts';
import { type BookedHousehold, startBooked } from './booked-household.ts';
import { drain, type EarlyFaultSuite, type Household, type Show } from './household.ts';

const SECONDS = 15;
const JUMP_MS = 600_000;

export function clockFaults(): EarlyFaultSuite {
  let running: Show;
  /** Begins while the machine's clock is wrong. */
  let waiting: Show;
  /** Error of the machine's clock; at first that of a clock that was not synchronised for a long time. */
  let skewMs = 5_000;
  let household: Household;
  let at: number;
  let ids: BookedHousehold['ids'];
  const leave = new AbortController();

  const start = async (): Promise<void> => {
    ({ household, at, ids } = await startBooked('a household whose clock is wrong', (begin) => {
      running = { channel: 'T30', title: '時の流れ', at: begin, seconds: SECONDS };
      waiting = {
        ...{ channel: 'T31', title: '時を待つ' },
        ...{ at: begin + (SECONDS - 3) * 1000, seconds: SECONDS },
      };
      return {
        options: { shows: [running, waiting], tuners: 'GR:2', now: () => Date.now() + skewMs },
        prepare: async (begun) => {
          const [station] = await begun.stations();
          // Receiving a station provides the broadcast time.
          await begun.watch(station?.id, leave.signal);
        },
      };
    }));
  };
  const close = async (): Promise<void> => {
    leave.abort();
    await household?.close();
  };
  const tests: EarlyFaultSuite['tests'] = (started, { test }) => {
    test('running recordings continue to their end, waiting ones begin on time', async () => {
      await started();
      await until(
        'it uses the broadcast time',
        () => household.log.includes('clock corrected to the broadcast time') || undefined,
      );
      await household.writes(ids.get(running) ?? 0);
      await until('its programme is on', () => Date.now() > at + 2000 || undefined);
      skewMs = JUMP_MS;
      await until('half of it is over', () => Date.now() > at + 7000 || undefined);
      skewMs = -JUMP_MS;
      for (const show of [running, waiting]) {
        const { verdict, loss, recording } = await household.outcome(show, ids.get(show) ?? 0);
        expect({ ...loss, ...verdict }).toMatchObject({ foreign: 0, missing: 0, places: 0, holes: 0 });
        expect(verdict).toMatchObject({ level: 'complete', drops: 0, gaps: [] });
        expect(verdict.headMs).toBeGreaterThan(0);
        // May have begun early, before the broadcast time was known, which takes longer on a busy machine.
        expect(verdict.headMs).toBeLessThan(20_000);
        expect(verdict.tailMs).toBeGreaterThan(500);
        // On a busy machine the broadcast is delayed.
        expect(verdict.tailMs).toBeLessThan(20_000);
        expect(Math.abs(recording.startAt - show.at)).toBeLessThan(2000);
      }
    });
  };

  return { start, tests, close };
}

const TEN_YEARS_MS = 10 * 365 * 86_400_000;

/** A machine without a real-time clock starts ten years ahead, with a stored guide. */
export function wrongYear(): EarlyFaultSuite {
  let air: TestBroadcast;
  let service: TestService | undefined;
  let data: string;
  let before = 0;

  const count = (): number => {
    const database = new Database(join(data, 'svc.db'), { readonly: true });
    const row = database.query<{ n: number }, []>('SELECT count(*) AS n FROM programs').get();
    database.close();
    return row?.n ?? 0;
  };
  const serve = (options: { now?: () => number; elapsed?: () => number }): Promise<TestService> =>
    startTestService({
      ...options,
      environment: { TUNER_AGENT_URL: air.agentUrl, DATA_DIR: data, EPG_SWEEP_SETTLE: '1000' },
    });

  const start = async (): Promise<void> => {
    air = await TestBroadcast.start(['T30', 'T31'], 'GR:2', {}, 20);
    data = join(air.folder, 'data');
    mkdirSync(data);
    const right = await serve({});
    await until('the guide was collected', () => count() > 10 || undefined);
    await right.close();
    before = count();
    service = await serve({ now: () => Date.now() + TEN_YEARS_MS, elapsed: () => performance.now() });
  };
  const leaving = new AbortController();
  const close = async (): Promise<void> => {
    leaving.abort();
    await service?.close();
    await air?.close();
  };
  const tests: EarlyFaultSuite['tests'] = (started, { test }) => {
    test('a clock ten years ahead at the start keeps the guide, and shows the current programmes', async () => {
      await started();
      const read = async <T>(path: string): Promise<T> =>
        (await (await fetch(`${service?.url}/api/${path}`)).json()) as T;
      // The time comes from received streams: it is trusted once two networks agree.
      for (const { id } of await read<Station[]>('services')) {
        const { body } = await fetch(`${service?.url}/api/services/${id}/live?codec=raw`, {
          signal: leaving.signal,
        });
        void drain(body);
      }
      let least = before;
      await until('the broadcast time is known', () => {
        least = Math.min(least, count());
        return service?.lines.some((line) => line.includes('clock corrected to the broadcast time'));
      });
      // Some programmes end meanwhile; the guide must not be discarded.
      expect(least).toBeGreaterThan(before / 2);
      await until('the current programme is shown', async () => {
        const [station] = await read<Station[]>('services');
        return station?.now !== undefined && station.now !== null;
      });
      const now = Date.now();
      const guide = await read<GuideWindow>(`guide?from=${now}&to=${now + 60_000}`);
      expect(guide.flatMap(({ programs }) => programs).length).toBeGreaterThan(0);
    });
  };
  return { start, tests, close };
}
