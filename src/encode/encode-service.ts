/** Processes the encode queue: one recording at a time, in the background, within its allowed hours. */

import { rm, stat } from 'node:fs/promises';
import { broadcastMs, plusMs } from '../../arib/time.ts';
import { type MonotonicMs, monotonicMs } from '../../host/clock.ts';
import type { Log } from '../../host/log.ts';
import type { EncodeMany, EncodeQueueChange, EncodeRequest } from '../../wire/encode.ts';
import type { Hub } from '../hub/hub.ts';
import type { EncodeReason } from '../model/encode-reason.ts';
import { type EncodeJob, type EncodeWish, SOURCE_OF } from '../model/encoding.ts';
import { Failure } from '../model/failure.ts';
import type { RecordingId } from '../model/ids.ts';
import type { RecordingRecord } from '../model/recording.ts';
import type { Settings } from '../settings/settings.ts';
import type { ListedEncode } from '../store/encode-store.ts';
import type { ListedRecording } from '../store/recording-list-store.ts';
import { isLocked, type Write, writeNow } from '../store/transaction.ts';
import { EncodeFault } from './encode-fault.ts';
import { decideEncode, type EncodeDecision, type MachineUse } from './encode-schedule.ts';
import type { EncodeSources } from './encode-sources.ts';
import { codecsOf, EncodeTask } from './encode-task.ts';

interface EncodeServiceOptions {
  readonly sources: EncodeSources;
  /** Not deleted and not in the recycle bin. */
  readonly find: (id: RecordingId) => ListedRecording | undefined;
  readonly record: (id: RecordingId) => RecordingRecord | undefined;
  /** Commercial detection is pending. */
  readonly isDetecting: (id: RecordingId) => boolean;
  readonly machine: () => MachineUse;
  readonly settings: Pick<Settings, 'get'>;
  readonly hub: Hub;
  readonly log: Log;
  /** Interval of queueing recordings that were not queued at their end, ms. */
  readonly reconcileMs?: number | undefined;
  /** Intervals for tests, ms. */
  readonly tickMs?: number | undefined;
  readonly settleMs?: number | undefined;
  readonly retryMs?: number | undefined;
}

/** The running job, as lists show it. */
export interface EncodeProgress {
  readonly recordingId: RecordingId;
  readonly percent: number;
  readonly etaMs: number | null;
}

const TICK_MS = 1_000;
/** Delay after the end of a recording: its reservation, thumbnails and captions are stored first. */
const SETTLE_MS = 60_000;
const RETRY_MS = 10 * 60_000;
/** Longest wait for commercial detection, which itself waits for an idle machine. */
const COMMERCIALS_MS = 6 * 3_600_000;
/** Poster and previews take a minute or two; for some recordings they cannot be made. */
const PICTURES_MS = 30 * 60_000;
/** Retries of a failed job. */
const RETRIES = 1;
const EVENT_MS = 1_000;
const DAY_MS = 86_400_000;
const KEEP_LOGS_MS = 14 * DAY_MS;
const PURGE_MS = 3_600_000;
const RECONCILE_MS = 60_000;
/** Missed recordings are queued only if they ended within this time; older ones were decided earlier. */
const FORGOTTEN_MS = 2 * DAY_MS;

interface Running {
  readonly job: EncodeJob;
  readonly task: EncodeTask;
  readonly begunAt: MonotonicMs;
  share: number;
  done: Promise<void>;
  cancelled: boolean;
  toldAt: MonotonicMs;
}

export class EncodeService {
  #running: Running | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #unsubscribe: (() => void) | undefined;
  #starting: Promise<void> | undefined;
  #reconciledAt = Number.NEGATIVE_INFINITY;
  #purgedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(readonly options: EncodeServiceOptions) {}

  start(): void {
    this.#unsubscribe = this.options.hub.subscribe(({ name }) => {
      if (name === 'recordings') this.#stopWithoutRecording();
    });
    this.#starting = this.#recover().then(() => {
      if (this.#isClosed) return;
      this.#timer = setInterval(() => this.#tick(), this.options.tickMs ?? TICK_MS);
    });
  }

  /** Cancels the running encode; it restarts from the beginning after the next start. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#unsubscribe?.();
    await this.#starting;
    this.#running?.task.stop();
    await this.#running?.done;
  }

  /** Called when a recording ended. Resolves when it is queued. */
  async onRecorded(recordingId: RecordingId): Promise<void> {
    const { sources, settleMs = SETTLE_MS, log } = this.options;
    try {
      const record = this.options.record(recordingId);
      if (record?.state !== 'recorded' || record.encode === 'none') return;
      const wish = this.#wish(record, {});
      const when = { automatic: true, readyAt: plusMs(sources.now(), settleMs) };
      await this.#write(() => sources.store.enqueue(recordingId, wish, when, sources.now()));
    } catch (error) {
      // `#queueForgotten` follows.
      log.error('encode not queued yet', { recording: recordingId, error: String(error) });
    }
    this.#publishChange();
  }

  get #write(): Write {
    return this.options.sources.write ?? writeNow;
  }

  /** @throws Failure conflict while it is being recorded or encoded, or without its original */
  enqueue(recording: ListedRecording, request: EncodeRequest): void {
    const { sources } = this.options;
    if (recording.state === 'recording') {
      throw new Failure('conflict', '録画中の番組は変換できません。録画が終わってからお試しください。');
    }
    if (!recording.files.some(({ source }) => source === 'ts')) {
      throw new Failure('conflict', '元の録画が残っていないため、変換できません。');
    }
    if (this.#running?.job.recordingId === recording.id) {
      throw new Failure('conflict', 'この録画は変換中です。');
    }
    const record = this.options.record(recording.id);
    const wish = this.#wish(record, request);
    sources.store.enqueue(recording.id, wish, { automatic: false, readyAt: sources.now() }, sources.now());
    this.#publishChange();
  }

  /** @returns number of queued recordings */
  enqueueMany({ ids, series, before, ...request }: EncodeMany): number {
    const { sources } = this.options;
    const { store } = sources;
    const selected =
      ids !== undefined
        ? store.encodable({ ids })
        : series !== undefined
          ? store.encodable({ series })
          : store.encodable({ before: before ?? broadcastMs(0) });
    let queued = 0;
    for (const id of selected) {
      const wish = this.#wish(this.options.record(id), request);
      const isNew = store.enqueue(id, wish, { automatic: false, readyAt: sources.now() }, sources.now());
      if (isNew) queued += 1;
    }
    if (queued > 0) this.#publishChange();
    return queued;
  }

  /** The queued or running job of a recording, if any. */
  async cancel(recordingId: RecordingId): Promise<void> {
    const { store, now } = this.options.sources;
    const running = this.#running;
    if (running?.job.recordingId === recordingId) {
      running.cancelled = true;
      running.task.stop();
      await running.done;
    } else if (store.cancelWaiting(recordingId, now())) this.#publishChange();
  }

  change({ paused, order }: EncodeQueueChange): void {
    const { store } = this.options.sources;
    if (order !== undefined) store.reorder(order);
    if (paused !== undefined) store.pause(paused);
    this.#tick();
    this.#publishChange();
  }

  progress(): EncodeProgress | undefined {
    const running = this.#running;
    if (running === undefined) return undefined;
    return { recordingId: running.job.recordingId, percent: running.share, etaMs: this.#etaOf(running) };
  }

  decision(queue: readonly ListedEncode[] = this.options.sources.store.queue()): EncodeDecision {
    const { sources, settings, machine } = this.options;
    return decideEncode({
      queue: queue.map((job) => ({ ...job, awaits: this.awaits(job) !== undefined })),
      now: sources.now(),
      isPaused: sources.store.isPaused,
      window: { from: settings.get('encodeFrom'), to: settings.get('encodeTo') },
      machine: machine(),
    });
  }

  /** The tasks that precede an encode of its original. */
  awaits(job: ListedEncode): 'commercials' | 'pictures' | undefined {
    const { isDetecting, sources } = this.options;
    const waited = sources.now() - job.createdAt;
    if (job.automatic && !job.keepTs && !job.hasPictures && waited < PICTURES_MS) return 'pictures';
    const asks = job.commercials !== 'none' && waited < COMMERCIALS_MS;
    return asks && isDetecting(job.recordingId) ? 'commercials' : undefined;
  }

  #wish(record: RecordingRecord | undefined, request: EncodeRequest): EncodeWish {
    const { settings } = this.options;
    const wished = [record?.encode, settings.get('encode')].find(
      (one) => one !== undefined && one !== 'none',
    );
    return {
      codecs: request.codecs ?? wished ?? 'av1',
      keepTs: request.keepTs ?? record?.keepTs ?? settings.get('keepTs'),
      commercials: request.commercials ?? record?.commercials ?? settings.get('commercials'),
      quality: request.quality ?? settings.get('encodeQuality'),
    };
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
      await this.#write(() => {
        this.#finishHandedOver();
        store.recover();
      });
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

  /** Completes a job that was interrupted after its last step: without its original it would never finish. */
  #finishHandedOver(): void {
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
  }

  #tick(): void {
    if (this.#isClosed) return;
    try {
      const { store, now } = this.options.sources;
      if (now() - this.#purgedAt > PURGE_MS) {
        store.purge(plusMs(now(), -KEEP_LOGS_MS));
        this.#purgedAt = now();
      }
      if (Math.abs(now() - this.#reconciledAt) > (this.options.reconcileMs ?? RECONCILE_MS))
        void this.#queueForgotten();
      // The database failed to store the outcome.
      if (this.#running === undefined && store.queue().some(({ state }) => state === 'running'))
        store.recover();
      const queue = this.#withoutDeleted(store.queue());
      const decision = this.decision(queue);
      this.#running?.task.hold(decision.hold);
      const next = queue.find(({ id }) => id === decision.start);
      if (this.#running === undefined && next !== undefined) this.#begin(next);
    } catch (error) {
      // The next tick tries again.
      if (!isLocked(error)) this.options.log.error('encode queue not read', { error: String(error) });
    }
  }

  /** A recording in the bin keeps its place in the queue; jobs of deleted ones are cancelled. */
  #withoutDeleted(queue: readonly ListedEncode[]): ListedEncode[] {
    const { store, now } = this.options.sources;
    const deleted = queue.filter(({ state, isDeleted }) => state === 'waiting' && isDeleted);
    if (deleted.length > 0) {
      store.cancel(
        deleted.map(({ id }) => id),
        { code: 'gone' },
        now(),
      );
      this.#publishChange();
    }
    return queue.filter((job) => !deleted.includes(job));
  }

  #begin(job: EncodeJob): void {
    const { sources, find, record } = this.options;
    const recording = find(job.recordingId);
    const stem = record(job.recordingId)?.stem ?? null;
    if (recording === undefined || stem === null) return;
    sources.store.begin(job.id, sources.now());
    const task = new EncodeTask({
      job,
      recording,
      stem,
      sources,
      onProgress: (share) => this.#onProgress(share),
    });
    const running: Running = {
      ...{ job, task, begunAt: sources.elapsed(), share: 0, cancelled: false },
      ...{ done: Promise.resolve(), toldAt: monotonicMs(Number.NEGATIVE_INFINITY) },
    };
    this.#running = running;
    running.done = this.#run(running).finally(() => {
      this.#running = undefined;
    });
    this.#publishChange();
  }

  async #run(running: Running): Promise<void> {
    const { job, task } = running;
    const { log, sources } = this.options;
    const { store, now } = sources;
    log.info('encode began', { recording: job.recordingId, codecs: job.codecs });
    let fault: unknown;
    try {
      await task.run();
    } catch (error) {
      fault = error;
    }
    const { results } = task;
    try {
      if (fault === undefined) {
        const end = { state: 'done', reason: task.note, log: task.log, results } as const;
        await this.#write(() => store.end(job.id, end, now()));
        log.info('encode done', { recording: job.recordingId, files: results.length });
      } else await this.#write(() => this.#failed(running, fault));
    } catch (error) {
      log.error('end of an encode not stored', { recording: job.recordingId, error: String(error) });
    }
    this.#publish(running, fault === undefined ? 1 : running.share, null);
    this.options.hub.changed('recordings');
  }

  #failed({ job, task, cancelled }: Running, fault: unknown): void {
    const { log, sources, find, retryMs = RETRY_MS } = this.options;
    const { store, now } = sources;
    const known = fault instanceof EncodeFault ? fault : undefined;
    const lines = [task.log, String(fault)].filter((line) => line !== '').join('\n');
    const reason: EncodeReason = known?.reason ?? { code: 'encoder' };
    const { results } = task;
    if (known?.kind === 'stopped') {
      const isGone =
        find(job.recordingId) === undefined && this.options.record(job.recordingId) === undefined;
      if (cancelled || isGone) {
        const why = { code: isGone ? 'gone' : 'stopped' } as const;
        store.end(job.id, { state: 'cancelled', reason: why, log: lines, results }, now());
      } else store.postpone(job.id, job.readyAt, undefined);
      return;
    }
    log.warn('encode failed', {
      recording: job.recordingId,
      kind: known?.kind ?? 'unknown',
      reason: String(fault),
    });
    if (known?.kind === 'later') {
      store.postpone(job.id, plusMs(now(), retryMs), { reason, log: lines, isFailure: false });
    } else if (known?.kind !== 'final' && job.attempts < RETRIES) {
      store.postpone(job.id, plusMs(now(), retryMs), { reason, log: lines, isFailure: true });
    } else store.end(job.id, { state: 'failed', reason, log: lines, results }, now());
  }

  #stopWithoutRecording(): void {
    const running = this.#running;
    if (running !== undefined && this.options.find(running.job.recordingId) === undefined)
      running.task.stop();
  }

  #onProgress(share: number): void {
    const running = this.#running;
    if (running === undefined) return;
    running.share = share;
    const now = this.options.sources.elapsed();
    if (now - running.toldAt < EVENT_MS) return;
    running.toldAt = now;
    this.#publish(running, share, this.#etaOf(running));
  }

  #etaOf({ share, begunAt }: Running): number | null {
    const took = this.options.sources.elapsed() - begunAt;
    return share < 0.01 ? null : Math.round((took / share) * (1 - share));
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

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
