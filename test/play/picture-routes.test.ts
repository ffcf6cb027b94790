/** Posters and previews over HTTP. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Value } from '@sinclair/typebox/value';
import { wallMs } from '../../lib/host/clock.ts';
import { type Previews, PreviewsSchema } from '../../lib/wire/api.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import type { StoredPreviews } from '../../src/play/picture-maker.ts';
import { RecordingCache } from '../../src/play/recording-cache.ts';
import { PictureStore } from '../../src/store/picture-store.ts';
import { RecordedHome } from '../service/recorded-home.ts';

let home: RecordedHome;

beforeAll(async () => {
  home = await RecordedHome.start();
});

afterAll(() => home.close());

test('a recording has no pictures at first, then a new URL for its poster', async () => {
  const id = home.put();
  for (const path of ['poster', 'previews', 'previews/0']) {
    expect((await home.get(`/api/recordings/${id}/${path}`)).status).toBe(404);
  }
  expect((await home.item(id))?.poster).toBe(`api/recordings/${id}/poster`);

  const cache = new RecordingCache({ folder: join(home.service.folder, 'recording-cache') });
  await cache.write(recordingId(id), 'poster.jpg', 'poster');
  await cache.write(recordingId(id), 'previews-0.jpg', 'sheet');
  const stored: StoredPreviews = {
    ...{ width: 160, height: 90, columns: 10, rows: 10, count: 7, intervalMs: 10_000 },
    ...{ sheets: 1, madeAt: wallMs(99_999) },
  };
  await cache.write(recordingId(id), 'previews.json', JSON.stringify(stored));
  new PictureStore(home.database).putPoster(recordingId(id), wallMs(123_456));

  const address = (await home.item(id))?.poster ?? '';
  expect(address).toBe(`api/recordings/${id}/poster?v=${(123_456).toString(36)}`);
  const poster = await home.get(`/${address}`);
  expect([poster.status, poster.headers.get('content-type'), await poster.text()]).toEqual([
    ...[200, 'image/jpeg', 'poster'],
  ]);
  expect(poster.headers.get('cache-control')).toContain('immutable');
  const plain = await home.get(`/api/recordings/${id}/poster`);
  expect(plain.headers.get('cache-control')).toBe('private, no-cache');
  const etag = plain.headers.get('etag') ?? '';
  const again = await home.get(`/api/recordings/${id}/poster`, { headers: { 'if-none-match': etag } });
  expect(again.status).toBe(304);

  const previews = (await (await home.get(`/api/recordings/${id}/previews`)).json()) as Previews;
  expect([...Value.Errors(PreviewsSchema, previews)]).toEqual([]);
  expect(previews.sheets).toHaveLength(1);
  const sheet = await home.get(`/${previews.sheets[0]}`);
  expect([sheet.status, await sheet.text()]).toEqual([200, 'sheet']);
  expect((await home.get(`/api/recordings/${id}/previews/1`)).status).toBe(404);
  expect((await home.get(`/api/recordings/${id}/previews/x`)).status).toBe(400);

  await cache.write(recordingId(id), 'previews.json', '{');
  expect((await home.get(`/api/recordings/${id}/previews`)).status).toBe(404);
  home.database.run(`UPDATE recordings SET binned_at = 1 WHERE id = ${id}`);
  expect((await home.get(`/api/recordings/${id}/poster`)).status).toBe(404);
});

test('HEAD says what is there, and how much: a device measures before it saves a recording', async () => {
  const id = home.put();
  const cache = new RecordingCache({ folder: join(home.service.folder, 'recording-cache') });
  await cache.write(recordingId(id), 'poster.jpg', 'poster');
  new PictureStore(home.database).putPoster(recordingId(id), wallMs(1));
  for (const path of ['file?source=ts', 'captions.json', 'poster', 'chapters', 'previews/0']) {
    const address = `/api/recordings/${id}/${path}`;
    const headers = { 'accept-encoding': 'identity' };
    const [head, whole] = [
      await home.get(address, { method: 'HEAD', headers }),
      await home.get(address, { headers }),
    ];
    expect([path, head.status]).toEqual([path, whole.status]);
    const { byteLength } = await whole.arrayBuffer();
    if (whole.ok) expect([path, head.headers.get('content-length')]).toEqual([path, String(byteLength)]);
  }
  expect((await home.get(`/api/recordings/${id}/poster`, { method: 'HEAD' })).status).toBe(200);
  expect((await home.get(`/api/recordings/${id}/captions.json`, { method: 'HEAD' })).status).toBe(404);
});
