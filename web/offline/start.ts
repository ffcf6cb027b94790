/** What a page does for saved recordings from its start on: goes on with downloads, sends the outbox. */
import { effect, signal } from '@preact/signals';
import { connection } from '../device/connection.ts';
import { addressOf, failureOf } from '../query/api.ts';
import { showToast } from '../ui/toast.tsx';
import { quoted } from '../words/recording.ts';
import { splitTitle } from '../words/title.ts';
import { type NotSent, sendOutbox } from './database.ts';
import { database, followSaved, isUsed, readSaved, savedChanged, savedState } from './saved-state.ts';
import { goOnAfterBreak, pollBackground, runQueue } from './saving.ts';
import { followSeries } from './series.ts';
import { TEXTS } from './texts.ts';

const LOCK = 'svc-offline-outbox';
const TIMEOUT_MS = 15_000;

/** What the service refused the last time. */
export const notSent = signal<readonly NotSent[]>([]);

async function send(method: 'DELETE' | 'POST', path: string, body?: unknown) {
  const response = await fetch(addressOf(path), {
    method,
    // The service takes changes only with this type.
    headers: { 'content-type': 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const message = response.ok ? '' : (await failureOf(response)).message;
  await response.body?.cancel().catch(() => undefined);
  return { status: response.status, message };
}

/** Once for all pages of this browser. @throws DOMException where the database cannot be read */
async function sendOnce(): Promise<void> {
  await navigator.locks.request(LOCK, async () => {
    const { deleted, failed } = await sendOutbox({ database, send });
    notSent.value = failed;
    if (deleted > 0) showToast(TEXTS.outboxSent(deleted));
    for (const { name, reason } of failed) {
      if (reason !== undefined) showToast(`${TEXTS.outboxFailed(quoted(splitTitle(name).title))}: ${reason}`);
    }
  });
  await savedChanged();
}

export async function sendSaved(): Promise<void> {
  const held = savedState.peek();
  if (!('locks' in navigator) || (held?.outbox.length === 0 && held.resumes.length === 0)) return;
  // What fails stays for the next time.
  await sendOnce().catch(() => undefined);
}

async function goOn(): Promise<void> {
  await readSaved();
  pollBackground();
  runQueue();
}

let isFollowing = false;

/**
 * Once for the page, and before anything can be saved on it: it takes the queue at the start as left by another page.
 * Does nothing in a browser where nothing was ever saved.
 */
export function startOffline(): void {
  if (isFollowing) return;
  isFollowing = true;
  let started = false;
  effect(() => {
    if (!isUsed.value || started) return;
    started = true;
    followSaved();
    void goOn().then(sendSaved);
    // Browsers look for a new version of the worker only now and then.
    void navigator.serviceWorker?.register('sw.js').catch(() => undefined);
    addEventListener('online', () => void readSaved().then(sendSaved));
    effect(() => {
      if (connection.value === 'open') void readSaved().then(sendSaved);
    });
    // What the database refuses is tried again with its next state.
    effect(() => void goOnAfterBreak().catch(() => undefined));
    effect(followSeries);
  });
}
