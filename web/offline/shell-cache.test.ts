import { beforeEach, expect, test } from 'bun:test';
import { ShellCache } from './shell-cache.ts';

const SCOPE = 'https://svc.example/tv/';
const FILES = ['app-aaaaaaaa.js', 'offline-dddddddd.js', 'index-bbbbbbbb.css', 'saved.mjs'];

let held: Map<string, Map<string, Response>>;
let asked: string[];
let answer: (path: string) => Response | Promise<Response>;

const html = (text: string): Response =>
  new Response(text, { headers: { 'content-type': 'text/html; charset=utf-8' } });
const usual = (path: string): Response =>
  path === 'offline' ? html('<script src="app-aaaaaaaa.js">') : new Response(path);
const away = (): never => {
  throw new TypeError('fetch failed');
};

/** What is used of `CacheStorage`. */
const caches = {
  open: async (name: string) => {
    const cache = held.get(name) ?? new Map<string, Response>();
    held.set(name, cache);
    return {
      match: async (url: string) => cache.get(url)?.clone(),
      put: async (url: string, response: Response) => void cache.set(url, response),
    };
  },
  keys: async () => [...held.keys()],
  delete: async (name: string) => held.delete(name),
} as unknown as CacheStorage;

const shellOf = (version: string): ShellCache =>
  new ShellCache({
    shell: { version, files: FILES },
    scope: SCOPE,
    caches,
    fetch: async (request) => {
      const url = typeof request === 'string' ? request : request.url;
      asked.push(url.slice(SCOPE.length));
      return await answer(url.slice(SCOPE.length));
    },
  });

function request(path: string, mode: 'navigate' | 'cors' = 'cors', method = 'GET'): Request {
  // A page's navigation cannot be made by hand.
  return { url: SCOPE + path, mode, method } as Request;
}
const textOf = async (response: Promise<Response> | undefined) => await (await response)?.text();

beforeEach(() => {
  [held, asked, answer] = [new Map(), [], usual];
});

test('a stream, an answer of the service and a change are never touched', async () => {
  const shell = shellOf('1');
  await shell.fill();
  for (const path of ['api/recordings', 'api/services/1/live', 'api/recordings/1/file', 'logos/1.png'])
    expect(shell.answer(request(path))).toBeUndefined();
  expect(shell.answer(request('api/', 'navigate'))).toBeUndefined();
  expect(shell.answer(request('guide', 'navigate', 'POST'))).toBeUndefined();
  expect(
    shell.answer({ url: 'https://other.example/', mode: 'navigate', method: 'GET' } as Request),
  ).toBeUndefined();
  expect([...(held.get('svc-shell-1')?.keys() ?? [])].map((url) => url.slice(SCOPE.length))).toEqual([
    ...FILES,
    'offline',
  ]);
});

test('without the service every screen leads to what is saved, and playback stays', async () => {
  const shell = shellOf('1');
  await shell.fill();
  answer = away;
  const guide = await shell.answer(request('guide?day=2', 'navigate'));
  expect([guide?.status, guide?.headers.get('location')]).toEqual([302, `${SCOPE}offline`]);
  for (const path of ['offline', 'watch/12'])
    expect(await textOf(shell.answer(request(path, 'navigate')))).toContain('app-aaaaaaaa.js');
  for (const file of ['app-aaaaaaaa.js', 'offline-dddddddd.js'])
    expect(await textOf(shell.answer(request(file)))).toBe(file);
  expect(await textOf(shell.answer(request('saved.mjs')))).toBe('saved.mjs');
  answer = () => new Response('', { status: 502 });
  expect((await shell.answer(request('', 'navigate')))?.status).toBe(302);
});

test('with the service its own answers count, errors too', async () => {
  const shell = shellOf('1');
  await shell.fill();
  answer = (path) => new Response(`new ${path}`, { status: path === 'guide' ? 500 : 200 });
  expect(await textOf(shell.answer(request('guide', 'navigate')))).toBe('new guide');
  // Under a fixed name it may be newer; under a name with a hash it never is.
  expect(await textOf(shell.answer(request('saved.mjs')))).toBe('new saved.mjs');
  expect(await textOf(shell.answer(request('app-aaaaaaaa.js')))).toBe('app-aaaaaaaa.js');
});

test('a version counts once its page is there, and only then the one before goes', async () => {
  const first = shellOf('1');
  await first.fill();
  const second = shellOf('2');
  answer = (path) => (path === 'saved.mjs' ? away() : usual(path));
  await expect(second.fill()).rejects.toThrow();
  await second.removeOld();
  expect([...held.keys()]).toEqual(['svc-shell-1', 'svc-shell-2']);
  answer = away;
  expect(await textOf(second.answer(request('offline', 'navigate')))).toContain('app-aaaaaaaa.js');
  answer = usual;
  asked = [];
  await second.fill();
  // What is here already is not fetched again.
  expect(asked).toEqual(['saved.mjs', 'offline']);
  held.set('other', new Map());
  await second.removeOld();
  expect([...held.keys()].sort()).toEqual(['other', 'svc-shell-2']);
});

test('a version that the next one has removed is not there again by being asked', async () => {
  const shell = shellOf('1');
  expect(await shell.isComplete()).toBe(false);
  await shell.fill();
  expect(await shell.isComplete()).toBe(true);
  held.delete('svc-shell-1');
  expect(await shell.isComplete()).toBe(false);
  await shell.removeOld();
  expect([...held.keys()]).toEqual([]);
});

test('the page of a login, or of another version, is not the UI', async () => {
  const login = Object.defineProperty(html('app-aaaaaaaa.js'), 'redirected', { value: true });
  for (const page of [login, html('app-cccccccc.js'), new Response('app-aaaaaaaa.js'), html('')]) {
    answer = (path) => (path === 'offline' ? page : usual(path));
    await expect(shellOf('1').fill()).rejects.toThrow();
    expect(held.get('svc-shell-1')?.has(`${SCOPE}offline`)).toBe(false);
  }
});

test('parts of the font are kept once a text has needed them', async () => {
  const shell = shellOf('1');
  const font = 'fonts/kosugi-maru-119-aaaaaaaa.woff2';
  expect(await textOf(shell.answer(request(font)))).toBe(font);
  answer = away;
  expect(await textOf(shell.answer(request(font)))).toBe(font);
});
