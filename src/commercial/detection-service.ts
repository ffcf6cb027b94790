/**
 * Looks for the commercials of every finished recording, one after the other: those that somebody asked for first, then
 * the newest. What is to be done stands in the database, so that nothing is forgotten and nothing piles up here. Woken by
 * the event `recordings`.
 */
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
import { isLocked } from '../store/transaction.ts';
import type { DetectAnswer, DetectAsk, DetectContract } from './detect-messages.ts';
import type { OpensOriginals } from './original-recording.ts';

interface DetectionServiceOptions {
  readonly chapters: ChapterStore;
  readonly logos: LearntLogoStore;
  readonly list: Pick<RecordingListStore, 'find'>;
  readonly open: OpensOriginals;
  readonly settings: Pick<Settings, 'get'>;
  /** Path of ffmpeg. @throws Failure ffmpeg_unavailable */
  readonly ffmpeg: () => Promise<string>;
  readonly startWorker: () => Worker;
  /** Something that people wait for runs: detection waits. */
  readonly isBusy: () => boolean;
  readonly hub: Pick<Hub, 'publish' | 'changed' | 'subscribe'>;
  readonly log: Log;
  /** Epoch ms. */
  readonly now: WallClock;
  /** Interval in which `isBusy` is asked, ms. */
  readonly pollMs?: number | undefined;
  /** Interval of a round, when no event comes, ms. */
  readonly roundMs?: number | undefined;
  /** Least time between the end of a round and the next one, ms: events come four times a second. */
  readonly restMs?: number | undefined;
}

/** What failed so often fails again. */
const MAX_ATTEMPTS = 3;
const POLL_MS = 250;
const ROUND_MS = 10 * 60_000;
const REST_MS = 5_000;
const CLOSE_MS = 3_000;
const START_MS = 1_000;
/** Between two recordings: where many end at once, as without their files, others have their turns meanwhile. */
const TURN_MS = 100;
/** Between two pages of recordings that have none. */
const SWEEP_TURN_MS = 50;
/** An idle worker is ended after this. */
const IDLE_MS = 60_000;
/** The longest it computes without looking up: the logo of a recording of hours, on a slow machine. */
const WORKER_LIMIT_MS = 120_000;

interface Running {
  readonly id: RecordingId;
  readonly abort: AbortController;
  /** 0 to 1. */
  share: number;
}

type Outcome = 'done' | 'again' | 'later' | 'end';

/** Why a detection under way is ended. */
class Cancelled extends Error {}

export class DetectionService {
  readonly #stop = new AbortController();
  readonly #link: WorkerLink<DetectContract>;
  #running: Running | undefined;
  #isWoken = false;
  /** Somebody asked: the next round begins at once. */
  #isAsked = false;
  /** Nothing can be detected since the last try for want of ffmpeg. */
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

  /** Ends what is under way; it is begun again at the next start. Idempotent. */
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

  /** People said where its commercials are: looking again teaches how the station looks. */
  corrected(id: RecordingId): void {
    const { chapters, list } = this.options;
    const recording = list.find(id);
    const hasOriginal = recording?.files.some(({ source }) => source === 'ts') === true;
    if (hasOriginal && chapters.find(id)?.isCorrected === true) this.request(recordingId(id));
  }

  /** Does not look until somebody asks. */
  cancel(id: RecordingId): void {
    const { chapters, now } = this.options;
    chapters.cancel(id, now());
    if (this.#running?.id === id) this.#running.abort.abort(new Cancelled('cancelled'));
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Progress of the recording under analysis, 0 to 1; undefined: it is not. */
  shareOf(id: RecordingId): number | undefined {
    return this.#running?.id === id ? this.#running.share : undefined;
  }

  #awake(): void {
    this.#isWoken = true;
    this.#wake?.();
  }

  async #run(): Promise<void> {
    const { roundMs = ROUND_MS, restMs = REST_MS, log } = this.options;
    // The first answers after a start come first.
    await this.#pause(Math.min(restMs, START_MS));
    while (!this.#stop.signal.aborted) {
      this.#isWoken = false;
      this.#isAsked = false;
      try {
        await this.#round();
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        log.warn('commercials not looked for', { error: String(error) });
      }
      await this.#pause(restMs);
      if (!this.#isWoken) await this.#pause(roundMs - restMs, true);
    }
  }

  /** Once: what an import brought without its original streams, at little cost for each. */
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
        // Another connection writes: the next round comes back to these.
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
      // It is not tried again in this round, whatever became of it.
      if (next !== 'done') skipped.push(id);
      if (next === 'again') this.#isWoken = true;
      await Bun.sleep(TURN_MS);
    }
  }

  /** @returns `again`: in the next round; `later`: when it can be read; `end`: nothing can be detected now */
  async #detect(id: RecordingId): Promise<Outcome> {
    const { chapters, list, now, log } = this.options;
    const recording = list.find(id);
    if (recording === undefined) return 'later';
    const abort = new AbortController();
    const running: Running = { id, abort, share: 0 };
    this.#running = running;
    const poll = this.#watch(running);
    const attempt = chapters.begin(id, now());
    try {
      if (attempt > MAX_ATTEMPTS) return this.#failed(id, 'interrupted', 'ended with the service each time');
      await this.#quiet(abort.signal);
      const answer = await this.#ask(recording, abort.signal);
      // Between the last words of the worker and now somebody may have decided otherwise.
      abort.signal.throwIfAborted();
      return this.#take(recording, answer, attempt);
    } catch (error) {
      if (abort.signal.reason instanceof Cancelled) return 'done';
      if (this.#stop.signal.aborted) {
        chapters.putBack(id, now());
        throw error;
      }
      if (list.find(id) === undefined) return 'later';
      return this.#fault(id, attempt, error);
    } finally {
      clearInterval(poll);
      this.#running = undefined;
      log.debug('commercials looked for', { recording: id });
    }
  }

  /** Ends it when its recording goes, and holds it while the machine is wanted. */
  #watch({ id, abort }: Running): ReturnType<typeof setInterval> {
    const { isBusy, list, pollMs = POLL_MS } = this.options;
    let isHeld = false;
    return setInterval(() => {
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
    log.info('commercials of a recording not looked for', { recording: id, attempt, error: String(error) });
    // A worker that cannot be started is tried again later, without counting against the recording.
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
