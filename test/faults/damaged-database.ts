/**
 * Rows of the database are damaged while the service is stopped: everything else still works, undamaged
 * fields of these rows included.
 */
import { Database } from 'bun:sqlite';
import { expect } from 'bun:test';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Recording, ReservationItem, Station } from '../../lib/wire/api.ts';
import type { RuleItem } from '../../lib/wire/schedule.ts';
import { SVC } from '../built-programs.ts';
import { type Program, startProgram, WITHOUT_FFMPEG } from '../program.ts';
import type { RealTime } from '../real-time.ts';
import { putPrograms } from '../service/guide-rows.ts';
import { until } from '../until.ts';
import { CrowdAgent } from './crowd-agent.ts';

const STATIONS = 3;
const SECONDS = 20;

let folder: string;
let agent: CrowdAgent;
let service: Program;

async function startService(): Promise<void> {
  service = await startProgram(SVC, {
    HOST: '127.0.0.1',
    PORT: '0',
    DATA_DIR: folder,
    TRUSTED_NETWORKS: '127.0.0.0/8',
    TUNER_AGENT_URL: agent.url,
    ...WITHOUT_FFMPEG,
  });
}

async function send<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(`${service.url}/api/${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as T;
}

const read = <T>(path: string): Promise<T> => send('GET', path);

const receiving = (): Promise<Recording[]> =>
  until('all are received', async () => {
    const list = await read<Recording[]>('recordings?show=recording');
    const all = list.filter(({ progress }) => progress?.phase === 'receiving');
    return all.length === STATIONS ? all : undefined;
  });

async function damagedRows(): Promise<void> {
  await until('the stations are known', async () =>
    (await read<Station[]>('services')).length === STATIONS ? true : undefined,
  );
  const database = new Database(join(folder, 'svc.db'));
  database.run('PRAGMA busy_timeout = 5000');
  const at = Date.now();
  const programmes = putPrograms(
    database,
    agent.stations.map((station) => ({
      ...{ station, event: 1, startAt: at, endAt: at + SECONDS * 1000, name: '傷ついた記録' },
    })),
  );
  const rules: RuleItem[] = [];
  for (const keyword of ['かもめ', 'とんび']) rules.push(await send('POST', 'rules', { keyword }));
  await send('PUT', 'settings', { marginBefore: 1000 });
  for (const programId of programmes) await send('POST', 'reservations', { programId, marginAfter: 1000 });
  const [texts, measured, sound] = (await receiving()).sort((a, b) => a.id - b.id);
  // A second or two of each recording.
  await until('all are written', async () => {
    const list = await read<Recording[]>('recordings?show=recording');
    return list.every(({ progress }) => (progress?.bytes ?? 0) > 5_000) ? true : undefined;
  });
  // Something of each recording has been measured.
  const saved = `SELECT count(*) AS n FROM recording_measurements WHERE json_array_length(measured, '$.stretches') > 0`;
  await until('all are saved', () => database.query<{ n: number }, []>(saved).get()?.n === STATIONS);
  await service.kill('SIGKILL');
  const damage = (sql: string, id: number | string): void => {
    expect(database.query(sql).run(id).changes).toBe(1);
  };
  damage(
    `UPDATE recordings SET genres = '[{"lv1":', extended = '"?', audios = '{}' WHERE id = ?`,
    texts?.id ?? 0,
  );
  damage(
    `UPDATE recording_measurements SET measured = '{"stretches":[null' WHERE recording_id = ?`,
    measured?.id ?? 0,
  );
  damage(
    `UPDATE reservations SET blockers = '[1,', alternatives = 'x' WHERE program_id = ?`,
    sound?.programId ?? 0,
  );
  damage(`UPDATE rules SET conditions = '{"keyword":' WHERE id = ?`, rules[0]?.id ?? 0);
  damage(`UPDATE settings SET value = '{' WHERE key = ?`, 'marginBefore');

  await startService();
  await receiving();
  for (const field of [
    'extended',
    'genres',
    'audios',
    'measured',
    'blockers',
    'alternatives',
    'conditions',
  ]) {
    expect(service.log()).toMatch(new RegExp(`damaged database field.*field=${field}`));
  }
  expect(service.log()).toMatch(/damaged database field table=settings row=marginBefore/);
  expect((await read<ReservationItem[]>('reservations')).map(({ state }) => state)).toEqual([
    'recording',
    'recording',
    'recording',
  ]);
  await until('the rule is disabled', async () => {
    const [damaged, other] = await read<RuleItem[]>('rules');
    return damaged?.enabled === false && damaged.disabledReason !== null && other?.enabled === true
      ? true
      : undefined;
  });
  const ended = await until('all are judged', async () => {
    const list = (await read<Recording[]>('recordings')).filter(({ verdict }) => verdict !== null);
    return list.length === STATIONS ? list : undefined;
  });
  for (const { id, state, verdict } of ended) {
    expect(state).toBe('recorded');
    expect(verdict).toMatchObject({ level: 'damaged', drops: 0 });
    // The recording whose measurements were lost begins where the service restarted.
    expect(verdict?.gaps.at(-1)?.cause).toBe('service_stopped');
    const later = verdict?.gaps.filter(({ cause }) => cause !== 'late') ?? [];
    expect({ id, gaps: later.length }).toEqual({ id, gaps: 1 });
    expect(verdict?.tailMs).toBeGreaterThan(0);
  }
  const gapOf = (id = 0): number => {
    const gap = ended.find((one) => one.id === id)?.verdict?.gaps.at(-1);
    return (gap?.endMs ?? 0) - (gap?.startMs ?? 0);
  };
  expect(Math.abs(gapOf(measured?.id) - gapOf(sound?.id))).toBeLessThan(2000);
  const files = database.query<{ path: string }, []>('SELECT path FROM recording_files').all();
  expect(files).toHaveLength(STATIONS);
  for (const { path } of files) expect(statSync(path).size % 188).toBe(0);
  database.close();
}

export const damagedDatabase = {
  start: async (): Promise<void> => {
    folder = mkdtempSync(join(tmpdir(), 'svc-damaged-'));
    agent = new CrowdAgent(1, STATIONS);
    await startService();
  },
  tests: ({ test }: RealTime): void =>
    test(
      'the service starts with damaged recordings, reservations, rules and settings, and reports them',
      damagedRows,
    ),
  close: async (): Promise<void> => {
    await service?.end();
    await agent?.close();
    rmSync(folder, { recursive: true, force: true });
  },
};
