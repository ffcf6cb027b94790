/**
 * Detects the commercials of every finished recording, one after the other: requested recordings first, then the
 * newest. The queue is in the database, so that it survives a restart and takes no memory here. Woken by the event
 * `recordings`.
 */
import { dirname } from 'node:path';
import { media90k } from '../../arib/time.ts';
import type { WallClock } from '../../host/clock.ts';
import { settlesWithin, sleepUnlessAborted } from '../../host/deadline.ts';
import type { Log } from '../../host/log.ts';
import { WorkerError, WorkerLink } from '../../host/worker-link.ts';
import type { Hub } from '../hub/hub.ts';
import { findEntry } from '../media/entry-search.ts';
import type { DetectionFailure } from '../model/chapters.ts';
import { Failure } from '../model/failure.ts';
import { type RecordingId, recordingId } from '../model/ids.ts';
import type { Settings } from '../settings/settings.ts';
import type { ChapterStore } from '../store/chapter-store.ts';
import type { LearntLogoStore } from '../store/learnt-logo-store.ts';
import type { ListedRecording, RecordingListStore } from '../store/recording-list-store.ts';
import { isLocked, type Write, writeNow } from '../store/transaction.ts';
import type { DetectAnswer, DetectAsk, DetectContract } from './detect-messages.ts';
import type { OpensOriginals } from './original-recording.ts';

interface DetectionServiceOptions {
  readonly chapters: ChapterStore;
  readonly logos: LearntLogoStore;
  readonly list: Pick<RecordingListStore, 'find'>;
  readonly open: OpensOriginals;
  /** The disk of a recording folder is not mounted: its files are not deleted. */
  readonly isAway: (folder: string) => Promise<boolean>;
  readonly settings: Pick<Settings, 'get'>;
  /** Path of ffmpeg. @throws Failure ffmpeg_unavailable */
  readonly ffmpeg: () => Promise<string>;
  readonly startWorker: () => Worker;
  /** A task that users wait for is running: detection pauses. */
  readonly isBusy: () => boolean;
  /** Default: at once. */
  readonly write?: Write | undefined;
  readonly hub: Pick<Hub, 'publish' | 'changed' | 'subscribe'>;
  readonly log: Log;
  /** Epoch ms. */
  readonly now: WallClock;
  /** Polling interval of `isBusy`, ms. */
  readonly pollMs?: number | undefined;
  /** Longest time between two rounds without an event, ms. */
  readonly roundMs?: number | undefined;
  /** Least time between the end of a round and the next one, ms: events arrive up to four times a second. */
  readonly restMs?: number | undefined;
}

/** Attempts per recording. */
const MAX_ATTEMPTS = 3;
const POLL_MS = 250;
const ROUND_MS = 10 * 60_000;
const REST_MS = 5_000;
const CLOSE_MS = 3_000;
const START_MS = 1_000;
/** Limit of unreadable recordings in a run: with each, the search for the next one takes longer. */
const MAX_SKIPPED = 1_000;
/** Pause between two recordings: if many fail at once (missing files), other tasks can run. */
const TURN_MS = 100;
/** Pause between two pages of recordings without original streams. */
const SWEEP_TURN_MS = 50;
/** An idle worker is stopped after this time. */
const IDLE_MS = 60_000;
/** Watchdog: the longest step without a message is the logo of a recording of several hours on a slow machine. */
const WORKER_LIMIT_MS = 120_000;

interface Running {
  readonly id: RecordingId;
  readonly abort: AbortController;
  /** 0 to 1. */
  share: number;
}

type Outcome = 'done' | 'again' | 'later' | 'end';

/** Abort reason of a detection in progress. */
class Cancelled extends Error {}

export class DetectionService {
  readonly #stop = new AbortController();
  readonly #link: WorkerLink<DetectContract>;
  #running: Running | undefined;
  #isWoken = false;
  /** A request by a user: the next round begins at once. */
  #isAsked = false;
  /** ffmpeg was missing at the last attempt, so nothing can be detected. */
  lacksFfmpeg = false;
  #wake: (() => void) | undefined;
  #rounds: Promise<void> | undefined;
  #unsubscribe: (() => void) | undefined;
  #isSwept = false;

  constructor(private readonly options: DetectionServiceOptions) {
    this.#link = new WorkerLink({
      name: 'background worker (commercials)',
      ...{ startWorker: options.startWorker, log: options.log, watchWhen: 'working', idleMs: IDLE_MS },
      watchdog: { limitMs: WORKER_LIMIT_MS },
      onEvent: ({ share }) => {
        if (this.#running !== undefined) this.#running.share = share;
      },
    });
  }

  start(): void {
    if (this.#rounds !== undefined) return;
    this.#unsubscribe = this.options.hub.subscribe(({ name }) => {
      if (name === 'recordings' || name === 'settings') this.#awake();
    });
    this.#rounds = this.#run();
  }

  /** Cancels the detection in progress; it restarts at the next start. Idempotent. */
  async close(): Promise<void> {
    this.#unsubscribe?.();
    this.#stop.abort(new Error('the service ends'));
    this.#running?.abort.abort(this.#stop.signal.reason);
    this.#wake?.();
    if (this.#rounds !== undefined) await settlesWithin(CLOSE_MS, this.#rounds);
    await this.#link.close();
  }

  /** Detects again, ahead of recordings that were not requested. */
  request(id: RecordingId): void {
    const { chapters, now } = this.options;
    if (this.#running?.id === id) this.#running.abort.abort(new Cancelled('asked for again'));
    chapters.request(id, now());
    this.#isAsked = true;
    this.#awake();
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
    if (this.#running?.id === id) this.#running.abort.abort(new Cancelled('cancelled'));
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Progress of the recording under analysis, 0 to 1; undefined: it is not being analysed. */
  shareOf(id: RecordingId): number | undefined {
    return this.#running?.id === id ? this.#running.share : undefined;
  }

  #awake(): void {
    this.#isWoken = true;
    this.#wake?.();
  }

  async #run(): Promise<void> {
    const { roundMs = ROUND_MS, restMs = REST_MS, log } = this.options;
    // The service's first responses after a start have priority.
    await this.#pause(Math.min(restMs, START_MS));
    while (!this.#stop.signal.aborted) {
      this.#isWoken = false;
      this.#isAsked = false;
      try {
        await this.#round();
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        log.warn('commercials not searched', { error: String(error) });
      }
      await this.#pause(restMs);
      if (!this.#isWoken) await this.#pause(roundMs - restMs, true);
    }
  }

  /** Runs once: marks imported recordings without original streams as settled, in cheap pages. */
  async #sweep(): Promise<void> {
    const { chapters, settings, hub, log, now } = this.options;
    if (this.#isSwept || settings.get('commercials') === 'none') return;
    let count = 0;
    this.#isSwept = true;
    for (const ids of chapters.withoutOriginal()) {
      if (this.#stop.signal.aborted) return;
      try {
        if (ids.length > 0) chapters.putAllFailed(ids, 'no_file', now());
        count += ids.length;
      } catch (error) {
        // Another connection writes; the next round continues with these.
        if (!isLocked(error)) throw error;
        this.#isSwept = false;
      }
      await sleepUnlessAborted(SWEEP_TURN_MS, this.#stop.signal);
    }
    if (count === 0) return;
    log.info('no commercials of recordings without an original stream', { recordings: count });
    hub.changed('recordings');
  }

  async #round(): Promise<void> {
    const { chapters, settings } = this.options;
    await this.#sweep();
    const skipped: RecordingId[] = [];
    while (!this.#stop.signal.aborted) {
      const id = chapters.next(settings.get('commercials') === 'none', skipped);
      if (id === undefined) return;
      const next = await this.#detect(id);
      if (next === 'end') return;
      // Not tried again in this round, whatever the outcome.
      if (next !== 'done') skipped.push(id);
      if (skipped.length >= MAX_SKIPPED) return;
      if (next === 'again') this.#isWoken = true;
      await Bun.sleep(TURN_MS);
    }
  }

  /** @returns `again`: retry in the next round; `later`: once it can be read; `end`: nothing can be detected now */
  async #detect(id: RecordingId): Promise<Outcome> {
    const { chapters, list, now, log } = this.options;
    const recording = list.find(id);
    if (recording === undefined || (await this.#isAway(recording))) return 'later';
    const abort = new AbortController();
    const running: Running = { id, abort, share: 0 };
    this.#running = running;
    const poll = this.#watch(running);
    const attempt = chapters.begin(id, now());
    try {
      if (attempt > MAX_ATTEMPTS) return this.#failed(id, 'interrupted', 'ended with the service each time');
      await this.#quiet(abort.signal);
      const answer = await this.#ask(recording, abort.signal);
      return await this.#write(() => {
        // A user may have cancelled or corrected it since the worker's last message.
        abort.signal.throwIfAborted();
        return this.#take(recording, answer, attempt);
      });
    } catch (error) {
      if (abort.signal.reason instanceof Cancelled) return 'done';
      if (this.#stop.signal.aborted) {
        chapters.putBack(id, now());
        throw error;
      }
      if (list.find(id) === undefined) return 'later';
      return this.#write(() => this.#fault(id, attempt, error));
    } finally {
      clearInterval(poll);
      this.#running = undefined;
      log.debug('commercials searched', { recording: id });
    }
  }

  get #write(): Write {
    return this.options.write ?? writeNow;
  }

  async #isAway({ files }: ListedRecording): Promise<boolean> {
    const path = files.find(({ source }) => source === 'ts')?.path;
    return path !== undefined && (await this.options.isAway(dirname(path)));
  }

  /** Cancels it when its recording is deleted, and pauses it while the machine is busy. */
  #watch({ id, abort }: Running): ReturnType<typeof setInterval> {
    const { isBusy, list, pollMs = POLL_MS } = this.options;
    let isHeld = false;
    return setInterval(() => {
      // A detection may outlast the service's close, which ends the database.
      if (this.#stop.signal.aborted) return;
      if (list.find(id) === undefined) abort.abort(new Cancelled('deleted'));
      if (isBusy() === isHeld) return;
      isHeld = !isHeld;
      this.#link.sendIfRunning({ order: isHeld ? 'hold' : 'resume' });
    }, pollMs);
  }

  async #quiet(signal: AbortSignal): Promise<void> {
    const { isBusy, pollMs = POLL_MS } = this.options;
    while (isBusy() && !signal.aborted) await Bun.sleep(pollMs);
    signal.throwIfAborted();
  }

  async #ask(recording: ListedRecording, signal: AbortSignal): Promise<DetectAnswer> {
    const { open, logos, chapters } = this.options;
    this.lacksFfmpeg = true;
    const ffmpeg = await this.options.ffmpeg();
    this.lacksFfmpeg = false;
    const opened = await open.open(recording);
    try {
      const { bytes, index } = opened;
      const entry = await findEntry(bytes, index, media90k(0));
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
      return await this.#link.request('detect', ask, { signal });
    } finally {
      opened.close();
    }
  }

  #take(recording: ListedRecording, answer: DetectAnswer, attempt: number): Outcome {
    const { chapters, logos, hub, log, now } = this.options;
    const id = recordingId(recording.id);
    if (answer.kind === 'failed') {
      if (answer.reason === 'ffmpeg_failed' && attempt < MAX_ATTEMPTS) return 'again';
      return this.#failed(id, answer.reason, answer.message);
    }
    chapters.putDetected(id, answer.chapters, now());
    if (answer.learnt !== null) logos.learn(recording.stationId, answer.format, answer.learnt, now());
    const commercials = answer.chapters.segments.filter(({ kind }) => kind === 'cm').length;
    const { reliable, confidence } = answer.chapters;
    log.info('commercials of a recording found', { recording: id, commercials, reliable, confidence });
    hub.publish({ name: 'chapters', data: { recordingId: id } });
    hub.changed('recordings');
    return 'done';
  }

  #failed(id: RecordingId, reason: DetectionFailure, message: string): 'done' {
    const { chapters, now, log, hub } = this.options;
    log.info('commercials of a recording not found', { recording: id, reason, message });
    chapters.putFailed(id, reason, now());
    hub.changed('recordings');
    return 'done';
  }

  #fault(id: RecordingId, attempt: number, error: unknown): Outcome {
    const { chapters, now, log } = this.options;
    if (error instanceof Failure && error.code === 'not_found')
      return this.#failed(id, 'no_file', error.message);
    if (error instanceof Failure && (error.code === 'busy' || error.code === 'ffmpeg_unavailable')) {
      chapters.putBack(id, now());
      return error.code === 'busy' ? 'later' : 'end';
    }
    log.info('commercials of a recording not searched', { recording: id, attempt, error: String(error) });
    // A worker that fails to start is retried later, without counting as an attempt of the recording.
    if (error instanceof WorkerError && error.kind === 'busy') {
      chapters.putBack(id, now());
      return 'end';
    }
    if (attempt < MAX_ATTEMPTS) return 'again';
    const isRead = error instanceof WorkerError && error.kind === 'failed';
    return this.#failed(id, isRead ? 'unreadable' : 'interrupted', String(error));
  }

  async #pause(ms: number, isEndedByEvent = false): Promise<void> {
    if (this.#stop.signal.aborted || this.#isAsked) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#wake = () => {
      if (isEndedByEvent || this.#isAsked || this.#stop.signal.aborted) resolve();
    };
    await promise;
    clearTimeout(timer);
    this.#wake = undefined;
  }
}
