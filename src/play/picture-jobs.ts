/**
 * Jobs that make the pictures of finished recordings, newest first, and have their captions read. Between them the cached
 * files of deleted recordings are removed.
 */
import type { WallMs } from '../../lib/host/clock.ts';
import { unlessAborted, within } from '../../lib/host/deadline.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import {
  JOB_PRIORITY,
  type JobKind,
  meaningOf,
  type RetryPolicy,
  type RunFailure,
} from '../media/job/job-kind.ts';
import type { JobRun } from '../media/job/job-run.ts';
import type { RecordingContext } from '../media/job/recording-context.ts';
import { settlePages } from '../media/job/settle-pages.ts';
import { Failure } from '../model/failure.ts';
import type { Hub, HubEvent } from '../notify/hub.ts';
import type { PictureStore } from '../store/picture-store.ts';
import type { Excluded } from '../store/query.ts';
import type { ListedRecording, RecordingListStore } from '../store/recording-list-store.ts';
import type { CaptionFiles } from './caption-files.ts';
import type { PictureMaker } from './picture-maker.ts';
import type { RecordingCache } from './recording-cache.ts';

interface PictureJobsOptions extends Pick<RecordingContext, 'write' | 'log' | 'now'> {
  readonly store: PictureStore;
  readonly list: Pick<RecordingListStore, 'find'>;
  readonly cache: RecordingCache;
  readonly maker: Pick<PictureMaker, 'make'>;
  readonly captions: Pick<CaptionFiles, 'prepare'>;
  readonly hub: Pick<Hub, 'changed'>;
  /** See `JobKind`. */
  readonly restMs?: number | undefined;
}

interface PictureJob {
  readonly id: RecordingId;
}

const REST_MS = 5_000;
/** Interval in which the size of the cache is checked. */
const TRIM_MS = 24 * 3_600_000;
/** Captions are read in a fraction of a recording's length; a folder that does not respond must not delay others. */
const CAPTIONS_LEAST_MS = 60_000;

export class PictureJobs implements JobKind<PictureJob> {
  readonly name = 'pictures';
  readonly priority = JOB_PRIORITY.pictures;
  readonly needs = 'unwatched';
  readonly pollMs = 10 * 60_000;
  readonly restMs: number;
  /**
   * A recording that fails twice will fail again: no decoder can read it. A folder that does not respond must not delay
   * others: its recordings wait until the next start.
   */
  readonly retry: RetryPolicy;
  /** Its files must not be trimmed. */
  #isMaking = false;
  #trimmedAt: WallMs | undefined;
  #isSwept = false;

  constructor(private readonly options: PictureJobsOptions) {
    this.restMs = options.restMs ?? REST_MS;
    this.retry = { attempts: 2, firstMs: this.restMs, maxMs: this.restMs, laterMs: Number.POSITIVE_INFINITY };
  }

  wakesOn({ name }: HubEvent): boolean {
    return name === 'recordings';
  }

  async upkeep(signal: AbortSignal): Promise<void> {
    if (!this.#isMaking) await this.#clean();
    await this.#sweep(signal);
  }

  next(excluded: Excluded<RecordingId>): PictureJob | undefined {
    const id = this.options.store.missing(excluded);
    return id === undefined ? undefined : { id };
  }

  isGone({ id }: PictureJob): boolean {
    return this.options.list.find(id) === undefined;
  }

  async run({ id }: PictureJob, run: JobRun): Promise<void> {
    const { store, list, maker, hub, log, now, write } = this.options;
    const recording = list.find(id);
    if (recording === undefined) throw new Failure('busy', '録画が見つかりません。');
    let captions: Promise<void> | undefined;
    const readCaptions = (): Promise<void> => {
      captions ??= this.#readCaptions(recording, run.signal);
      return captions;
    };
    const showPoster = (): void => {
      store.putPoster(id, now());
      hub.changed('recordings');
      void readCaptions();
    };
    this.#isMaking = true;
    try {
      const made = await maker.make(recording, id, showPoster, run);
      await write(() => store.putDone(id));
      log.debug('pictures of a recording made', { recording: id, made });
      if (made) hub.changed('recordings');
    } catch (error) {
      if (meaningOf(error) === 'fault' && !run.signal.aborted) await readCaptions();
      throw error;
    } finally {
      this.#isMaking = false;
    }
    await readCaptions();
  }

  async failed({ id }: PictureJob, error: unknown, { meaning, retryMs }: RunFailure): Promise<void> {
    const { store, log, write } = this.options;
    if (meaning !== 'fault' && meaning !== 'final') return;
    log.info('pictures of a recording not made', { recording: id, error: String(error) });
    if (retryMs === undefined) await write(() => store.putDone(id));
  }

  /** Settles imported recordings without original streams once, cheaply. */
  async #sweep(signal: AbortSignal): Promise<void> {
    if (this.#isSwept) return;
    const { store, log } = this.options;
    this.#isSwept = true;
    const { count, isWhole } = await settlePages(
      store.withoutOriginal(),
      (ids) => store.putAllDone(ids),
      signal,
    );
    this.#isSwept = isWhole;
    if (count > 0) log.info('no pictures of recordings without an original stream', { recordings: count });
  }

  /** Captions that cannot be read now are read when requested. */
  async #readCaptions(recording: ListedRecording, signal: AbortSignal): Promise<void> {
    const { captions, log } = this.options;
    try {
      const reading = unlessAborted(captions.prepare(recording), signal);
      await within(CAPTIONS_LEAST_MS + (recording.durationMs ?? 0), reading, () => {
        throw new Error('reading takes longer than the recording');
      });
    } catch (error) {
      log.debug('captions of a recording not read ahead', { recording: recording.id, error: String(error) });
    }
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
}
