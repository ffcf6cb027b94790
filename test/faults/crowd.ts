/** Two hundred reservations that begin in the same second, on eight tuners whose channels they share. */
import { Database } from 'bun:sqlite';
import { expect } from 'bun:test';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Recording, ReservationItem, Station } from '../../lib/wire/api.ts';
import { SVC } from '../built-programs.ts';
import { type Program, startProgram, WITHOUT_FFMPEG } from '../program.ts';
import type { RealTime } from '../real-time.ts';
import { putPrograms } from '../service/guide-rows.ts';
import { until } from '../until.ts';
import { CrowdAgent } from './crowd-agent.ts';

const TUNERS = 8;
const STATIONS_EACH = 25;
const ALL = TUNERS * STATIONS_EACH;
/** On a quiet machine: length of the programmes, and time until they begin, in which all of them are reserved. */
const SECONDS = 8;
const LEAD_MS = 15_000;
/** Time in which a quiet machine starts the service and lists the stations. */
const STARTED_MS = 2_500;
/** A machine so slow is not given more time. */
const SLOWEST = 6;

export function crowd() {
  let folder: string;
  let agent: CrowdAgent;
  let service: Program;
  let began: number;

  const start = async (): Promise<void> => {
    began = performance.now();
    folder = mkdtempSync(join(tmpdir(), 'svc-crowd-'));
    agent = new CrowdAgent(TUNERS, STATIONS_EACH);
    service = await startProgram(SVC, {
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: folder,
      TRUSTED_NETWORKS: '127.0.0.0/8',
      TUNER_AGENT_URL: agent.url,
      ...WITHOUT_FFMPEG,
    });
  };
  const close = async (): Promise<void> => {
    await service?.end();
    await agent?.close();
    rmSync(folder, { recursive: true, force: true });
  };

  async function read<T>(path: string): Promise<T> {
    return (await (await fetch(`${service.url}/api/${path}`)).json()) as T;
  }

  async function post(path: string, body: unknown): Promise<number> {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${service.url}/api/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    await answer.text();
    return answer.status;
  }

  /** Measures the slowest response of the service, ms. */
  function measureResponses() {
    let slowest = 0;
    let isOver = false;
    const asking = (async () => {
      while (!isOver) {
        const asked = performance.now();
        await read('status');
        slowest = Math.max(slowest, performance.now() - asked);
        await Bun.sleep(50);
      }
    })();
    const stop = async (): Promise<number> => {
      isOver = true;
      await asking;
      return slowest;
    };
    return { slowest: stop, [Symbol.asyncDispose]: async () => void (await stop()) };
  }

  const tests = ({ test, lateness }: RealTime): void => {
    test('all programmes are recorded completely, and the service responds meanwhile', async () => {
      await until(
        'the stations are known',
        async () => (await read<Station[]>('services')).length === ALL || undefined,
      );
      const database = new Database(join(folder, 'svc.db'));
      const slowness = Math.min(SLOWEST, Math.max(1, (performance.now() - began) / STARTED_MS));
      const seconds = Math.ceil(SECONDS * slowness);
      const at = Math.ceil((Date.now() + LEAD_MS * slowness) / 1000) * 1000;
      const programmes = putPrograms(
        database,
        agent.stations.map((station) => ({
          ...{ station, event: 1, startAt: at, endAt: at + seconds * 1000, name: '同じ時刻の番組' },
        })),
      );
      const statuses = await Promise.all(
        programmes.map((programId) =>
          post('reservations', { programId, marginBefore: Math.ceil(5000 * slowness), marginAfter: 2000 }),
        ),
      );
      expect(statuses.filter((status) => status >= 300)).toEqual([]);
      const booked = await until('all are planned', async () => {
        const list = await read<ReservationItem[]>('reservations');
        return list.every(({ state }) => state === 'scheduled') ? list : undefined;
      });
      expect(booked).toHaveLength(ALL);
      await using responses = measureResponses();
      await until('all are on air', () => Date.now() > at || undefined);
      /** On a busy machine the first ones may end before the last ones receive. */
      const received = new Map<number, Recording>();
      await until('all are received', async () => {
        const list = await read<Recording[]>('recordings?show=recording&limit=500');
        for (const one of list) if (one.progress?.phase === 'receiving') received.set(one.id, one);
        return received.size === ALL;
      });
      // None later than its programme began: see `headMs` below.
      expect([...received.values()].every(({ startAt }) => startAt === at)).toBe(true);
      const ended = await until('all are judged', async () => {
        const list = await read<Recording[]>('recordings?limit=500');
        return list.length === ALL && list.every(({ verdict }) => verdict !== null) ? list : undefined;
      });
      const slowest = await responses.slowest();
      for (const { verdict } of ended) {
        expect(verdict).toMatchObject({ level: 'complete', drops: 0, gaps: [] });
        expect(verdict?.headMs).toBeGreaterThan(0);
        expect(verdict?.tailMs).toBeGreaterThan(0);
      }
      const files = database.query<{ path: string }, []>('SELECT path FROM recording_files').all();
      database.close();
      expect(files).toHaveLength(ALL);
      expect(files.every(({ path }) => statSync(path).size > seconds * 9 * 188)).toBe(true);
      expect(slowest).toBeLessThan(Math.max(5_000 * slowness, lateness().widened(5_000)));
    });
  };

  return { start, tests, close };
}
