/** How long recordings are kept, and the disk space that they use, over HTTP. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { Value } from '@sinclair/typebox/value';
import { broadcastMs } from '../../lib/arib/time.ts';
import { type Retiring, type StorageFacts, StorageSchema } from '../../lib/wire/api.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { until } from '../until.ts';
import { HOUR, RecordedHome, START } from './recorded-home.ts';

let home: RecordedHome;

beforeAll(async () => {
  home = await RecordedHome.start();
});

afterAll(() => home.close());

beforeEach(() => home.clear());

describe('retention', () => {
  const ruleOf = (limits: string): number => {
    const inserted = home.database
      .query<{ id: number }, []>(
        `INSERT INTO rules (name, conditions, keep_newest, keep_days, created_at, updated_at)
         VALUES ('r', '{"keyword":"便り"}', ${limits}, 0, 0) RETURNING id`,
      )
      .get();
    return inserted?.id ?? -1;
  };
  /** Any change makes the retention check run soon. */
  const touch = async (): Promise<void> => {
    const other = home.put({ name: 'other' }, 99);
    await home.send('POST', `/api/recordings/${other}/protect`, { protected: true });
  };

  test('keeps the newest of a rule, and protects restored recordings', async () => {
    const ruleId = ruleOf('2, NULL');
    const old = home.put({ ruleId }, 0);
    const seen = home.put({ ruleId, watchedAt: 5 }, 1);
    const locked = home.put({ ruleId, protected: true }, 2);
    const rest = [home.put({ ruleId }, 3), home.put({ ruleId }, 4)];
    const others = home.put({ ruleId: ruleOf('NULL, NULL') }, 0);
    await touch();
    await until(async () => (await home.ids('show=bin')).length > 0);
    expect((await home.ids('show=bin')).sort()).toEqual([old, seen].sort());
    expect(await home.ids(`ruleId=${ruleId}&sort=oldest`)).toEqual([locked, ...rest]);
    expect(await home.ids('show=protected&sort=oldest')).toContain(locked);
    await home.send('POST', `/api/recordings/${seen}/restore`);
    expect(await home.item(seen)).toMatchObject({ protected: true });
    await touch();
    expect((await home.send('GET', `/api/recordings/${others}/status`)).status).toBe(200);
    expect(await home.ids(`ruleId=${ruleId}&sort=oldest`)).toEqual([seen, locked, ...rest]);
  });

  test('deletes nothing that is being watched, and reports that in the preview', async () => {
    const ruleId = ruleOf('1, NULL');
    const limits = { keyword: '便り', keepNewest: 1 };
    const [read, resumed, idle] = [0, 1, 2].map((index) => home.put({ ruleId }, index));
    home.put({ ruleId }, 3);
    await (
      await home.get(`/api/recordings/${read}/file?source=ts`, { headers: { range: 'bytes=0-9' } })
    ).bytes();
    await home.get(`/api/recordings/${idle}/file?source=ts`, { method: 'HEAD' });
    await home.send('POST', `/api/recordings/${resumed}/resume`, { at: 40 });
    await touch();
    await until(async () => (await home.ids('show=bin')).length > 0);
    expect(await home.ids('show=bin')).toEqual([idle ?? 0]);
    const response = await home.send('POST', `/api/rules/preview?ruleId=${ruleId}`, limits);
    expect(((await response.json()) as { retiring?: Retiring }).retiring).toEqual([]);
  });

  test('is shown in the preview of a rule before it is saved', async () => {
    const made = await home.send('POST', '/api/rules', { name: '便り', keyword: '便り', keepNewest: 9 });
    const { id: ruleId } = (await made.json()) as { id: number };
    const rows = [0, 1, 2, 3].map((index) =>
      home.put({ ruleId, name: `[字]便り${index}`, watchedAt: index === 2 ? 5 : null, bytes: 700 }, index),
    );
    const preview = async (body: object, query = `?ruleId=${ruleId}`): Promise<Retiring> => {
      const response = await home.send('POST', `/api/rules/preview${query}`, { keyword: '便り', ...body });
      expect(response.status).toBe(200);
      return ((await response.json()) as { retiring?: Retiring }).retiring ?? [];
    };
    expect(await preview({ keepNewest: 2 })).toEqual([
      {
        id: recordingId(rows[2] ?? 0),
        title: '便り2',
        startAt: broadcastMs(START + 2 * HOUR),
        watched: true,
        bytes: 700,
      },
      {
        id: recordingId(rows[0] ?? 0),
        title: '便り0',
        startAt: broadcastMs(START),
        watched: false,
        bytes: 700,
      },
    ]);
    expect(await preview({ keepNewest: 4 })).toEqual([]);
    expect(await preview({ keepNewest: 2 }, '')).toEqual([]);
    expect((await home.list('show=bin')).length).toBe(0);
  });

  test('purges the recycle bin after two days and deletes the record after two weeks, or once no repeated episode can be mistaken for a new one', async () => {
    const now = Date.now();
    const day = 24 * HOUR;
    const due = home.put(
      { binnedAt: now - 2 * day - 1, startAt: now - 5 * day, endAt: now - 5 * day + HOUR },
      0,
    );
    const later = home.put({ binnedAt: now - 2 * day + HOUR }, 1);
    const deleted = (startAt: number, deletedAt: number): number => {
      const id = home.put({ startAt, endAt: startAt + HOUR });
      home.database
        .query('UPDATE recordings SET deleted_at = $deletedAt WHERE id = $id')
        .run({ id, deletedAt });
      return id;
    };
    const old = deleted(now - 40 * day, now - 15 * day);
    const young = deleted(now - 20 * day, now - 15 * day);
    const fresh = deleted(now - 40 * day, now - 13 * day);
    await touch();
    const row = (id: number) =>
      home.database.query('SELECT deleted_at FROM recordings WHERE id = $id').get({ id });
    await until(() => row(old) === null);
    expect([row(due), row(later), row(young), row(fresh)]).toEqual([
      { deleted_at: expect.any(Number) },
      { deleted_at: null },
      { deleted_at: now - 15 * day },
      { deleted_at: now - 13 * day },
    ]);
    await until(() =>
      readdirSync(home.folder).every((name) => ![due, old].some((id) => name.includes(` r${id}.`))),
    );
  });
});

describe('the space for recordings', () => {
  const storage = async (): Promise<StorageFacts> => {
    const facts = (await (await home.get('/api/storage')).json()) as StorageFacts;
    expect([...Value.Errors(StorageSchema, facts)]).toEqual([]);
    return facts;
  };

  test('is reported with its use', async () => {
    expect((await storage()).roomMs).toBeNull();
    home.put({ bytes: 1000 }, 0);
    home.put({ bytes: 500, watchedAt: 1 }, 1);
    home.put({ bytes: 300, binnedAt: Date.now() }, 2);
    home.put({ bytes: 200, state: 'failed' }, 3);
    home.put({ bytes: 100, state: 'recording' }, 4);
    const { folders, recordings, roomMs } = await storage();
    expect(recordings).toEqual({
      count: 3,
      unwatched: 2,
      // Includes recordings in progress.
      bytes: 1800,
      failed: 1,
      binned: 1,
      binnedBytes: 300,
    });
    expect(folders).toEqual([
      {
        path: home.folder,
        totalBytes: expect.any(Number),
        freeBytes: expect.any(Number),
        floorBytes: 0,
        recordingBytes: 2100,
        state: expect.any(String),
      },
    ]);
    const free = folders[0]?.freeBytes ?? 0;
    const rate = 1500 / (2 * (HOUR + 25_000));
    expect((roomMs ?? 0) * rate).toBeGreaterThan(free * 0.9);
    expect((roomMs ?? 0) * rate).toBeLessThan(free * 1.1);
  });

  test('counts a part in the folder that contains it', async () => {
    const id = home.put({ bytes: 1000 }, 0);
    home.database.run(`INSERT INTO recording_parts VALUES (${id}, 2, '/elsewhere/x.ts', 400)`);
    home.database.run(`UPDATE recording_files SET bytes = 1000 WHERE recording_id = ${id}`);
    expect((await home.list())[0]?.bytes).toBe(1400);
    expect((await storage()).folders[0]?.recordingBytes).toBe(1000);
  });
});
