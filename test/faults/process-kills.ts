/**
 * Agent and service are killed while they record: only the downtimes are missing, and each is reported with
 * its cause.
 */
import { expect } from 'bun:test';
import { until } from '../until.ts';
import { type BookedHousehold, startBooked } from './booked-household.ts';
import { drain, type EarlyFaultSuite, gapMs, type Household, LONG, type Outcome } from './household.ts';

const AWAY_MS = LONG ? 60_000 : 6_000;
/** A service that restarts immediately loses less than a verdict reports (0.5 s). */
const SERVICE_AWAY_MS = 1_000;
const SECONDS = LONG ? 240 : 40;

/**
 * Causes of each downtime in turn. If both are killed at once the service may notice the end of the agent
 * before its own, and be back before the agent.
 */
const CAUSES = [
  /^(stream_ended )?agent_unavailable$/,
  /^service_stopped$/,
  /^(stream_ended )?(agent_unavailable )?service_stopped( agent_unavailable)?$/,
  /^service_stopped$/,
];

/** Causes of gaps; adjacent gaps are joined by blanks, so that each downtime has one entry. */
function causesOf({ gaps }: Outcome['verdict']): string[] {
  const out: string[] = [];
  let until = Number.NaN;
  for (const { startMs, endMs, cause } of gaps) {
    if (startMs === until) out.push(`${out.pop()} ${cause}`);
    else out.push(cause);
    until = endMs;
  }
  return out;
}

export function kills(): EarlyFaultSuite {
  let household: Household;
  let at: number;
  let shows: BookedHousehold['shows'];
  let ids: BookedHousehold['ids'];
  const start = async (): Promise<void> => {
    ({ household, at, shows, ids } = await startBooked('a household whose processes are killed', (begin) => {
      const recorded = ['T30', 'T31', 'T32'].map((channel, index) => ({
        channel,
        title: `島の一日 第${index + 1}回`,
        at: begin,
        seconds: SECONDS,
      }));
      return { options: { shows: recorded, tuners: 'GR:3' } };
    }));
  };

  /** Waits until all recordings have written more than before. */
  async function allWrite(): Promise<void> {
    await Promise.all(shows.map((show) => household.receives(ids.get(show) ?? 0)));
  }

  /**
   * Everything a household does besides recording. Resolves once all of it runs; `ended` once the service has
   * ended all of it.
   */
  async function everything(): Promise<{ ended: Promise<unknown> }> {
    const { signal } = new AbortController();
    const stations = await household.stations();
    const viewers = await Promise.all(stations.map(({ id }) => household.watch(id, signal)));
    const events = await fetch(`${household.url}/api/events`);
    await household.send('POST', 'guide/collect');
    const rule = { keyword: '島|海', dedupe: false };
    await household.send('POST', 'rules', rule);
    const previews = Array.from({ length: 5 }, () =>
      household.send('POST', 'rules/preview', rule).catch(() => {}),
    );
    return { ended: Promise.all([...viewers.map(({ ended }) => ended), drain(events.body), ...previews]) };
  }

  const tests: EarlyFaultSuite['tests'] = (started, { test, lateness }) => {
    const killRepeatedly = async (): Promise<void> => {
      const downMs: number[] = [];
      /** Downtimes that ended before the programme. */
      let inside = 0;
      const down = async (happen: () => Promise<void>): Promise<void> => {
        const began = Date.now();
        await happen();
        await allWrite();
        downMs.push(Date.now() - began);
        if (Date.now() < at + SECONDS * 1000) inside += 1;
        await Bun.sleep(1500);
      };
      await allWrite();
      await until('all programmes are on air', () => Date.now() > at + 2000 || undefined);
      await down(async () => {
        await household.air.killAgent();
        await Bun.sleep(AWAY_MS);
        await household.air.startAgent('GR:3');
      });
      await down(async () => {
        await household.killService();
        await Bun.sleep(SERVICE_AWAY_MS);
        await household.startService();
      });
      await down(async () => {
        await Promise.all([household.killService(), household.air.killAgent()]);
        await Bun.sleep(SERVICE_AWAY_MS);
        await Promise.all([household.startService(), household.air.startAgent('GR:3')]);
      });
      await down(async () => {
        const busy = await everything();
        const asked = Date.now();
        await household.killService('SIGTERM');
        expect(household.exitCode).toBe(0);
        expect(Date.now() - asked).toBeLessThan(lateness().widened(9500));
        await busy.ended;
        await Bun.sleep(SERVICE_AWAY_MS);
        await household.startService();
      });
      const totalMs = downMs.reduce((sum, one) => sum + one, 0);
      for (const show of shows) {
        const { verdict, loss, lostMs, pictures, recording } = await household.outcome(
          show,
          ids.get(show) ?? 0,
        );
        expect({ ...loss, ...verdict }).toMatchObject({ foreign: 0, holes: downMs.length });
        // Whether the verdict is damaged or lost depends on how fast this machine starts processes.
        expect(verdict.level).not.toBe('complete');
        expect(verdict.drops).toBe(0);
        expect(recording.state).toBe(verdict.level === 'lost' ? 'failed' : 'recorded');
        const causes = causesOf(verdict);
        // On a busy machine the last downtimes are inside the margin.
        expect(causes.length).toBeGreaterThanOrEqual(inside);
        expect(causes).toEqual(CAUSES.slice(0, causes.length).map((one) => expect.stringMatching(one)));
        expect(gapMs(verdict)).toBeLessThan(totalMs);
        expect(gapMs(verdict)).toBeGreaterThan(AWAY_MS);
        expect(gapMs(verdict) - lostMs).toBeLessThan(downMs.length * 300);
        if (inside === downMs.length) expect(lostMs - gapMs(verdict)).toBeLessThan(downMs.length * 300);
        expect(verdict.headMs).toBeGreaterThan(0);
        expect(verdict.tailMs).toBeGreaterThan(500);
        // On a busy machine the broadcast is delayed.
        expect(verdict.tailMs).toBeLessThan(lateness().widened(20_000));
        expect(pictures).toBeGreaterThan(150);
      }
      const left = await household.reservations();
      expect(left.filter(({ state }) => state === 'recording')).toEqual([]);
    };

    test('every recording is one readable file in which only the downtimes are missing', async () => {
      await started();
      await household.explained(killRepeatedly);
    });
  };

  return { start, tests, close: () => household?.close() };
}
