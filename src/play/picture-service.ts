/**
 * Makes the pictures of every finished recording, one after the other, newest first, has its captions read, and
 * removes the cached files of deleted recordings. Triggered by the event `recordings`.
 */
import type { WallClock, WallMs } from '../../host/clock.ts';
import { settlesWithin, sleepUnlessAborted, unlessAborted, within } from '../../host/deadline.ts';
import type { Log } from '../../host/log.ts';
import type { Hub } from '../hub/hub.ts';
import { Failure } from '../model/failure.ts';
import type { RecordingId } from '../model/ids.ts';
import type { PictureStore } from '../store/picture-store.ts';
import type { ListedRecording, RecordingListStore } from '../store/recording-list-store.ts';
import { isLocked, type Write, writeNow } from '../store/transaction.ts';
import type { CaptionFiles } from './caption-files.ts';
import type { PictureMaker } from './picture-maker.ts';
import type { RecordingCache } from './recording-cache.ts';

interface PictureServiceOptions {
  readonly store: PictureStore;
  readonly list: Pick<RecordingListStore, 'find'>;
  readonly cache: RecordingCache;
  readonly maker: Pick<PictureMaker, 'make'>;
  readonly captions: Pick<CaptionFiles, 'prepare'>;
  /** Default: at once. */
  readonly write?: Write | undefined;
  readonly hub: Hub;
  readonly log: Log;
  /** Epoch ms. */
  readonly now: WallClock;
  /** Interval of runs without events, ms. */
  readonly roundMs?: number | undefined;
  /** Minimum pause between two runs, ms: events arrive four times a second. */
  readonly restMs?: number | undefined;
}

/** A recording that fails twice will fail again: no decoder can read it. */
const MAX_ATTEMPTS = 2;
const ROUND_MS = 10 * 60_000;
const REST_MS = 5_000;
/** Interval in which the size of the cache is checked. */
const TRIM_MS = 24 * 3_600_000;
/** Captions are read in a fraction of a recording's length; a folder that does not respond must not delay others. */
const CAPTIONS_LEAST_MS = 60_000;
/** Pause between recordings without usable files: tens of thousands may have lost theirs. */
const TURN_MS = 50;
/** A picture in progress ends with its ffmpeg. */
const CLOSE_MS = 3_000;

export class PictureService {
  readonly #stop = new AbortController();
  readonly #attempts = new Map<RecordingId, number>();
  #wake: (() => void) | undefined;
  #isWoken = false;
  #running: Promise<void> | undefined;
  #unsubscribe: (() => void) | undefined;
  #trimmedAt: WallMs | undefined;
  #isSwept = false;

  constructor(private readonly options: PictureServiceOptions) {}

  start(): void {
    if (this.#running !== undefined) return;
    this.#unsubscribe = this.options.hub.subscribe(({ name }) => {
      if (name !== 'recordings') return;
      this.#isWoken = true;
      this.#wake?.();
    });
    this.#running = this.#rounds();
  }

  /** Cancels the work in progress. Idempotent. */
  async close(): Promise<void> {
    this.#unsubscribe?.();
    this.#stop.abort(new Error('the service ends'));
    this.#wake?.();
    if (this.#running !== undefined) await settlesWithin(CLOSE_MS, this.#running);
  }

  async #rounds(): Promise<void> {
    const { roundMs = ROUND_MS, restMs = REST_MS, log } = this.options;
    while (!this.#stop.signal.aborted) {
      this.#isWoken = false;
      try {
        await this.#round();
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        log.warn('pictures of recordings not made', { error: String(error) });
      }
      await this.#pause(restMs);
      if (!this.#isWoken) await this.#pause(roundMs - restMs, true);
    }
  }

  async #round(): Promise<void> {
    const { store } = this.options;
    await this.#clean();
    await this.#sweep();
    for (;;) {
      const failed = [...this.#attempts].filter(([, attempts]) => attempts >= MAX_ATTEMPTS);
      const id = store.missing(failed.map(([one]) => one));
      if (id === undefined || this.#stop.signal.aborted) return;
      if (!(await this.#make(id))) return;
    }
  }

  /** Runs once: settles imported recordings without original streams, cheaply. */
  async #sweep(): Promise<void> {
    if (this.#isSwept) return;
    const { store, log } = this.options;
    let count = 0;
    this.#isSwept = true;
    for (const ids of store.withoutOriginal()) {
      if (this.#stop.signal.aborted) return;
      try {
        if (ids.length > 0) store.putAllDone(ids);
        count += ids.length;
      } catch (error) {
        // Another connection is writing: the next run tries these again.
        if (!isLocked(error)) throw error;
        this.#isSwept = false;
      }
      await sleepUnlessAborted(TURN_MS, this.#stop.signal);
    }
    if (count > 0) log.info('no pictures of recordings without an original stream', { recordings: count });
  }

  /** @returns false if nothing can be made now */
  async #make(id: RecordingId): Promise<boolean> {
    const { store, list, maker, hub, log, now, write = writeNow } = this.options;
    const { signal } = this.#stop;
    const recording = list.find(id);
    const attempt = (this.#attempts.get(id) ?? 0) + 1;
    this.#attempts.set(id, attempt);
    if (recording === undefined) return true;
    let captions: Promise<void> | undefined;
    const readCaptions = (): Promise<void> => {
      captions ??= this.#readCaptions(recording);
      return captions;
    };
    const showPoster = (): void => {
      store.putPoster(id, now());
      hub.changed('recordings');
      void readCaptions();
    };
    try {
      const made = await maker.make(recording, id, showPoster, signal);
      await write(() => store.putDone(id));
      this.#attempts.delete(id);
      log.debug('pictures of a recording made', { recording: id, made });
      if (made) hub.changed('recordings');
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof Failure && (error.code === 'ffmpeg_unavailable' || error.code === 'busy')) {
        this.#attempts.set(id, attempt - 1);
        return error.code === 'busy' && this.#skip(id);
      }
      log.info('pictures of a recording not made', { recording: id, error: String(error) });
      const isGone = error instanceof Failure && error.code === 'not_found';
      if (isGone || attempt >= MAX_ATTEMPTS) {
        await write(() => store.putDone(id));
        this.#attempts.delete(id);
      }
      await sleepUnlessAborted(TURN_MS, signal);
      if (isGone) return true;
    }
    await readCaptions();
    return true;
  }

  /** Captions that cannot be read now are read when requested. */
  async #readCaptions(recording: ListedRecording): Promise<void> {
    const { captions, log } = this.options;
    try {
      const reading = unlessAborted(captions.prepare(recording), this.#stop.signal);
      await within(CAPTIONS_LEAST_MS + (recording.durationMs ?? 0), reading, () => {
        throw new Error('reading takes longer than the recording');
      });
    } catch (error) {
      log.debug('captions of a recording not read ahead', { recording: recording.id, error: String(error) });
    }
  }

  /** A folder that does not respond must not delay others: it is skipped until the next start. */
  #skip(id: RecordingId): true {
    this.#attempts.set(id, MAX_ATTEMPTS);
    return true;
  }

  async #clean(): Promise<void> {
    const { cache, store, now } = this.options;
    const ids = await cache.ids();
    const existing = store.existing(ids);
    for (const id of ids) if (!existing.has(id)) await cache.forget(id);
    if (this.#trimmedAt !== undefined && Math.abs(now() - this.#trimmedAt) < TRIM_MS) return;
    if (this.#trimmedAt === undefined) this.#findLost(new Set(ids));
    this.#trimmedAt = now();
    await cache.trim();
  }

  /** The cache was deleted by a user, or the database comes from another machine. */
  #findLost(cached: ReadonlySet<RecordingId>): void {
    const { store } = this.options;
    for (const id of store.withPoster()) if (!cached.has(id)) store.putLost(id);
  }

  async #pause(ms: number, isEndedByEvent = false): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#wake = () => {
      if (isEndedByEvent || this.#stop.signal.aborted) resolve();
    };
    await promise;
    clearTimeout(timer);
    this.#wake = undefined;
  }
}
