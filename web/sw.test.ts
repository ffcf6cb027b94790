import { beforeEach, expect, test } from 'bun:test';

/** The worker's scope as far as it is used. */
const listeners = new Map<string, (event: object) => void>();
let shown: [title: string, options: { body: string; tag: string; data: { path: string } }][];
let opened: string[];
let windows: { url: string; focus(): Promise<object>; navigate(url: string): Promise<void> }[];

beforeEach(async () => {
  Reflect.set(globalThis, 'SVC_SHELL', { version: 'test', files: [] });
  Reflect.set(globalThis, 'caches', {});
  Reflect.set(globalThis, 'indexedDB', {});
  [shown, opened, windows] = [[], [], []];
  Reflect.set(globalThis, 'self', {
    registration: {
      scope: 'https://svc.example/tv/',
      showNotification: async (...one: (typeof shown)[number]) => void shown.push(one),
    },
    navigator: {},
    clients: { matchAll: async () => windows, openWindow: async (url: string) => void opened.push(url) },
    addEventListener: (name: string, listener: (event: object) => void) => listeners.set(name, listener),
  });
  await import(`./sw.ts?${Math.random()}`);
});

async function send(name: string, event: object): Promise<void> {
  const works: Promise<unknown>[] = [];
  listeners.get(name)?.({ ...event, waitUntil: (work: Promise<unknown>) => works.push(work) });
  await Promise.all(works);
}

const push = (text: string | null) => send('push', { data: text === null ? null : { text: () => text } });
const press = (path: unknown) =>
  send('notificationclick', { notification: { close: () => {}, data: { path } } });

test('every push shows something, whatever it contains', async () => {
  await push(
    JSON.stringify({ title: '録画失敗', body: '「映画」', path: 'recordings?recording=4', tag: 'a' }),
  );
  for (const text of [null, '', 'not json', '[]', 'null', '{"title":7}']) await push(text);
  expect(shown).toHaveLength(7);
  expect(shown[0]).toMatchObject([
    '録画失敗',
    { body: '「映画」', tag: 'a', data: { path: 'recordings?recording=4' } },
  ]);
  for (const [title, { body }] of shown.slice(1))
    expect([title, body]).toEqual(['テレビ', '新しいお知らせがあります。']);
});

test('a press opens the thing, in a window that is open already', async () => {
  await press('recordings?recording=4');
  expect(opened).toEqual(['https://svc.example/tv/recordings?recording=4']);
  const navigated: string[] = [];
  const window = {
    url: 'https://svc.example/tv/guide',
    focus: async () => window,
    navigate: async (url: string) => void navigated.push(url),
  };
  windows = [{ ...window, url: 'https://svc.example/other/' }, window];
  await press('tuners');
  expect([opened.length, navigated]).toEqual([1, ['https://svc.example/tv/tuners']]);
});

test('a press leaves the service never', async () => {
  for (const path of ['https://evil.example/', '//evil.example/', '/other', '../..', 'javascript:alert(1)']) {
    await press(path);
  }
  expect(opened).toEqual([]);
});
