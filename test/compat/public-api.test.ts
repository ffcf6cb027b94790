/**
 * The public API over versions: what a release answered is recorded as fixtures, and every later build has to answer
 * so too, so that no TV app breaks unnoticed. `RECORD_API=1 bun test ./test/compat/public-api.test.ts` records those of the
 * current version, for a release; fixtures of earlier ones stay.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../../lib/host/version.ts';
import { Bookings, OTHER_STATION } from '../service/bookings.ts';
import { HOME_STATION } from '../service/harness.ts';
import { putRecording } from '../service/recording-rows.ts';
import { breaks, type Shape, shapeOf } from './shape.ts';

const FOLDER = join(import.meta.dir, 'fixtures');
const HOUR = 3_600_000;

interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `{program}` and the like are ids of the household. */
  readonly path: string;
  readonly body?: object;
}

interface Recorded extends Call {
  readonly status: number;
  readonly type: string | null;
  /** Absent: the body is no JSON. */
  readonly shape?: Shape;
}

/** In this order: later calls see what earlier ones changed. */
const CALLS: readonly Call[] = [
  { method: 'GET', path: '/api/health' },
  { method: 'GET', path: '/manifest.webmanifest' },
  { method: 'GET', path: '/api/services' },
  { method: 'GET', path: '/api/services/{unknown}/live' },
  { method: 'GET', path: '/api/services/{station}/live?codec=vhs' },
  { method: 'GET', path: '/api/services/{station}/live?codec=raw' },
  { method: 'GET', path: '/api/services/{station}/captions' },
  { method: 'POST', path: '/api/services/{station}/record' },
  { method: 'POST', path: '/api/services/{idle}/record' },
  { method: 'GET', path: '/api/recordings' },
  { method: 'GET', path: '/api/recordings?limit=1&offset=1' },
  { method: 'GET', path: '/api/recordings/{recording}/detail' },
  { method: 'GET', path: '/api/recordings/{unknown}/detail' },
  { method: 'GET', path: '/api/recordings/{recording}/playback' },
  { method: 'GET', path: '/api/recordings/{recording}/chapters' },
  { method: 'GET', path: '/api/recordings/{recording}/captions.json' },
  { method: 'GET', path: '/api/recordings/{recording}/stream' },
  { method: 'GET', path: '/api/recordings/{unknown}/file' },
  { method: 'POST', path: '/api/recordings/{recording}/resume', body: { at: 600 } },
  { method: 'POST', path: '/api/recordings/{recording}/resume', body: { at: 'x' } },
  { method: 'GET', path: '/api/programs/{program}' },
  { method: 'GET', path: '/api/programs/{unknown}' },
  { method: 'GET', path: '/api/search?q=%E6%B8%AF' },
  { method: 'GET', path: '/api/search?q=' },
  { method: 'GET', path: '/api/reservations' },
  { method: 'GET', path: '/api/rules' },
  { method: 'GET', path: '/api/settings' },
  { method: 'POST', path: '/api/device/code', body: { name: '居間' } },
  { method: 'POST', path: '/api/device/code', body: {} },
  { method: 'POST', path: '/api/device/token', body: { deviceCode: 'unknown' } },
  { method: 'POST', path: '/api/device/logout' },
  { method: 'GET', path: '/api/device/tokens' },
  { method: 'GET', path: '/api/summary' },
  { method: 'GET', path: '/api/client-links' },
  { method: 'DELETE', path: '/api/recordings/{recording}' },
  { method: 'DELETE', path: '/api/recordings/{recording}' },
  { method: 'DELETE', path: '/api/recordings/{unknown}' },
  { method: 'GET', path: '/api/nothing' },
];

let home: Bookings;
let ids: Record<string, number>;

beforeAll(async () => {
  home = await Bookings.start();
});

afterAll(() => home.close());

/** A household with one of everything, the same before each set of calls. */
async function fill(): Promise<void> {
  home.clear();
  for (const table of ['recordings', 'pairing_codes']) home.database.run(`DELETE FROM ${table}`);
  const program = home.program('港の朝[字]', -5, { description: '港の一日。' });
  const later = home.program('港の夜', 300, { station: OTHER_STATION });
  await home.json('POST', '/api/reservations', { programId: later });
  await home.json('POST', '/api/rules', { keyword: '灯台', genres: [], weekdays: [0, 1, 2, 3, 4, 5, 6] });
  const startAt = Date.now() - 3 * HOUR;
  const verdict = {
    ...{ level: 'damaged' as const, drops: 3, headMs: 10, tailMs: -4 },
    gaps: [{ startMs: -5, endMs: 900, cause: 'stalled' as const }],
  };
  const row = {
    ...{
      station: HOME_STATION,
      serviceName: '試験テレビ',
      name: '港の昼[字]',
      startAt,
      endAt: startAt + HOUR,
    },
    ...{
      genres: [{ lv1: 3, lv2: 0 }],
      verdict,
      series: { name: '港', episode: '#3' },
      bytes: 5,
      resumeMs: 40_000,
    },
  };
  const recording = putRecording(home.database, row, join(home.home.folder, 'recordings'));
  ids = { program, recording, station: HOME_STATION, idle: OTHER_STATION, unknown: 999_999_999 };
}

async function play({
  method,
  path,
  body,
}: Call): Promise<Omit<Recorded, keyof Call | 'shape'> & { json: unknown }> {
  const url = home.home.url + path.replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name]));
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json' },
    redirect: 'manual',
    ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
  });
  const type = response.headers.get('content-type')?.split(';')[0] ?? null;
  const isJson = type?.endsWith('json') === true;
  const json = isJson ? await response.json() : undefined;
  if (!isJson) await response.body?.cancel();
  return { status: response.status, type, json };
}

if (process.env.RECORD_API === '1') {
  test('records this version', async () => {
    await fill();
    const recorded: Recorded[] = [];
    for (const call of CALLS) {
      const { json, ...answer } = await play(call);
      recorded.push({ ...call, ...answer, ...(json === undefined ? {} : { shape: shapeOf(json) }) });
    }
    writeFileSync(join(FOLDER, `public-api-${VERSION}.json`), `${JSON.stringify(recorded, null, 1)}\n`);
  });
}

for (const file of readdirSync(FOLDER)) {
  test(`this build answers clients of ${file.replace('.json', '')} as it did`, async () => {
    await fill();
    const recorded = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Recorded[];
    expect(recorded.length).toBeGreaterThan(30);
    const broken: string[] = [];
    for (const { shape, status, type, ...call } of recorded) {
      const answer = await play(call);
      const what = `${call.method} ${call.path}`;
      if (answer.status !== status) broken.push(`${what}: ${answer.status} in place of ${status}`);
      if (answer.type !== type) broken.push(`${what}: ${answer.type} in place of ${type}`);
      if (shape !== undefined) broken.push(...breaks(shape, answer.json).map((one) => `${what}: ${one}`));
    }
    expect(broken).toEqual([]);
  });
}

test('a missing field, another type and null break a client; a new field does not', () => {
  const shape = shapeOf([
    { id: 1, name: 'a', tags: ['x'] },
    { id: 2, name: null, tags: [] },
  ]);
  expect(breaks(shape, [{ id: 3, name: 'b', tags: ['y'], more: 1 }])).toEqual([]);
  expect(breaks(shape, [{ id: '3', name: 'b', tags: [] }])).toEqual(['$[].id: string in place of number']);
  expect(breaks(shape, [{ id: null, tags: [5] }])).toEqual([
    '$[].id: null in place of number',
    '$[].name: missing',
    '$[].tags[]: number in place of string',
  ]);
  expect(breaks(shapeOf([{ a: 1 }, {}]), [{}])).toEqual([]);
});
