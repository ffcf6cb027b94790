/** Recordings for television software: as videos of the playlist, in the guide, and in place of programmes of the past. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { HOME_STATION } from '../service/harness.ts';
import { RecordedHome } from '../service/recorded-home.ts';

const HOUR = 3_600_000;
const CONTENT = Uint8Array.from({ length: 188 * 40 }, (_, index) => (index * 7 + (index >> 8)) & 0xff);

let home: RecordedHome;
let id: number;
/** Whole seconds, as clients send it. */
const startAt = Math.floor((Date.now() - 50 * HOUR) / 1000) * 1000;

beforeAll(async () => {
  home = await RecordedHome.start();
  home.clear();
  id = home.put({ startAt, endAt: startAt + HOUR, name: '港の朝 #3[字]', content: CONTENT });
});

afterAll(() => home.close());

const get = (path: string, init: RequestInit = {}) => fetch(`${home.service.url}${path}`, init);
const catchup = (at: number, init: RequestInit = {}) =>
  get(`/tv/-/catchup/${HOME_STATION}.ts?start=${at / 1000}&duration=3600`, init);

test('a programme of the past plays its recording, in ranges, and nothing else is played in its place', async () => {
  const whole = await catchup(startAt);
  expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'video/mp2t']);
  expect(await whole.bytes()).toEqual(CONTENT);
  const part = await catchup(startAt + HOUR / 2, { headers: { range: 'bytes=188-375' } });
  expect(part.status).toBe(206);
  expect(await part.bytes()).toEqual(CONTENT.slice(188, 376));
  for (const at of [startAt - 10 * 60_000, startAt + 2 * HOUR]) expect((await catchup(at)).status).toBe(404);
  expect((await get(`/tv/-/catchup/${HOME_STATION + 1}.ts?start=${startAt / 1000}`)).status).toBe(404);
  expect((await get('/tv/-/catchup/x.ts?start=soon')).status).toBe(404);
});

test('the playlist says how far back, and lists recordings on request', async () => {
  const text = await (await get('/tv/-/playlist.m3u?recordings=1')).text();
  expect(text).toContain('catchup="default"');
  expect(text).toContain('catchup-days="3"');
  expect(text).toContain('start={utc}&duration={duration}');
  const [, url] = /media="true".*\n(.*)\n/.exec(text) ?? [];
  expect(url).toEndWith(`/tv/-/recording/${id}`);
  const head = await fetch(url ?? '', { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(CONTENT.length)]);
  expect(await (await get('/tv/-/playlist.m3u')).text()).not.toContain('media="true"');
});

test('the guide reaches back to what was recorded', async () => {
  const guide = await (await get('/tv/-/guide.xml')).text();
  expect(guide).toContain(`channel="${HOME_STATION}.svc"><title lang="ja">港の朝 #3</title>`);
  expect(guide).toContain('<episode-num system="xmltv_ns">.2.</episode-num>');
});

test('recordings in the bin and unknown ones are not there', async () => {
  home.database.run('UPDATE recordings SET binned_at = 1 WHERE id = ?', [id]);
  expect((await get(`/tv/-/recording/${id}`)).status).toBe(404);
  expect((await catchup(startAt)).status).toBe(404);
  for (const other of ['0', '-1', '1.5', 'x', '9'.repeat(30)])
    expect((await get(`/tv/-/recording/${other}`)).status).toBe(404);
});
