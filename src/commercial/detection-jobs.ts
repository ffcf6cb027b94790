/**
 * Jobs that detect the commercials of finished recordings: of requested ones first, then of the newest. The queue is in
 * the database, so that it survives a restart and takes no memory here.
 */
import { dirname } from 'node:path';
import { media90k } from '../../lib/arib/time.ts';
import { unlessAborted } from '../../lib/host/deadline.ts';
import { WorkerError, WorkerLink } from '../../lib/host/worker-link.ts';
import { type RecordingId, recordingId } from '../../lib/wire/ids.ts';
import { findEntry } from '../media/entry-search.ts';
import {
  type FailureMeaning,
  JOB_PRIORITY,
  type JobKind,
  type RetryPolicy,
  type RunFailure,
} from '../media/job/job-kind.ts';
import type { JobRun } from '../media/job/job-run.ts';
import type { JobRunner, Jobs } from '../media/job/job-runner.ts';
import type { RecordingContext } from '../media/job/recording-context.ts';
import { settlePages } from '../media/job/settle-pages.ts';
import type { DetectionFailure } from '../model/chapters.ts';
import { Failure } from '../model/failure.ts';
import type { Hub, HubEvent } from '../notify/hub.ts';
import type { ChapterStore } from '../store/chapter-store.ts';
import type { LearntLogoStore } from '../store/logo-store.ts';
import type { Excluded } from '../store/query.ts';
import type { ListedRecording, RecordingListStore } from '../store/recording-list-store.ts';
import type { DetectAnswer, DetectAsk, DetectContract } from './detect-messages.ts';

interface DetectionOptions extends Pick<RecordingContext, 'open' | 'settings' | 'write' | 'log' | 'now'> {
  readonly jobs: Pick<JobRunner, 'add'>;
  readonly chapters: ChapterStore;
  readonly logos: LearntLogoStore;
  readonly list: Pick<RecordingListStore, 'find'>;
  /** The disk of a recording folder is not mounted: its files are not deleted. */
  readonly isAway: (folder: string) => Promise<boolean>;
  /** Path of ffmpeg. @throws Failure ffmpeg_unavailable */
  readonly ffmpeg: () => Promise<string>;
  readonly startWorker: () => Worker;
  readonly hub: Pick<Hub, 'publish' | 'changed'>;
  /** See `JobKind`. */
  readonly pollMs?: number | undefined;
  readonly restMs?: number | undefined;
}

const MAX_ATTEMPTS = 3;
const POLL_MS = 10 * 60_000;
const REST_MS = 5_000;
/** The service's first responses after a start have priority. */
const START_MS = 1_000;
/** Bound of folders that are known to be absent. */
const MAX_AWAY = 1_000;
/** An idle worker is stopped after this time. */
const IDLE_MS = 60_000;
/** Watchdog: the longest step without a message is the logo of a recording of several hours on a slow machine. */
const WORKER_LIMIT_MS = 120_000;

interface DetectionJob {
  readonly id: RecordingId;
  /** Progress, 0 to 1. */
  share: number;
  /** Its attempt is counted in the database. */
  isCounted: boolean;
}

/** The recording was analysed, and nothing can be said about it. */
class NotDetected extends Error {
  constructor(
    readonly reason: DetectionFailure,
    message: string,
  ) {
    super(message);
  }
}

export class DetectionJobs implements JobKind<DetectionJob> {
  readonly name = 'commercials';
  readonly priority = JOB_PRIORITY.commercials;
  readonly needs = 'unwatched';
  readonly startMs: number;
  readonly pollMs: number;
  readonly restMs: number;
  readonly retry: RetryPolicy;
  readonly #jobs: Jobs<DetectionJob>;
  readonly #link: WorkerLink<DetectContract>;
  /** ffmpeg was missing at the last attempt, so nothing can be detected. */
  lacksFfmpeg = false;
  #isSwept = false;
  /** Folders that are absent in this round: each is asked once, not for each of its recordings. */
  readonly #away = new Set<string>();

  constructor(private readonly options: DetectionOptions) {
    const { pollMs = POLL_MS, restMs = REST_MS } = options;
    this.startMs = Math.min(restMs, START_MS);
    this.pollMs = pollMs;
    this.restMs = restMs;
    this.retry = { attempts: MAX_ATTEMPTS, firstMs: restMs, maxMs: pollMs, laterMs: pollMs };
    this.#link = new WorkerLink({
      name: 'background worker (commercials)',
      ...{ startWorker: options.startWorker, log: options.log, watchWhen: 'working', idleMs: IDLE_MS },
      watchdog: { limitMs: WORKER_LIMIT_MS },
      onEvent: ({ share }) => {
        for (const job of this.#jobs.running) job.share = share;
      },
    });
    this.#jobs = options.jobs.add(this);
  }

  /** Ends the worker; the runner is closed before. */
  async close(): Promise<void> {
    await this.#link.close();
  }

  /** Detects again, ahead of recordings that were not requested. */
  request(id: RecordingId): void {
    const { chapters, now } = this.options;
    void this.#jobs.cancel(id);
    chapters.request(id, now());
    this.#jobs.forget(id);
    this.#jobs.wake();
  }

  /** A user corrected its chapters: analysing it again learns the station's logo from them. */
  corrected(id: RecordingId): void {
    const { chapters, list } = this.options;
    const recording = list.find(id);
    const hasOriginal = recording?.files.some(({ source }) => source === 'ts') === true;
    if (hasOriginal && chapters.find(id)?.isCorrected === true) this.request(recordingId(id));
  }

  /** Skips it until detection is requested. */
  cancel(id: RecordingId): void {
    const { chapters, now } = this.options;
    chapters.cancel(id, now());
    void this.#jobs.cancel(id);
  }

  /** Progress of the recording under analysis, 0 to 1; undefined: it is not being analysed. */
  shareOf(id: RecordingId): number | undefined {
    return this.#jobs.running.find((job) => job.id === id)?.share;
  }

  wakesOn({ name }: HubEvent): boolean {
    return name === 'recordings' || name === 'settings';
  }

  /** Settles imported recordings without original streams once, in cheap pages. */
  async upkeep(signal: AbortSignal): Promise<void> {
    const { chapters, settings, hub, log, now } = this.options;
    this.#away.clear();
    if (this.#isSwept || settings.get('commercials') === 'none') return;
    this.#isSwept = true;
    const settle = (ids: readonly RecordingId[]): void => chapters.putAllFailed(ids, 'no_file', now());
    const { count, isWhole } = await settlePages(chapters.withoutOriginal(), settle, signal);
    this.#isSwept = isWhole;
    if (count === 0) return;
    log.info('no commercials of recordings without an original stream', { recordings: count });
    hub.changed('recordings');
  }

  next(excluded: Excluded<RecordingId>): DetectionJob | undefined {
    const { chapters, settings } = this.options;
    const id = chapters.next(settings.get('commercials') === 'none', excluded);
    return id === undefined ? undefined : { id, share: 0, isCounted: false };
  }

  isGone({ id }: DetectionJob): boolean {
    return this.options.list.find(id) === undefined;
  }

  async run(job: DetectionJob, run: JobRun): Promise<void> {
    const { chapters, list, now, write } = this.options;
    const { id } = job;
    const recording = list.find(id);
    if (recording === undefined || (await this.#isAway(recording)))
      throw new Failure('busy', '録画フォルダーが応答しません。');
    run.signal.throwIfAborted();
    // Counted at its begin, so that an attempt that ends the process counts, too.
    const attempt = chapters.begin(id, now());
    job.isCounted = true;
    if (attempt > MAX_ATTEMPTS) throw new NotDetected('interrupted', 'ended with the service each time');
    await run.resumed();
    const answer = await this.#ask(recording, run);
    if (answer.kind === 'failed') throw new NotDetected(answer.reason, answer.message);
    await write(() => {
      // A user may have cancelled or corrected it since the worker's last message.
      run.signal.throwIfAborted();
      this.#take(recording, answer);
    });
  }

  attemptsOf({ id }: DetectionJob): number {
    return Math.max(0, (this.options.chapters.detection(id)?.attempts ?? 1) - 1);
  }

  meaningOf(error: unknown): FailureMeaning | undefined {
    if (!(error instanceof NotDetected)) return undefined;
    return error.reason === 'ffmpeg_failed' ? 'fault' : 'final';
  }

  async failed(
    { id, isCounted }: DetectionJob,
    error: unknown,
    { meaning, attempts, retryMs }: RunFailure,
  ): Promise<void> {
    const { chapters, list, now, log, hub, write } = this.options;
    if (meaning === 'cancelled' || !isCounted) return;
    if (meaning === 'stopped') {
      chapters.putBack(id, now());
      return;
    }
    if (list.find(id) === undefined) return;
    if (meaning === 'later' || meaning === 'blocked') {
      await write(() => chapters.putBack(id, now()));
      return;
    }
    log.info('commercials of a recording not found', { recording: id, attempts, error: String(error) });
    if (retryMs !== undefined) return;
    await write(() => chapters.putFailed(id, reasonOf(error), now()));
    hub.changed('recordings');
  }

  async #isAway({ files }: ListedRecording): Promise<boolean> {
    const path = files.find(({ source }) => source === 'ts')?.path;
    if (path === undefined) return false;
    const folder = dirname(path);
    if (this.#away.has(folder)) return true;
    const isAway = await this.options.isAway(folder);
    if (isAway && this.#away.size < MAX_AWAY) this.#away.add(folder);
    return isAway;
  }

  async #ask(recording: ListedRecording, run: JobRun): Promise<DetectAnswer> {
    const { open, logos, chapters } = this.options;
    this.lacksFfmpeg = true;
    const ffmpeg = await this.options.ffmpeg();
    this.lacksFfmpeg = false;
    const opened = await open.open(recording);
    let release: (() => void) | undefined;
    try {
      const { bytes, index } = opened;
      const entry = await unlessAborted(findEntry(bytes, index, media90k(0)), run.signal);
      if (entry === undefined)
        return { kind: 'failed', reason: 'unreadable', message: 'nothing can be shown' };
      const { at, media, layout, tables } = entry;
      const known = chapters.find(recording.id);
      const ask: DetectAsk = {
        ffmpeg,
        paths: bytes.starts.map(({ path }) => path),
        size: index.size,
        pieces: index.pieces,
        serviceId: index.serviceId,
        entry: { at, media, layout, tables },
        format: entry.format ?? '',
        durationMs: index.duration / 90,
        logo: logos.find(recording.stationId, entry.format ?? '') ?? null,
        corrected: known?.isCorrected === true ? known.segments : null,
      };
      this.#link.start();
      this.#link.sendIfRunning({ order: 'resume' });
      release = run.onHold((isHeld) => this.#link.sendIfRunning({ order: isHeld ? 'hold' : 'resume' }));
      return await this.#link.request('detect', ask, { signal: run.signal });
    } finally {
      release?.();
      opened.close();
    }
  }

  #take(recording: ListedRecording, answer: Extract<DetectAnswer, { kind: 'found' }>): void {
    const { chapters, logos, hub, log, now } = this.options;
    const id = recordingId(recording.id);
    chapters.putDetected(id, answer.chapters, now());
    if (answer.learnt !== null) logos.learn(recording.stationId, answer.format, answer.learnt, now());
    const commercials = answer.chapters.segments.filter(({ kind }) => kind === 'cm').length;
    const { reliable, confidence } = answer.chapters;
    log.info('commercials of a recording found', { recording: id, commercials, reliable, confidence });
    hub.publish({ name: 'chapters', data: { recordingId: id } });
    hub.changed('recordings');
  }
}

function reasonOf(error: unknown): DetectionFailure {
  if (error instanceof NotDetected) return error.reason;
  if (error instanceof Failure && error.code === 'not_found') return 'no_file';
  return error instanceof WorkerError && error.kind === 'failed' ? 'unreadable' : 'interrupted';
}
