/**
 * The encode queue: one recording at a time, in the background, within its allowed hours. Jobs and their retries are in
 * the database.
 */
import { rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { broadcastMs, DAY_MS, plusMs } from '../../lib/arib/time.ts';
import { type MonotonicMs, monotonicMs } from '../../lib/host/clock.ts';
import { settlesWithin } from '../../lib/host/deadline.ts';
import type { Log } from '../../lib/host/log.ts';
import type { EncodeMany, EncodeQueueChange, EncodeRequest } from '../../lib/wire/encode.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { EncodePause } from '../../lib/wire/vocabulary.ts';
import {
  type FailureMeaning,
  JOB_PRIORITY,
  type JobKind,
  type RetryPolicy,
  type RunFailure,
} from '../media/job/job-kind.ts';
import type { JobRun } from '../media/job/job-run.ts';
import type { JobRunner, Jobs } from '../media/job/job-runner.ts';
import type { EncodeReason } from '../model/encode-reason.ts';
import { type EncodeJob, type EncodeWish, SOURCE_OF } from '../model/encoding.ts';
import { Failure } from '../model/failure.ts';
import type { RecordingRecord } from '../model/recording.ts';
import type { Hub } from '../notify/hub.ts';
import type { SettingsService } from '../settings/settings.ts';
import type { ListedEncode } from '../store/encode-store.ts';
import type { Excluded } from '../store/query.ts';
import type { ListedRecording } from '../store/recording-list-store.ts';
import type { Write } from '../store/transaction.ts';
import { faultOf } from './encode-fault.ts';
import type { EncodeSources } from './encode-sources.ts';
import { codecsOf, EncodeTask, roomFor } from './encode-task.ts';
import { ENCODE_RETRY_MS, encodeWait, readyEncodes } from './encode-window.ts';

interface EncodeJobsOptions {
  readonly jobs: Pick<JobRunner, 'add' | 'admits'>;
  readonly sources: EncodeSources;
  /** Not deleted and not in the recycle bin. */
  readonly find: (id: RecordingId) => ListedRecording | undefined;
  readonly record: (id: RecordingId) => RecordingRecord | undefined;
  /** Commercial detection is pending. */
  readonly isDetecting: (id: RecordingId) => boolean;
  readonly settings: Pick<SettingsService, 'get'>;
  readonly hub: Hub;
  readonly log: Log;
  /** False: the machine's clock may be wrong, and no log is deleted by it. */
  readonly isTimeSure: () => boolean;
  /** Interval of queueing recordings that were not queued at their end, ms. */
  readonly reconcileMs?: number | undefined;
  /** Intervals for tests, ms. */
  readonly pollMs?: number | undefined;
  readonly settleMs?: number | undefined;
  readonly retryMs?: number | undefined;
  readonly cancelMs?: number | undefined;
}

/** The running job, as lists show it. */
export interface EncodeProgress {
  readonly recordingId: RecordingId;
  readonly percent: number;
  readonly etaMs: number | null;
}

const POLL_MS = 1_000;
/** Delay after the end of a recording: its reservation, thumbnails and captions are stored first. */
const SETTLE_MS = 60_000;
/** Longest wait for commercial detection, which itself waits for an idle machine. */
const COMMERCIALS_MS = 6 * 3_600_000;
/** Poster and previews take a minute or two; for some recordings they cannot be made. */
const PICTURES_MS = 30 * 60_000;
/** A failed job is retried once. */
const ATTEMPTS = 2;
const EVENT_MS = 1_000;
/** Longest wait for the end of a cancelled job: a network folder may hang. */
const CANCEL_MS = 10_000;
const KEEP_LOGS_MS = 14 * DAY_MS;
const PURGE_MS = 3_600_000;
const RECONCILE_MS = 60_000;
/** Interval at which the space that waiting jobs lack is looked for. */
const ROOM_MS = 30_000;
/** Missed recordings are queued only if they ended within this time; older ones were decided earlier. */
const FORGOTTEN_MS = 2 * DAY_MS;

/** A queued job as it is run. */
interface QueuedEncode {
  readonly id: number;
  readonly job: EncodeJob;
  readonly recording: ListedRecording;
  /** Base name of its files. */
  readonly stem: string;
}

interface Running {
  readonly job: EncodeJob;
  readonly task: EncodeTask;
  readonly run: JobRun;
  /** Later by the time for which it was held. */
  begunAt: number;
  /** Progress, 0 to 1. */
  share: number;
  /** By a user. */
  isCancelled: boolean;
  publishedAt: MonotonicMs;
}

export class EncodeJobs implements JobKind<QueuedEncode> {
  readonly name = 'encodes';
  readonly priority = JOB_PRIORITY.encodes;
  readonly needs = 'processor';
  readonly pollMs: number;
  readonly restMs: number;
  readonly retry: RetryPolicy;
  readonly #jobs: Jobs<QueuedEncode>;
  #running: Running | undefined;
  #isRecovered = false;
  #reconciledAt = Number.NEGATIVE_INFINITY;
  #purgedAt = Number.NEGATIVE_INFINITY;
  #roomAt = Number.NEGATIVE_INFINITY;

  constructor(readonly options: EncodeJobsOptions) {
    const { pollMs = POLL_MS, retryMs = ENCODE_RETRY_MS } = options;
    this.pollMs = pollMs;
    this.restMs = pollMs;
    this.retry = { attempts: ATTEMPTS, firstMs: retryMs, maxMs: retryMs, laterMs: retryMs };
    this.#jobs = options.jobs.add(this);
  }

  /** Called when a recording ended. Resolves when it is queued. */
  async onRecorded(recordingId: RecordingId): Promise<void> {
    const { sources, settleMs = SETTLE_MS, log } = this.options;
    try {
      const record = this.options.record(recordingId);
      if (record?.state !== 'recorded' || record.encode === 'none') return;
      const options = this.#optionsOf(record, {});
      const when = { automatic: true, readyAt: plusMs(sources.now(), settleMs) };
      await this.#write(() => sources.store.enqueue(recordingId, options, when, sources.now()));
    } catch (error) {
      // `#queueForgotten` follows.
      log.error('encode not queued yet', { recording: recordingId, error: String(error) });
    }
    this.#publishChange();
  }

  get #write(): Write {
    return this.options.sources.write;
  }

  /** @throws Failure conflict while it is being recorded or encoded, where it failed, or without its original */
  enqueue(recording: ListedRecording, request: EncodeRequest): void {
    if (recording.state === 'recording') {
      throw new Failure('conflict', '録画中の番組は変換できません。録画が終わってからお試しください。');
    }
    if (!recording.files.some(({ source }) => source === 'ts')) {
      throw new Failure('conflict', '元の録画が残っていないため、変換できません。');
    }
    // The queue would keep it for ever.
    if (recording.state === 'failed') {
      throw new Failure('conflict', '録画に失敗した番組は変換できません。');
    }
    if (this.#running?.job.recordingId === recording.id) {
      throw new Failure('conflict', 'この録画は変換中です。');
    }
    this.#enqueueNow(recording.id, request);
    this.#publishChange();
  }

  /** @returns number of queued recordings */
  enqueueMany({ ids, series, before, ...request }: EncodeMany): number {
    const { store } = this.options.sources;
    const selected =
      ids !== undefined
        ? store.encodable({ ids })
        : series !== undefined
          ? store.encodable({ series })
          : store.encodable({ before: before ?? broadcastMs(0) });
    let queued = 0;
    for (const id of selected) {
      if (this.#enqueueNow(id, request)) queued += 1;
    }
    if (queued > 0) this.#publishChange();
    return queued;
  }

  /**
   * The queued or running job of a recording, also in the bin, if any. @returns whether there is such a recording
   * @throws Failure busy where its folder does not respond: it ends as soon as that does
   */
  async cancel(recordingId: RecordingId): Promise<boolean> {
    const { store, now } = this.options.sources;
    const running = this.#running;
    if (running?.job.recordingId === recordingId) {
      running.isCancelled = true;
      const { cancelMs = CANCEL_MS } = this.options;
      if (!(await settlesWithin(cancelMs, this.#jobs.cancel(running.job.id)))) throw isStopping();
    } else if (store.cancelWaiting(recordingId, now())) this.#publishChange();
    else return this.options.record(recordingId) !== undefined;
    return true;
  }

  change({ paused, order }: EncodeQueueChange): void {
    const { store } = this.options.sources;
    if (order !== undefined) store.reorder(order);
    if (paused !== undefined) store.pause(paused);
    this.#jobs.wake();
    this.#publishChange();
  }

  progress(): EncodeProgress | undefined {
    const running = this.#running;
    if (running === undefined) return undefined;
    return { recordingId: running.job.recordingId, percent: running.share, etaMs: this.#etaOf(running) };
  }

  /** Why no job runs now; null: it may. */
  get wait(): EncodePause | null {
    const { sources, settings, jobs } = this.options;
    const window = { from: settings.get('encodeFrom'), to: settings.get('encodeTo') };
    return encodeWait(sources.store.isPaused, window, sources.now(), jobs.admits('processor'));
  }

  isAllowed(): boolean {
    return this.wait === null;
  }

  /** The tasks that precede an encode of its original. */
  awaits(job: ListedEncode): 'commercials' | 'pictures' | undefined {
    const { isDetecting, sources } = this.options;
    const waited = sources.now() - job.createdAt;
    if (job.automatic && !job.keepTs && !job.hasPictures && waited < PICTURES_MS) return 'pictures';
    const asks = job.commercials !== 'none' && waited < COMMERCIALS_MS;
    return asks && isDetecting(job.recordingId) ? 'commercials' : undefined;
  }

  #optionsOf(record: RecordingRecord | undefined, request: EncodeRequest): EncodeWish {
    const { settings } = this.options;
    const asked = [record?.encode, settings.get('encode')].find((one) => one !== undefined && one !== 'none');
    return {
      codecs: request.codecs ?? asked ?? 'av1',
      keepTs: request.keepTs ?? record?.keepTs ?? settings.get('keepTs'),
      commercials: request.commercials ?? record?.commercials ?? settings.get('commercials'),
      quality: request.quality ?? settings.get('encodeQuality'),
    };
  }

  /** @returns whether it was not queued before */
  #enqueueNow(id: RecordingId, request: EncodeRequest): boolean {
    const { store, now } = this.options.sources;
    const options = this.#optionsOf(this.options.record(id), request);
    const isNew = store.enqueue(id, options, { automatic: false, readyAt: now() }, now());
    const open = store.openOf(id);
    if (open !== undefined) this.#jobs.forget(open.id);
    return isNew;
  }

  /** Cleans up after an earlier process: files without a row, interrupted jobs, recordings that were never queued. */
  async #recover(): Promise<void> {
    const { sources, log } = this.options;
    const { store } = sources;
    try {
      for (const { id, original } of store.working()) {
        // In a copied or restored database the path may name a file that is now the only one of a recording.
        if (original === null || !(await isFile(original))) {
          log.warn('files of an encode kept: its original is missing', { encode: id });
          continue;
        }
        for (const path of store.leftovers(id)) await rm(path, { force: true });
        await this.#write(() => store.putWork(id, []));
      }
      await rm(sources.workFolder, { recursive: true, force: true });
      await this.#write(() => this.#endInterrupted());
      await this.#queueForgotten();
    } catch (error) {
      log.error('encode queue not recovered', { error: String(error) });
    }
  }

  /** Recordings that ended while the process was killed or the database could not be written. */
  async #queueForgotten(): Promise<void> {
    const { store, now } = this.options.sources;
    this.#reconciledAt = now();
    try {
      for (const id of store.forgotten(plusMs(now(), -FORGOTTEN_MS))) await this.onRecorded(id);
    } catch (error) {
      this.options.log.error('recordings to encode not read', { error: String(error) });
    }
  }

  /** Completes jobs that were interrupted after their last step: without its original none would. Others wait again. */
  #endInterrupted(): void {
    const { store, files, now } = this.options.sources;
    for (const job of store.queue()) {
      const { id, recordingId, state, createdAt, keepTs } = job;
      if (state !== 'running') continue;
      const isMade = codecsOf(job).every((codec) =>
        files.isMadeSince(recordingId, SOURCE_OF[codec], createdAt, now()),
      );
      if (!isMade || (files.hasOriginal(recordingId) && !keepTs)) continue;
      store.end(id, { state: 'done', reason: null, log: '', results: [] }, now());
    }
    store.recover();
  }

  async upkeep(): Promise<void> {
    const { store, now } = this.options.sources;
    if (!this.#isRecovered) await this.#recover();
    this.#isRecovered = true;
    if (this.options.isTimeSure() && Math.abs(now() - this.#purgedAt) > PURGE_MS) {
      store.purge(plusMs(now(), -KEEP_LOGS_MS));
      this.#purgedAt = now();
    }
    if (Math.abs(now() - this.#reconciledAt) > (this.options.reconcileMs ?? RECONCILE_MS))
      await this.#queueForgotten();
    // The database failed to store the outcome.
    if (this.#running === undefined && store.queue().some(({ state }) => state === 'running'))
      this.#endInterrupted();
    const queue = store.queue();
    this.#cancelDeleted(queue);
    if (Math.abs(now() - this.#roomAt) > ROOM_MS) await this.#resumeRoomy(queue);
    // Detection of what is queued precedes that of other recordings, also while another encode runs.
    for (const job of queue) if (job.isReady && job.state === 'waiting') this.awaits(job);
  }

  next(excluded: Excluded<number>): QueuedEncode | undefined {
    const { sources, find, record } = this.options;
    const queue = sources.store
      .queue()
      .filter(({ id }) => !excluded.has(id))
      .map((job) => ({ ...job, awaits: this.awaits(job) !== undefined }));
    for (const job of readyEncodes(queue, sources.now())) {
      const recording = find(job.recordingId);
      const stem = record(job.recordingId)?.stem ?? null;
      // One without a name waits for it; the others do not.
      if (recording !== undefined && stem !== null) return { id: job.id, job, recording, stem };
    }
    return undefined;
  }

  isGone({ job }: QueuedEncode): boolean {
    return this.options.find(job.recordingId) === undefined;
  }

  async run({ job, recording, stem }: QueuedEncode, run: JobRun): Promise<void> {
    const { sources, log, hub } = this.options;
    const onProgress = (share: number): void => this.#onProgress(share);
    const task = new EncodeTask({ ...{ job, recording, stem, sources, run, onProgress } });
    this.#running = {
      ...{ job, task, run, begunAt: sources.elapsed(), share: 0, isCancelled: false },
      publishedAt: monotonicMs(Number.NEGATIVE_INFINITY),
    };
    this.#leaveOutHeld(this.#running);
    await this.#write(() => sources.store.begin(job.id, sources.now()));
    this.#publishChange();
    log.info('encode began', { recording: job.recordingId, codecs: job.codecs });
    await task.run();
    const end = { state: 'done', reason: task.note, log: task.log, results: task.results } as const;
    await this.#write(() => sources.store.end(job.id, end, sources.now())).catch((error: unknown) => {
      log.error('end of an encode not stored', { recording: job.recordingId, error: String(error) });
    });
    log.info('encode done', { recording: job.recordingId, files: task.results.length });
    this.#ended(1);
    hub.changed('recordings');
  }

  attemptsOf({ job }: QueuedEncode): number {
    return job.attempts;
  }

  meaningOf(error: unknown): FailureMeaning {
    const kind = faultOf(error)?.kind ?? 'failed';
    return kind === 'later' || kind === 'final' ? kind : 'fault';
  }

  /** A recording in the bin keeps its place in the queue; jobs of deleted ones are cancelled. */
  #cancelDeleted(queue: readonly ListedEncode[]): void {
    const { store, now } = this.options.sources;
    const deleted = queue.filter(({ state, isDeleted }) => state === 'waiting' && isDeleted);
    if (deleted.length === 0) return;
    const ids = deleted.map(({ id }) => id);
    store.cancel(ids, { code: 'gone' }, now());
    this.#publishChange();
  }

  /** Jobs that wait for free space or for a folder continue when it is there, as their reason says. */
  async #resumeRoomy(queue: readonly ListedEncode[]): Promise<void> {
    const { sources, find } = this.options;
    this.#roomAt = sources.now();
    const rooms = new Map<string, Promise<number | undefined>>();
    for (const job of queue) {
      if (job.state !== 'waiting' || (job.reason?.code !== 'full' && job.reason?.code !== 'away')) continue;
      const recording = find(job.recordingId);
      const path = recording?.files.find(({ source }) => source === 'ts')?.path;
      if (recording === undefined || path === undefined) continue;
      const folder = dirname(path);
      const room = await rooms.getOrInsertComputed(folder, () => sources.room(folder));
      const wanted = codecsOf(job).map((codec) => roomFor(codec, recording.durationMs, recording.bytes));
      if (room === undefined || room < Math.max(...wanted)) continue;
      if (sources.store.resume(job.id, sources.now())) this.#jobs.forget(job.id);
    }
  }

  async failed({ job }: QueuedEncode, error: unknown, failure: RunFailure): Promise<void> {
    const { log } = this.options;
    const running = this.#running;
    const { meaning } = failure;
    if (meaning !== 'stopped' && meaning !== 'cancelled')
      log.warn('encode failed', { recording: job.recordingId, kind: meaning, reason: String(error) });
    try {
      await this.#write(() => this.#storeFailure(job, error, failure));
    } finally {
      this.#ended(running?.share ?? 0);
      this.#publishChange();
    }
  }

  #storeFailure(job: EncodeJob, error: unknown, { meaning, retryMs }: RunFailure): void {
    const { find, record, sources } = this.options;
    const { store, now } = sources;
    const { task, isCancelled = false } = this.#running ?? {};
    const log = task?.logOf(error) ?? String(error);
    const results = task?.results ?? [];
    if (meaning === 'stopped' || meaning === 'cancelled') {
      const isGone = find(job.recordingId) === undefined && record(job.recordingId) === undefined;
      const why = { code: isGone ? 'gone' : 'stopped' } as const;
      if (isCancelled || isGone) store.end(job.id, { state: 'cancelled', reason: why, log, results }, now());
      else store.postpone(job.id, job.readyAt, undefined);
      return;
    }
    const reason: EncodeReason = faultOf(error)?.reason ?? { code: 'encoder' };
    if (retryMs === undefined) store.end(job.id, { state: 'failed', reason, log, results }, now());
    else store.postpone(job.id, plusMs(now(), retryMs), { reason, log, isFailure: meaning === 'fault' });
  }

  /** @param percent as lists show it last */
  #ended(percent: number): void {
    const running = this.#running;
    this.#running = undefined;
    if (running !== undefined) this.#publish(running, percent, null);
  }

  #onProgress(share: number): void {
    const running = this.#running;
    if (running === undefined) return;
    running.share = share;
    const now = this.options.sources.elapsed();
    if (now - running.publishedAt < EVENT_MS) return;
    running.publishedAt = now;
    this.#publish(running, share, this.#etaOf(running));
  }

  /** Hours without progress say nothing about the rest. */
  #leaveOutHeld(running: Running): void {
    const { elapsed } = this.options.sources;
    let since = elapsed();
    running.run.onHold((isHeld) => {
      if (!isHeld) running.begunAt += elapsed() - since;
      since = elapsed();
    });
  }

  #etaOf({ share, begunAt, run }: Running): number | null {
    const took = this.options.sources.elapsed() - begunAt;
    return share < 0.01 || run.isHeld ? null : Math.round((took / share) * (1 - share));
  }

  #publish({ job, task }: Running, percent: number, etaMs: number | null): void {
    const { recordingId } = job;
    this.options.hub.publish({ name: 'encode', data: { recordingId, percent, etaMs, log: task.lastLine } });
  }

  /** Publishes a change: lists show queued jobs. */
  #publishChange(): void {
    this.options.hub.changed('recordings');
  }
}

function isStopping(): Failure {
  return new Failure('busy', '録画先のフォルダーが応答しません。変換は、応答が戻りしだい中止されます。');
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
