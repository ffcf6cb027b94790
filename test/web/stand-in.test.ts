/**
 * Checks the fake server of the browser tests against the OpenAPI description of the real service, so that
 * the UI is tested with realistic responses.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { isScreen } from '../../src/http/pages.ts';
import { Description } from '../service/description.ts';
import { startTestService, type TestService } from '../service/harness.ts';
import { schemaMismatches } from '../service/json-schema.ts';
import { SCENES } from './caption-scenes.ts';
import { newHousehold } from './fake-api.ts';
import { FakeService } from './fake-service.ts';
import { fillEverything, SCREENS, STATIONS } from './screens.ts';

let real: TestService;
let description: Description;
let fake: FakeService;

beforeAll(async () => {
  real = await startTestService();
  description = await Description.of(real.url);
  fake = new FakeService('/nonexistent', { init: new Uint8Array(), fragments: [] }, STATIONS);
  fake.household = newHousehold({ stations: STATIONS, days: 8 });
  fillEverything({ service: fake });
  const { playback } = fake.household.recordings;
  playback.chapters = [{ start: 0, end: 600, title: '本編' }];
  playback.changes = [{ at: 12.5, kind: 'cut' }];
  playback.gaps = [{ start: 30, end: 30, missing: 12, cause: 'stalled' }];
  const page = SCENES[0]?.scene.page;
  playback.captions = { v: 1, pages: page === undefined ? [] : [{ at: 1, page }] };
  playback.previews = {
    ...{ width: 160, height: 90, columns: 5, rows: 6, count: 30, intervalMs: 10_000 },
    sheets: ['api/recordings/1/previews/0?v=1'],
  };
});

afterAll(async () => {
  await fake?.close();
  await real?.close();
});

const HOUR_MS = 3_600_000;

async function addresses(): Promise<string[]> {
  const now = Date.now();
  const read = async (path: string) => (await (await fetch(fake.url + path)).json()) as { id: number }[];
  const [recording] = await read('api/recordings');
  const [finished] = await read('api/recordings?unwatched=1&sort=oldest');
  const [rule] = await read('api/rules');
  const columns = (await (
    await fetch(`${fake.url}api/guide?from=${now}&to=${now + HOUR_MS}&type=GR`)
  ).json()) as { programs: { id: number }[] }[];
  const program = columns[0]?.programs[0]?.id;
  return [
    ...[
      'services',
      `stills?stations=${STATIONS[0]?.id}`,
      'health',
      'guide/status',
      'guide/shared',
      'tuners',
      'channels',
      'scan',
      'settings',
      'folders?path=%2Fmnt',
      'system',
      'storage',
    ],
    ...['devices', 'card'],
    ...['reservations', 'reservations?completed=1', 'rules', 'recordings', 'recordings/series', 'encodes'],
    ...['recordings?show=failed', 'recordings?show=bin', 'search?q=%E7%81%AF%E5%8F%B0'],
    `guide?from=${now}&to=${now + HOUR_MS}&type=GR`,
    `programs/${program}`,
    `rules/${rule?.id}`,
    `recordings/${recording?.id}`,
    `recordings/${recording?.id}/detail`,
    `recordings/${recording?.id}/status`,
    `recordings/${finished?.id}/playback`,
    `recordings/${finished?.id}/chapters`,
    `recordings/${finished?.id}/changes`,
    `recordings/${finished?.id}/detect`,
    `recordings/${finished?.id}/previews`,
    `recordings/${finished?.id}/captions.json`,
  ];
}

test('the fake service answers as the service is described', async () => {
  const wrong: string[] = [];
  for (const path of await addresses()) {
    const response = await fetch(`${fake.url}api/${path}`);
    const operation = description.find('GET', `/api/${path}`);
    const schema = operation?.responses['200']?.content?.['application/json']?.schema;
    if (response.status !== 200 || schema === undefined) {
      wrong.push(`${path}: ${response.status}, ${schema === undefined ? 'not described' : 'described'}`);
      continue;
    }
    const mismatches = schemaMismatches(schema, await response.json(), description.document);
    wrong.push(...mismatches.slice(0, 3).map(({ path: at, what }) => `${path} ${at}: ${what}`));
  }
  expect(wrong).toEqual([]);
});

test('the service serves the page at the address of every screen', () => {
  const addresses = SCREENS.map(([path]) => `/${path.replace(/\?.*$/u, '')}`);
  expect(addresses.filter((address) => !isScreen(address))).toEqual([]);
});
