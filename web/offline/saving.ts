/**
 * Saving recordings on this device: what is pressed, and the queue. The browser downloads in the background where it
 * can; else one page of this browser does, one recording at a time.
 */
import { signal } from '@preact/signals';
import type { Recording } from '../../lib/wire/api.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import { monotonicNow, wallNow } from '../device/clock.ts';
import { connection } from '../device/connection.ts';
import { remembered } from '../device/preferences.ts';
import { keepAwake } from '../player/media-session.ts';
import { ApiFailure, addressOf } from '../query/api.ts';
import { showToast } from '../ui/toast.tsx';
import { quoted } from '../words/recording.ts';
import { splitTitle } from '../words/title.ts';
import { abortInBackground, failureOfFetch, managerOf, startInBackground } from './background.ts';
import { failureOfError, failVideo, isFull } from './database.ts';
import { chooseSource, fetchName, hasSpace } from './download-plan.ts';
import { decodable, measure, saveObstacle } from './measure.ts';
import { downloadInPage, SaveError } from './page-download.ts';
import { database, isUsed, readSaved, savedChanged, savedState } from './saved-state.ts';
import type { SavedVideo, SaveFailure } from './saved-video.ts';
import { FAILURE_TEXTS, TEXTS } from './texts.ts';

/** Interval at which progress is read and shown. */
const POLL_MS = 2_000;
/** A background fetch that is nowhere for so many polls is lost: the browser has forgotten it. */
const LOST_AFTER = 4;
/** A background fetch that brings nothing for so many polls, though the service answers, does not work here. */
const STUCK_AFTER = 15;
/** Only one page of a browser downloads. */
const LOCK = 'svc-offline-download';

interface SaveProgress {
  readonly received: number;
  /** Octets a second since the poll before; undefined: unknown yet. */
  readonly rate: number | undefined;
  readonly isWaiting: boolean;
}

/** Of downloads that run now, seen from this page; not stored. */
export const progress = signal<ReadonlyMap<RecordingId, SaveProgress>>(new Map());
/** Recordings that were pressed, until their row is there. */
export const preparing = signal<ReadonlySet<RecordingId>>(new Set());

/** A sentence for people: why a recording cannot be saved. */
class SaveRefusal extends Error {}

const nameOf = ({ name }: Pick<SavedVideo, 'name'>): string => quoted(splitTitle(name).title);
/** The clock may be set back: it alone would name an attempt as an earlier one. */
const newAttempt = (): string => {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return `${wallNow().toString(36)}.${random.toString(36)}`;
};

async function workerRegistration(): Promise<ServiceWorkerRegistration | undefined> {
  try {
    await navigator.serviceWorker.register('sw.js');
    return await navigator.serviceWorker.ready;
  } catch {
    // Without it nothing starts offline, but what is saved plays.
    return undefined;
  }
}

const knownManager = async () => {
  const registration = await navigator.serviceWorker?.getRegistration();
  return registration === undefined ? undefined : managerOf(registration);
};

/** Octets that waiting and running downloads will still take. */
function reservedFor(id: RecordingId): number {
  const others = (savedState.peek()?.videos ?? []).filter(
    (video) => video.id !== id && video.state === 'downloading',
  );
  return others.reduce(
    (sum, video) => sum + Math.max(0, video.totalBytes - (progress.peek().get(video.id)?.received ?? 0)),
    0,
  );
}

/** Measures and adds the row. @throws SaveRefusal, ApiFailure */
async function prepare(recording: Recording, series: string | null): Promise<SavedVideo> {
  const source = chooseSource(recording.files, await decodable());
  if (source === 'no_file')
    throw new SaveRefusal(recording.state === 'failed' ? TEXTS.failedRecording : TEXTS.noFile);
  if (source === 'no_codec') throw new SaveRefusal(TEXTS.noCodec);
  const measured = await measure(recording, source);
  await navigator.storage.persist().catch(() => false);
  const estimate = await navigator.storage.estimate();
  if (!hasSpace(measured.totalBytes, estimate, reservedFor(recording.id)))
    throw new SaveRefusal(TEXTS.noSpace(measured.totalBytes));
  const { id, name, serviceName, startAt } = recording;
  const videos = savedState.peek()?.videos ?? [];
  const row: SavedVideo = {
    ...{ id, name, stationName: serviceName, startTime: startAt, source, attempt: newAttempt() },
    ...{ video: null, captionText: null, poster: null, chapters: [], databroadcast: null, sheets: [] },
    ...{ state: 'downloading', failure: null, way: 'page', paused: false, savedAt: wallNow() },
    ...measured,
    order: Math.max(0, ...videos.map(({ order }) => order)) + 1,
    recording,
    series,
  };
  await database.putVideo(row);
  return row;
}

/** Background fetch has brought nothing in this browser: some have it in name only. */
const isPageOnly = remembered('offline-page-only', false, (value) =>
  typeof value === 'boolean' ? value : undefined,
);

/** Starts the browser's way. @returns false: the page has to download */
async function startBackground(row: SavedVideo): Promise<boolean> {
  const registration = await workerRegistration();
  const manager = registration === undefined ? undefined : managerOf(registration);
  if (manager === undefined || isPageOnly.peek()) return false;
  await database.changeVideo(row.id, (held) => ({ ...held, way: 'background' }));
  try {
    await abortInBackground(manager, row.id);
    await startInBackground(manager, row, splitTitle(row.name).title);
    return true;
  } catch {
    // The person, or the device, does not allow it.
    await database.changeVideo(row.id, (held) => ({ ...held, way: 'page' }));
    return false;
  }
}

async function start(row: SavedVideo): Promise<void> {
  const isBackground = await startBackground(row);
  await savedChanged();
  if (isBackground) pollBackground();
  else runQueue();
}

/** @param series the series for whose sake it is saved @throws SaveRefusal, ApiFailure, DOMException */
export async function saveRecording(recording: Recording, series: string | null = null): Promise<SavedVideo> {
  const obstacle = saveObstacle();
  if (obstacle !== undefined) throw new SaveRefusal(obstacle);
  preparing.value = new Set([...preparing.value, recording.id]);
  try {
    isUsed.value = true;
    await readSaved();
    const row = await prepare(recording, series);
    await start(row);
    return row;
  } finally {
    preparing.value = new Set([...preparing.value].filter((id) => id !== recording.id));
  }
}

/** Saves again what failed: measured anew, with another attempt mark. Ranges that are here already are kept. */
async function retrySave({ id, recording, series, order }: SavedVideo): Promise<void> {
  const manager = await knownManager();
  if (manager !== undefined) await abortInBackground(manager, id);
  const row = await saveRecording(recording, series);
  await database.changeVideo(row.id, (held) => ({ ...held, order }));
}

let running: { readonly id: RecordingId; readonly abort: AbortController } | undefined;

export async function setSavePaused({ id }: SavedVideo, paused: boolean): Promise<void> {
  await database.changeVideo(id, (held) => ({ ...held, paused }));
  if (paused && running?.id === id) running.abort.abort();
  await savedChanged();
  runQueue();
}

/** In front of the others that wait. */
export async function saveFirst({ id }: SavedVideo): Promise<void> {
  const least = Math.min(0, ...(savedState.peek()?.videos ?? []).map(({ order }) => order));
  await database.changeVideo(id, (held) => ({ ...held, order: least - 1 }));
  if (running !== undefined && running.id !== id) running.abort.abort();
  await savedChanged();
  runQueue();
}

async function stopDownload(id: RecordingId): Promise<void> {
  if (running?.id === id) running.abort.abort();
  const manager = await knownManager();
  if (manager !== undefined) await abortInBackground(manager, id);
}

/** Only from this device: the recording stays at the service. */
export async function removeSaved({ id }: Pick<SavedVideo, 'id'>): Promise<void> {
  await database.removeVideo(id);
  await stopDownload(id);
  await savedChanged();
}

/** From this device now, and at the service with the outbox. */
export async function deleteSaved({ id, name }: SavedVideo): Promise<void> {
  await database.queueDeletion(id, { op: 'delete', name, queuedAt: wallNow() });
  await stopDownload(id);
  await savedChanged();
}

export async function cancelDeletion(id: RecordingId): Promise<void> {
  await database.removeOutbox(id);
  await savedChanged();
}

// The page's way

let queueRuns = false;
/** Something was added while the queue ran, perhaps behind its last look. */
let queueWanted = false;

/** Works off the queue, once no other page of this browser does. */
export function runQueue(): void {
  queueWanted = true;
  if (queueRuns || !('locks' in navigator)) return;
  queueRuns = true;
  void navigator.locks.request(LOCK, workQueue).finally(() => {
    queueRuns = false;
  });
}

async function workQueue(): Promise<void> {
  while (queueWanted) {
    queueWanted = false;
    for (let row = await nextRow(); row !== undefined; row = await nextRow()) await download(row);
  }
  queueRuns = false;
}

async function nextRow(): Promise<SavedVideo | undefined> {
  await readSaved();
  const videos = savedState.peek()?.videos ?? [];
  return videos.find(({ state, way, paused }) => state === 'downloading' && way === 'page' && !paused);
}

async function download(row: SavedVideo): Promise<void> {
  const abort = new AbortController();
  running = { id: row.id, abort };
  const letSleep = keepAwake();
  addEventListener('beforeunload', warn);
  const rate = new Rate(row.id);
  let latest = { received: 0, isWaiting: false };
  const timer = setInterval(() => rate.tell(latest.received, latest.isWaiting), POLL_MS);
  rate.tell(0, false);
  try {
    const needs = {
      database,
      fetch: (path: string, init: RequestInit) => fetch(addressOf(path), { ...init, cache: 'no-store' }),
      onProgress: (received: number, isWaiting: boolean) => {
        latest = { received, isWaiting };
      },
      wait: untilOnline,
    };
    if (await downloadInPage(row, needs, abort.signal)) showToast(TEXTS.done(nameOf(row)));
  } catch (error) {
    if (!abort.signal.aborted)
      await fail(row, error instanceof SaveError ? error.failure : failureOfError(error));
  } finally {
    clearInterval(timer);
    removeEventListener('beforeunload', warn);
    letSleep();
    running = undefined;
    forget(row.id);
    await savedChanged();
  }
}

async function fail(row: SavedVideo, failure: SaveFailure): Promise<void> {
  if (await failVideo(database, row, failure)) showToast(TEXTS.failedOf(nameOf(row), FAILURE_TEXTS[failure]));
}

function warn(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

function untilOnline(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      removeEventListener('online', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    addEventListener('online', done);
    signal.addEventListener('abort', done);
  });
}

class Rate {
  #before: { readonly received: number; readonly at: number } | undefined;

  constructor(private readonly id: RecordingId) {}

  tell(received: number, isWaiting: boolean): void {
    const at = monotonicNow();
    const before = this.#before;
    const seconds = before === undefined ? 0 : (at - before.at) / 1000;
    const rate = before === undefined || seconds <= 0 ? undefined : (received - before.received) / seconds;
    this.#before = { received, at };
    progress.value = new Map(progress.value).set(this.id, { received, rate, isWaiting });
  }
}

function forget(id: RecordingId): void {
  const rest = new Map(progress.value);
  rest.delete(id);
  progress.value = rest;
}

// The browser's way

let isPolling = false;
const missed = new Map<RecordingId, number>();
const rates = new Map<RecordingId, Rate>();

/** Follows the browser's downloads until none runs. */
export function pollBackground(): void {
  if (isPolling) return;
  isPolling = true;
  void poll();
}

async function poll(): Promise<void> {
  const rows = await followAll().catch(() => 0);
  isPolling = rows > 0;
  if (isPolling) setTimeout(() => void poll(), POLL_MS);
}

/** @returns how many run */
async function followAll(): Promise<number> {
  await readSaved();
  const manager = await knownManager();
  const rows = (savedState.peek()?.videos ?? []).filter(
    ({ state, way }) => state === 'downloading' && way === 'background',
  );
  for (const row of rows) await follow(row, manager);
  const left = new Set(rows.map(({ id }) => id));
  for (const id of rates.keys()) {
    if (left.has(id)) continue;
    rates.delete(id);
    missed.delete(id);
    forget(id);
  }
  return rows.length;
}

async function follow(row: SavedVideo, manager: ReturnType<typeof managerOf>): Promise<void> {
  const fetched = await manager?.get(fetchName(row)).catch(() => undefined);
  if (fetched !== undefined && fetched.result !== 'failure') {
    if (fetched.downloaded > 0 || connection.peek() !== 'open') missed.delete(row.id);
    else if (countMissed(row.id) >= STUCK_AFTER) {
      await leaveBackground(row);
      return;
    }
    const rate = rates.get(row.id) ?? new Rate(row.id);
    rates.set(row.id, rate);
    rate.tell(fetched.downloaded, false);
    return;
  }
  // The service worker tells the end; unless it was stopped meanwhile.
  if (countMissed(row.id) < LOST_AFTER) return;
  await fail(row, fetched === undefined ? 'aborted' : failureOfFetch(fetched.failureReason));
  await savedChanged();
}

function countMissed(id: RecordingId): number {
  const count = (missed.get(id) ?? 0) + 1;
  missed.set(id, count);
  return count;
}

/** The page downloads from now on. Another attempt, so that the abort of this one is not taken for a failure. */
async function leaveBackground({ id }: SavedVideo): Promise<void> {
  isPageOnly.value = true;
  await database.changeVideo(id, (held) => ({ ...held, way: 'page', attempt: newAttempt() }));
  const manager = await knownManager();
  if (manager !== undefined) await abortInBackground(manager, id);
  await savedChanged();
  runQueue();
}

/** Chromium calls a file `gone` also when the service was away for some seconds. */
const isBroken = ({ state, failure, way }: SavedVideo): boolean =>
  state === 'failed' &&
  way === 'background' &&
  (failure === 'network' || failure === 'gone' || failure === 'unknown');

/** Where the browser gave up, as after a restart of the service, the page goes on: it can wait, and asks why. */
export async function goOnAfterBreak(): Promise<void> {
  const broken = (savedState.value?.videos ?? []).filter(isBroken);
  if (connection.value !== 'open' || broken.length === 0) return;
  for (const { id } of broken) {
    await database.changeVideo(id, (held) =>
      isBroken(held)
        ? { ...held, state: 'downloading', failure: null, way: 'page', attempt: newAttempt() }
        : undefined,
    );
  }
  await savedChanged();
  runQueue();
}

/** Presses of the person: a refusal is said. */
export async function pressSave(recording: Recording): Promise<void> {
  try {
    const row = await saveRecording(recording);
    if (row.state === 'downloading') showToast(TEXTS.queued(row.totalBytes));
  } catch (error) {
    showToast(failureSentence(error));
  }
}

/** Several at once: one toast says how many are saved, and how many cannot be. */
export async function pressSaveMany(list: readonly Recording[]): Promise<void> {
  const obstacle = saveObstacle();
  if (obstacle !== undefined) {
    showToast(obstacle);
    return;
  }
  await readSaved();
  const refused: string[] = [];
  let queued = 0;
  for (const recording of list) {
    const row = savedState.peek()?.videos.find(({ id }) => id === recording.id);
    if (row !== undefined && row.state !== 'failed') continue;
    try {
      await saveRecording(recording);
      queued += 1;
    } catch (error) {
      refused.push(failureSentence(error));
    }
  }
  const [why] = refused;
  const sentences = [
    ...(queued > 0 || why === undefined ? [TEXTS.queuedMany(queued)] : []),
    ...(why === undefined ? [] : [TEXTS.notQueued(refused.length, why)]),
  ];
  showToast(sentences.join('。'));
}

export async function pressRetry(row: SavedVideo): Promise<void> {
  try {
    await retrySave(row);
  } catch (error) {
    showToast(failureSentence(error));
  }
}

/** What people are told of a refusal or a failure. */
export function failureSentence(error: unknown): string {
  if (error instanceof SaveRefusal || error instanceof ApiFailure) return error.message;
  return isFull(error) ? FAILURE_TEXTS.full : TEXTS.noPersistence;
}
