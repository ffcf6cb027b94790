/** Users' changes to recordings over HTTP: watched, moved to the recycle bin, restored, deleted. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { indexAllPending } from '../../src/store/search-index.ts';
import { RecordedHome } from './recorded-home.ts';

let home: RecordedHome;

beforeAll(async () => {
  home = await RecordedHome.start();
});

afterAll(() => home.close());

beforeEach(() => home.clear());

describe('playback position', () => {
  const reach = async (id: number, body: unknown): Promise<unknown> =>
    (await home.send('POST', `/api/recordings/${id}/resume`, body)).json();

  test('is stored, except at the beginning and the end', async () => {
    const id = home.put();
    expect(await reach(id, { at: 95.25 })).toEqual({ resume: 95.25, edge: 30 });
    expect(await home.item(id)).toMatchObject({ resumeMs: 95_250, watchedAt: null });
    expect(await reach(id, { at: 12, length: 3600 })).toEqual({ resume: null, edge: 30 });
    expect(await home.item(id)).toMatchObject({ resumeMs: null, watchedAt: null });
    await reach(id, { at: 95, source: 'ts' });
    expect(await reach(id, { at: 3625, source: 'ts' })).toEqual({ resume: null, edge: 30 });
    expect(await home.item(id)).toMatchObject({ resumeMs: null, watchedAt: null });
    expect(await reach(id, { at: 3600, length: 3625 })).toEqual({ resume: null, edge: 30 });
    const before = Date.now();
    expect((await home.item(id))?.watchedAt).toBeGreaterThan(before - 60_000);
    expect((await home.list('unwatched=1')).length).toBe(0);
    expect(await reach(id, { at: 1000, length: 3625 })).toEqual({ resume: 1000, edge: 30 });
    expect((await home.item(id))?.watchedAt).not.toBeNull();
  });

  test('stays as it is if the length is 0 or smaller than the position', async () => {
    const id = home.put({ resumeMs: 95_000 });
    const before = await home.item(id);
    for (const body of [
      { at: 600, length: 0 },
      { at: 0, length: 0 },
      { at: 1200, length: 1199 },
    ])
      expect(await reach(id, body)).toEqual({ resume: 95, edge: 30 });
    expect(await home.item(id)).toEqual(before as NonNullable<typeof before>);
    expect(await reach(id, { at: 1200, length: 1200 })).toEqual({ resume: null, edge: 30 });
  });

  test('a few frames beyond the length is the end', async () => {
    const id = home.put({ resumeMs: 95_000 });
    expect(await reach(id, { at: 3600.04, length: 3600 })).toEqual({ resume: null, edge: 30 });
    expect(await home.item(id)).toMatchObject({ resumeMs: null, watchedAt: expect.any(Number) });
  });

  test('determines the order of recordings that can be continued', async () => {
    const [first, second] = [home.put({}, 0), home.put({}, 1)];
    home.put({}, 2);
    await reach(second, { at: 95 });
    // Positions are stored at different times, ms.
    await Bun.sleep(2);
    await reach(first, { at: 95 });
    expect(await home.ids('show=resume')).toEqual([first, second]);
    await Bun.sleep(2);
    await reach(second, { at: 96 });
    expect(await home.ids('show=resume')).toEqual([second, first]);
    expect(await home.ids('show=resume&sort=oldest')).toEqual([first, second]);
    await reach(second, { at: 5 });
    expect(await home.ids('show=resume')).toEqual([first]);
  });

  test('of a recording in progress has no end', async () => {
    const id = home.put({ state: 'recording' });
    expect(await reach(id, { at: 600, length: 605, source: 'ts' })).toEqual({ resume: 600, edge: 30 });
    expect(await home.item(id)).toMatchObject({ watchedAt: null, resumeMs: 600_000 });
  });

  test('is refused when it is invalid', async () => {
    const id = home.put();
    for (const body of [{}, { at: -1 }, { at: '5' }, { at: 5, source: 'disc' }]) {
      const response = await home.send('POST', `/api/recordings/${id}/resume`, body);
      expect([body, response.status]).toEqual([body, 400]);
    }
    expect(await reach(id, { at: 1e300 })).toEqual({ resume: null, edge: 30 });
    expect((await home.send('POST', '/api/recordings/77777/resume', { at: 50 })).status).toBe(404);
  });
});

test('is removed when the recording is marked as watched', async () => {
  const id = home.put({ resumeMs: 95_000 });
  expect((await home.send('POST', `/api/recordings/${id}/watched`, { watched: true })).status).toBe(204);
  expect(await home.item(id)).toMatchObject({ resumeMs: null, watchedAt: expect.any(Number) });
  await home.send('POST', `/api/recordings/${id}/resume`, { at: 95 });
  expect((await home.send('POST', `/api/recordings/${id}/watched`, { watched: false })).status).toBe(204);
  expect(await home.item(id)).toMatchObject({ resumeMs: null, watchedAt: null });
  expect((await home.send('POST', `/api/recordings/${id}/watched`, { watched: 1 })).status).toBe(400);
});

describe('the recycle bin', () => {
  test('hides a recording like a deleted one, and restores it as it was', async () => {
    const id = home.put({ name: '探されるもの', resumeMs: 95_000 });
    indexAllPending(home.database);
    const search = async (): Promise<unknown> =>
      (await (await home.get(`/api/search?q=${encodeURIComponent('探されるもの')}`)).json()) as unknown;
    const whole = await home.item(id);
    for (let time = 0; time < 2; time++) {
      expect((await home.send('POST', `/api/recordings/${id}/bin`)).status).toBe(204);
    }
    expect(await home.list()).toEqual([]);
    expect(await search()).toMatchObject({ recordings: { rows: [] } });
    expect(await (await home.get('/api/health')).json()).toMatchObject({ recordings: 0 });
    for (const [method, what, body] of [
      ['GET', 'status', undefined],
      ['GET', 'detail', undefined],
      ['POST', 'resume', { at: 50 }],
      ['POST', 'watched', { watched: true }],
      ['POST', 'protect', { protected: true }],
    ] as const) {
      const response = await home.send(method, `/api/recordings/${id}/${what}`, body);
      expect([what, response.status]).toEqual([what, 404]);
    }
    for (let time = 0; time < 2; time++) {
      expect((await home.send('POST', `/api/recordings/${id}/restore`)).status).toBe(204);
    }
    expect(await home.item(id)).toEqual(whole);
    expect(await search()).toMatchObject({ recordings: { rows: [{ id, watch: `watch/${id}` }] } });
  });

  test('refuses recordings in progress and unknown ones', async () => {
    const id = home.put({ state: 'recording' });
    expect((await home.send('POST', `/api/recordings/${id}/bin`)).status).toBe(409);
    expect((await home.send('DELETE', `/api/recordings/${id}`)).status).toBe(409);
    expect((await home.send('POST', '/api/recordings/77777/bin')).status).toBe(404);
    expect((await home.send('POST', '/api/recordings/77777/restore')).status).toBe(404);
    expect((await home.send('DELETE', '/api/recordings/77777')).status).toBe(404);
    expect((await home.send('DELETE', '/api/recordings/x')).status).toBe(400);
  });
});

test('deleting removes the files and nothing else, and may be repeated', async () => {
  const id = home.put();
  const binned = home.put({ binnedAt: Date.now() }, 1);
  writeFileSync(join(home.folder, 'family.ts'), 'of a person');
  const named = (): string[] => readdirSync(home.folder).filter((name) => name.includes(` r${id}.`));
  expect(named().length).toBe(1);
  for (let time = 0; time < 2; time++) {
    expect((await home.send('DELETE', `/api/recordings/${id}`)).status).toBe(204);
  }
  expect((await home.send('DELETE', `/api/recordings/${binned}`)).status).toBe(204);
  expect(named()).toEqual([]);
  expect(existsSync(join(home.folder, 'family.ts'))).toBe(true);
  expect((await home.send('POST', `/api/recordings/${id}/restore`)).status).toBe(404);
  expect((await home.send('POST', `/api/recordings/${id}/bin`)).status).toBe(404);
  expect(home.database.query('SELECT count(*) AS n FROM recording_parts').get()).toEqual({ n: 0 });
});
