/**
 * The service worker: shows push notices and opens what they are about, ends downloads by the browser, and starts the
 * UI where the service cannot be reached.
 */
import type { NoticeAction, NoticeDone, PushMessage } from '../lib/wire/notifications.ts';
import { NOT_DONE, UNREADABLE } from './notices/texts.ts';
import { type BackgroundFetch, settleFailure, settleSuccess } from './offline/background.ts';
import { OfflineDatabase, tellOthers } from './offline/database.ts';
import { type Shell, ShellCache } from './offline/shell-cache.ts';

/** Put in by `tools/web.ts`. */
declare const SVC_SHELL: Shell;

/** What this file uses of the worker's scope, whose types exclude those of pages. */
interface Scope {
  registration: ServiceWorkerRegistration;
  navigator: { setAppBadge?(): Promise<void> };
  clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<readonly WindowLike[]>;
    openWindow(url: string): Promise<unknown>;
    claim(): Promise<void>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(name: 'push', listener: (event: PushLike) => void): void;
  addEventListener(name: 'notificationclick', listener: (event: ClickLike) => void): void;
  addEventListener(name: 'install' | 'activate', listener: (event: Waiting) => void): void;
  addEventListener(name: 'fetch', listener: (event: FetchLike) => void): void;
  addEventListener(name: BackgroundEvent, listener: (event: BackgroundLike) => void): void;
}
type BackgroundEvent =
  | 'backgroundfetchsuccess'
  | 'backgroundfetchfail'
  | 'backgroundfetchabort'
  | 'backgroundfetchclick';
interface WindowLike {
  url: string;
  focus(): Promise<WindowLike>;
  navigate(url: string): Promise<unknown>;
}
interface Waiting {
  waitUntil(work: Promise<unknown>): void;
}
interface PushLike extends Waiting {
  data: { text(): string } | null;
}
interface ClickLike extends Waiting {
  notification: Notification;
  /** Name of the pressed button; empty: the notice itself. */
  action: string;
}
interface FetchLike extends Waiting {
  request: Request;
  respondWith(response: Promise<Response>): void;
}
interface BackgroundLike extends Waiting {
  registration: BackgroundFetch;
}

const scope = self as unknown as Scope;
const STANDARD: PushMessage = { ...UNREADABLE, path: 'notices', tag: 'notice', notice: null, actions: [] };

const textIn = (value: object, name: string): string | undefined => {
  const own: unknown = Reflect.get(value, name);
  return typeof own === 'string' ? own : undefined;
};

/** Another version of the service may send other things. */
function actionsIn(value: unknown): NoticeAction[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one: unknown) => {
    if (typeof one !== 'object' || one === null) return [];
    const [action, label] = [textIn(one, 'action'), textIn(one, 'label')];
    if (action === undefined || label === undefined) return [];
    return [{ action, label, path: textIn(one, 'path') ?? null } as NoticeAction];
  });
}

/** Every push has to show something, or the browser takes the permission away. */
function readMessage(text: string | undefined): PushMessage {
  try {
    const value: unknown = JSON.parse(text ?? '');
    if (typeof value !== 'object' || value === null) return STANDARD;
    const notice: unknown = Reflect.get(value, 'notice');
    return {
      title: textIn(value, 'title') ?? STANDARD.title,
      body: textIn(value, 'body') ?? STANDARD.body,
      path: textIn(value, 'path') ?? STANDARD.path,
      tag: textIn(value, 'tag') ?? STANDARD.tag,
      notice: typeof notice === 'number' ? notice : null,
      actions: actionsIn(Reflect.get(value, 'actions')),
    };
  } catch {
    return STANDARD;
  }
}

/** What browsers show beside a notice. */
const MOST_ACTIONS = 2;
const ACT_MS = 20_000;

function show({ title, body, tag, ...data }: PushMessage): Promise<void> {
  const actions = data.actions.slice(0, MOST_ACTIONS).map(({ action, label }) => ({ action, title: label }));
  const options = { body, tag, data, actions, icon: 'icon-192.png', lang: 'ja' };
  return scope.registration.showNotification(title, options);
}

scope.addEventListener('push', (event) => {
  // A mark on the app's icon until a page says how many there are.
  const marked = scope.navigator.setAppBadge?.().catch(() => undefined);
  event.waitUntil(Promise.all([show(readMessage(event.data?.text())), marked]));
});

/** Does what was pressed, and tells the result as another notice. */
async function act(title: string, notice: number, action: string): Promise<void> {
  const told = { ...STANDARD, title, tag: `done ${notice}` };
  try {
    const response = await fetch(new URL(`api/notices/${notice}/act`, scope.registration.scope), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ action }),
      signal: AbortSignal.timeout(ACT_MS),
    });
    const answer = (await response.json()) as Partial<NoticeDone>;
    await show({ ...told, body: answer.message ?? NOT_DONE, path: answer.path ?? STANDARD.path });
  } catch {
    await show({ ...told, body: NOT_DONE });
  }
}

/** In a window that is open already, where there is one. */
async function open(path: string): Promise<void> {
  const base = scope.registration.scope;
  const url = new URL(path, base);
  if (!url.href.startsWith(base)) return;
  const windows = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const known = windows.find((one) => one.url.startsWith(base));
  if (known === undefined) {
    await scope.clients.openWindow(url.href);
    return;
  }
  const shown = await known.focus();
  await shown.navigate(url.href);
}

scope.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { path, notice, actions } = (event.notification.data ?? {}) as Partial<PushMessage>;
  const pressed = actions?.find(({ action }) => action === event.action);
  const isDeed = pressed?.path === null && notice != null;
  event.waitUntil(
    isDeed ? act(event.notification.title, notice, pressed.action) : open(pressed?.path ?? path ?? ''),
  );
});

const shell = new ShellCache({
  shell: SVC_SHELL,
  scope: scope.registration.scope,
  caches,
  fetch: (request, init) => fetch(request, init),
});

scope.addEventListener('install', (event) => {
  // Notices work without the cache: a login that has expired must not keep them from being shown.
  event.waitUntil(Promise.all([scope.skipWaiting(), shell.fill().catch(() => undefined)]));
});

scope.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([scope.clients.claim(), shell.removeOld()]));
});

/** Completes the cache where the installation could not. */
async function complete(): Promise<void> {
  const { installing, waiting } = scope.registration;
  // The next version is filling its own cache, which this one would remove.
  if (installing !== null || waiting !== null || (await shell.isComplete())) return;
  await shell.fill();
  await shell.removeOld();
}

scope.addEventListener('fetch', (event) => {
  const answer = shell.answer(event.request);
  if (answer === undefined) return;
  event.respondWith(answer);
  if (event.request.mode === 'navigate') event.waitUntil(answer.then(complete).catch(() => undefined));
});

const offlineDatabase = new OfflineDatabase();

async function settle(work: Promise<boolean>): Promise<void> {
  if (await work) tellOthers();
}

scope.addEventListener('backgroundfetchsuccess', (event) => {
  event.waitUntil(settle(settleSuccess(offlineDatabase, event.registration)));
});
for (const name of ['backgroundfetchfail', 'backgroundfetchabort'] as const) {
  scope.addEventListener(name, (event) =>
    event.waitUntil(settle(settleFailure(offlineDatabase, event.registration))),
  );
}
scope.addEventListener('backgroundfetchclick', (event) => event.waitUntil(open('offline')));
