/**
 * Agent, service, or both are killed every seven seconds during a whole programme, regardless of what the
 * recordings are doing, also while they recover from the previous kill. Each is restarted at once, as by a
 * supervisor.
 */
import { expect } from 'bun:test';
import { type BookedHousehold, startBooked } from './booked-household.ts';
import { type EarlyFaultSuite, gapMs, type Household, type Outcome } from './household.ts';

const EVERY_MS = 7_000;
const SECONDS = 180;
/** Time between the last kill and the programme's end. */
const LAST_MS = 12_000;
const TUNERS = 'GR:3';

const TURNS = [['agent'], ['service'], ['service', 'agent']] as const;
type Part = (typeof TURNS)[number][number];

/** Causes that the service reports for a kill. */
const CAUSES: ReadonlySet<string> = new Set([
  'agent_unavailable',
  'stream_ended',
  'service_stopped',
  'no_tuner',
]);

/** Merges adjacent gaps, whatever their causes. */
function holes({ gaps }: Outcome['verdict']): { startMs: number; endMs: number }[] {
  const runs: { startMs: number; endMs: number }[] = [];
  for (const { startMs, endMs } of gaps) {
    const last = runs.at(-1);
    if (last !== undefined && startMs <= last.endMs) last.endMs = Math.max(last.endMs, endMs);
    else runs.push({ startMs, endMs });
  }
  return runs;
}

/** A process that is killed, also while it starts, and restarted. */
class Supervised {
  #starting: AbortController | undefined;
  #started: Promise<void> = Promise.resolve();

  constructor(
    readonly kill: () => Promise<void>,
    readonly start: (signal: AbortSignal) => Promise<void>,
  ) {}

  /** Kills and restarts it; resolves before it is ready. */
  async again(): Promise<void> {
    this.#starting?.abort(new Error('killed'));
    await this.#started.catch(() => {});
    await this.kill();
    const starting = new AbortController();
    this.#starting = starting;
    this.#started = this.start(starting.signal);
    // Whether it is up only matters at the end.
    this.#started.catch(() => {});
  }

  get there(): Promise<void> {
    return this.#started;
  }
}

export function clockwork(): EarlyFaultSuite {
  let household: Household;
  let at: number;
  let shows: BookedHousehold['shows'];
  let ids: BookedHousehold['ids'];
  const start = async (): Promise<void> => {
    ({ household, at, shows, ids } = await startBooked(
      'a household that is killed again and again',
      (begin) => {
        const recorded = ['T30', 'T31', 'T32'].map((channel, index) => ({
          channel,
          title: `時計じかけ 第${index + 1}回`,
          at: begin,
          seconds: SECONDS,
        }));
        return { options: { shows: recorded, tuners: TUNERS } };
      },
    ));
  };

  /** Kills at fixed times. @returns the times of the kills, epoch ms */
  async function killRepeatedly(): Promise<number[]> {
    const parts: Record<Part, Supervised> = {
      agent: new Supervised(
        () => household.air.killAgent(),
        (signal) => household.air.startAgent(TUNERS, signal),
      ),
      service: new Supervised(
        () => household.killService(),
        (signal) => household.startService(signal),
      ),
    };
    const killedAt: number[] = [];
    for (let due = at + EVERY_MS; due < at + SECONDS * 1000 - LAST_MS; due += EVERY_MS) {
      await Bun.sleep(due - Date.now());
      const turn = TURNS[killedAt.length % TURNS.length] ?? TURNS[0];
      killedAt.push(Date.now());
      await Promise.all(turn.map((part) => parts[part].again()));
    }
    await Promise.all([parts.agent.there, parts.service.there]);
    return killedAt;
  }

  const tests: EarlyFaultSuite['tests'] = (started, { test }) => {
    const killed = async (): Promise<void> => {
      await Promise.all(shows.map((show) => household.receives(ids.get(show) ?? 0)));
      const killedAt = await killRepeatedly();
      for (const show of shows) {
        const { verdict, loss, lostMs, pictures, recording, bytes } = await household.outcome(
          show,
          ids.get(show) ?? 0,
        );
        const reported = holes(verdict);
        const worst = Math.max(...reported.map(({ startMs, endMs }) => endMs - startMs));
        console.log(
          `${killedAt.length} kills in ${SECONDS} s: ${reported.length} holes, ${gapMs(verdict)} ms reported, ` +
            `${lostMs} ms missing, the longest ${worst} ms; ${bytes.length / 188} packets, ${pictures} pictures`,
        );
        console.log(
          verdict.gaps.map(({ startMs, endMs, cause }) => `${startMs}-${endMs} ${cause}`).join(', '),
        );
        // On a slow machine a kill may come before everything has recovered from the previous one, or just
        // after.
        expect(loss.foreign).toBe(0);
        expect(loss.holes).toBeGreaterThanOrEqual(reported.length);
        expect(loss.holes).toBeLessThanOrEqual(killedAt.length);
        expect(reported.length).toBeGreaterThan(killedAt.length / 2);
        expect(verdict).toMatchObject({ level: 'damaged', drops: 0 });
        expect(recording.state).toBe('recorded');
        expect(verdict.gaps.every(({ cause }) => CAUSES.has(cause))).toBe(true);
        expect(worst).toBeLessThan(EVERY_MS * 3);
        const kills = killedAt.map((killed) => killed - at);
        const late = EVERY_MS / 2;
        // Data waiting for the disk is lost as well; a busy machine kills late.
        const isOf = (kill: number, { startMs }: { startMs: number }): boolean =>
          startMs > kill - 1500 && startMs < kill + late;
        expect(reported.filter((hole) => !kills.some((kill) => isOf(kill, hole)))).toEqual([]);
        const isIn = (kill: number, { startMs, endMs }: { startMs: number; endMs: number }): boolean =>
          startMs < kill + late && endMs > kill;
        expect(kills.filter((kill) => !reported.some((hole) => isIn(kill, hole)))).toEqual([]);
        expect(Math.abs(gapMs(verdict) - lostMs)).toBeLessThan(killedAt.length * 300);
        expect(verdict.headMs).toBeGreaterThan(0);
        expect(verdict.tailMs).toBeGreaterThan(500);
        expect(verdict.tailMs).toBeLessThan(6000);
        expect(pictures).toBeGreaterThan(SECONDS * 10);
      }
    };
    test('every recording is one readable file in which only the downtimes are missing', async () => {
      await started();
      await household.explained(killed);
    });
  };

  return { start, tests, close: () => household?.close() };
}
