/** Settings and system information over HTTP. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { Value } from '@sinclair/typebox/value';
import {
  type Settings,
  SettingsSchema,
  type StorageFacts,
  type SystemFacts,
  SystemSchema,
  settingDefaults,
} from '../../lib/wire/api.ts';
import { until } from '../until.ts';
import { describedFetch } from './description.ts';
import { startTestService, type TestService } from './harness.ts';

let home: TestService;

beforeEach(async () => {
  home = await startTestService();
});

afterEach(async () => {
  await home.close();
});

const get = (path: string, init: RequestInit = {}): Promise<Response> => describedFetch(home.url, path, init);

function put(body: string): Promise<Response> {
  return get('/api/settings', { method: 'PUT', body, headers: { 'content-type': 'application/json' } });
}

async function settings(): Promise<Settings> {
  return (await (await get('/api/settings')).json()) as Settings;
}

describe('/api/settings', () => {
  test('every key has a value, changes are merged and returned', async () => {
    expect(await settings()).toEqual(settingDefaults({ gpu: false }));
    const changed = await put(JSON.stringify({ keepTs: true, theme: 'dark' }));
    expect([changed.status, await changed.json()]).toEqual([
      200,
      { ...settingDefaults({ gpu: false }), keepTs: true, theme: 'dark' },
    ]);
    await put(JSON.stringify({ keepTs: null }));
    const now = await settings();
    expect([...Value.Errors(SettingsSchema, now)]).toEqual([]);
    expect([now.keepTs, now.theme]).toEqual([false, 'dark']);
  });

  test('an unchanged list is a 304', async () => {
    const tag = (await get('/api/settings')).headers.get('etag') ?? '';
    const status = async () => (await get('/api/settings', { headers: { 'if-none-match': tag } })).status;
    expect(await status()).toBe(304);
    await put('{"encode":"both"}');
    expect(await status()).toBe(200);
  });

  test('an error names the field, and nothing is changed', async () => {
    for (const [body, path] of [
      ['{"keepTs":true,"unknown":1}', 'unknown'],
      ['{"keepTs":true,"marginAfter":"long"}', 'marginAfter'],
      ['{"keepTs":true,"recordingFolders":[{"path":"/a"}]}', 'recordingFolders.0.floorBytes'],
      ['{"recordingFolders":[{"path":"/a","floorBytes":1e18}]}', 'recordingFolders.0.floorBytes'],
      ['{"recordingFolders":[{"path":"/usr/tv","floorBytes":0}]}', 'recordingFolders.0.path'],
      ['{"keepTs":true,"__proto__":{"encode":"none"}}', '__proto__'],
      [
        '{"recordingFolders":[{"path":"/a","floorBytes":0},{"path":"/b/../a/","floorBytes":5}]}',
        'recordingFolders.1.path',
      ],
      ['[]', undefined],
      ['null', undefined],
      ['"text"', undefined],
      ['{broken', undefined],
      ['', undefined],
    ] as const) {
      const response = await put(body);
      const problem = (await response.json()) as { message: string; code: string; path?: string };
      expect([body, response.status, problem.code, problem.path]).toEqual([body, 400, 'bad_request', path]);
      expect(problem.message.length).toBeGreaterThan(0);
    }
    expect(await settings()).toEqual(settingDefaults({ gpu: false }));
  });

  test('a bad value is reported with the permitted ones', async () => {
    const message = async (body: string) => ((await (await put(body)).json()) as { message: string }).message;
    expect(await message('{"marginBefore":-1}')).toBe(
      '設定「marginBefore」の値が正しくありません。0 から 3600000 までの整数を指定してください。',
    );
    expect(await message('{"retryDamaged":"always"}')).toBe(
      '設定「retryDamaged」の値が正しくありません。"never"、"failed"、"damaged" のいずれかを指定してください。',
    );
    expect(await message('{"nonsense":1}')).toBe('「nonsense」という設定はありません。');
  });

  test('the first recording folder is listed once, with the free space limit of the settings', async () => {
    const folders = async () =>
      ((await (await get('/api/storage')).json()) as StorageFacts).folders.map(({ path, floorBytes }) => [
        path,
        floorBytes,
      ]);
    const [[first = ''] = []] = (await folders()) as [string, number][];
    await put(
      JSON.stringify({
        recordingFolders: [
          { path: '/nowhere', floorBytes: 7 },
          { path: `${first}/`, floorBytes: 9 },
        ],
      }),
    );
    expect(await folders()).toEqual([
      [first, 9],
      ['/nowhere', 7],
    ]);
    await put('{"recordingFolders":null}');
    expect(await folders()).toEqual([[first, 0]]);
  });

  test('needs JSON, like every writing request', async () => {
    expect((await get('/api/settings', { method: 'PUT', body: '{}' })).status).toBe(403);
  });

  test('a change sends an event', async () => {
    const leaving = new AbortController();
    const response = await get('/api/events', { signal: leaving.signal });
    let received = '';
    const reading = (async () => {
      for await (const chunk of response.body ?? []) received += new TextDecoder().decode(chunk);
    })().catch(() => {});
    await put('{"bidirectional":false}');
    await until(() => received.includes('event: settings'));
    leaving.abort();
    await reading;
  });
});

test('/api/system returns facts of the machine', async () => {
  const facts = (await (await get('/api/system')).json()) as SystemFacts;
  expect([...Value.Errors(SystemSchema, facts)]).toEqual([]);
  expect(facts.agent.url).toBe('http://127.0.0.1:1');
  expect(facts.folders.map(({ role }) => role)).toEqual(['data', 'recordings']);
  expect(facts.folders[0]).toMatchObject({ path: home.folder, freeBytes: expect.any(Number) });
  expect(facts.database.bytes).toBeGreaterThan(0);
  expect(facts.ffmpeg.encoders.map(({ name }) => name)).toContain('libx264');
  await put('{"recordingFolders":[{"path":"/nonexistent/far","floorBytes":9}]}');
  const { folders } = (await (await get('/api/system')).json()) as SystemFacts;
  expect(folders[2]).toMatchObject({ path: '/nonexistent/far', floorBytes: 9 });
});

test('the description shows how settings are changed', async () => {
  const { paths } = (await (await get('/api/openapi.json')).json()) as {
    paths: Record<
      string,
      { put?: { requestBody?: { content: Record<string, { schema: { properties: object } }> } } }
    >;
  };
  const body = paths['/api/settings']?.put?.requestBody?.content['application/json'];
  expect(Object.keys(body?.schema.properties ?? {})).toContain('collectGuide');
});
