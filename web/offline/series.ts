/**
 * What is saved by itself and goes by itself: the next episodes of series, renewed when they were watched, and, where it
 * was chosen, everything that was watched.
 */
import type { RecordingId } from '../../lib/wire/ids.ts';
import { monotonicNow } from '../device/clock.ts';
import { connection } from '../device/connection.ts';
import { remembered } from '../device/preferences.ts';
import { screen } from '../navigation/router.ts';
import { ApiFailure } from '../query/api.ts';
import { listenFor } from '../query/events.ts';
import { recordingQuery, seriesQuery } from '../query/queries.ts';
import { entryOf } from '../query/use-query.ts';
import { showToast } from '../ui/toast.tsx';
import { planSeries } from './download-plan.ts';
import { isUsed, readSaved, savedState } from './saved-state.ts';
import { failureSentence, removeSaved, saveRecording } from './saving.ts';
import { TEXTS } from './texts.ts';

interface AutoSeries {
  readonly key: string;
  readonly name: string;
}

/** More than a household follows; each is a request after every change of the recordings. */
const MOST = 30;

const isSeries = (value: unknown): value is AutoSeries =>
  typeof value === 'object' &&
  value !== null &&
  'key' in value &&
  typeof value.key === 'string' &&
  'name' in value &&
  typeof value.name === 'string';

export const autoSeries = remembered<readonly AutoSeries[]>('offline-series', [], (value) =>
  Array.isArray(value) ? value.filter(isSeries).slice(0, MOST) : undefined,
);

/** Whatever was watched goes from this device, also what was saved by hand. */
export const removesWatched = remembered('offline-remove-watched', false, (value) =>
  typeof value === 'boolean' ? value : undefined,
);

const LOCK = 'svc-offline-series';
/** Several changes at once lead to one renewal, ms. */
const SETTLE_MS = 200;
/** A running recording changes all the time. */
const PAUSE_MS = 3_000;

async function isWatched(id: RecordingId): Promise<boolean> {
  const entry = entryOf(recordingQuery(id));
  await entry.renew();
  const { value, failure } = entry.answer.peek();
  return failure === undefined && value != null && value.watchedAt !== null;
}

/** Not what is on this screen: its last minutes may still be playing. */
async function removeWatched(): Promise<void> {
  await readSaved();
  const now = screen.peek();
  let removed = 0;
  for (const { id, state } of savedState.peek()?.videos ?? []) {
    const isShown = now.name === 'watch' && now.recordingId === id;
    if (state !== 'ready' || isShown || !(await isWatched(id))) continue;
    await removeSaved({ id });
    removed += 1;
  }
  if (removed > 0) showToast(TEXTS.watchedRemoved(removed), undefined, 'offline watched');
}

async function renewSeries({ key }: AutoSeries): Promise<void> {
  const entry = entryOf(seriesQuery(key));
  await entry.renew();
  const { value, failure } = entry.answer.peek();
  if (value === undefined || failure !== undefined) return;
  await readSaved();
  const { save, remove } = planSeries(key, value, savedState.peek()?.videos ?? []);
  for (const id of remove) await removeSaved({ id });
  for (const recording of save) await saveRecording(recording, key);
}

/** By one page of this browser. @throws SaveRefusal, ApiFailure */
async function renewAll(): Promise<void> {
  await navigator.locks.request(LOCK, { ifAvailable: true }, async (lock) => {
    if (lock === null || connection.peek() !== 'open') return;
    if (removesWatched.peek()) await removeWatched();
    for (const series of autoSeries.peek()) await renewSeries(series);
  });
}

let isDue = false;
let renewedAt = Number.NEGATIVE_INFINITY;

/** Without space, for example; a service that has just gone is no news. */
function tell(error: unknown): void {
  if (!(error instanceof ApiFailure)) showToast(failureSentence(error), undefined, 'offline');
}

/** What cannot be saved now is tried with the next change. */
function renewSoon(): void {
  if (isDue) return;
  isDue = true;
  const wait = Math.max(SETTLE_MS, renewedAt + PAUSE_MS - monotonicNow());
  setTimeout(() => {
    isDue = false;
    renewedAt = monotonicNow();
    void renewAll().catch(tell);
  }, wait);
}

let stop: (() => void) | undefined;

/** Follows the recordings while something depends on them. */
export function followSeries(): void {
  const isNeeded = autoSeries.value.length > 0 || removesWatched.value;
  // Whoever leaves a recording may have finished it; nothing is renewed without the service.
  void screen.value;
  void connection.value;
  if (!isNeeded || !('locks' in navigator)) {
    stop?.();
    stop = undefined;
    return;
  }
  stop ??= listenFor(['recordings'], renewSoon);
  renewSoon();
}

export async function startSeries(series: AutoSeries): Promise<void> {
  isUsed.value = true;
  autoSeries.value = [...autoSeries.value.filter(({ key }) => key !== series.key), series].slice(-MOST);
  try {
    await renewSeries(series);
    showToast(TEXTS.seriesOn(series.name));
  } catch (error) {
    showToast(failureSentence(error));
  }
}

/** What is saved stays until it is removed. */
export function stopSeries(key: string): void {
  autoSeries.value = autoSeries.value.filter((one) => one.key !== key);
}
