/**
 * The jobs of one kind. A round begins at an interval or after an event; then jobs are taken, one after the other, until
 * there is none. Those that failed rest until their next attempt. All times are those of the runner's clock.
 */
import { type MonotonicClock, type MonotonicMs, monotonicMs } from '../../../lib/host/clock.ts';
import type { Log } from '../../../lib/host/log.ts';
import type { HubEvent } from '../../notify/hub.ts';
import { isLocked } from '../../store/transaction.ts';
import { type JobId, type JobKind, meaningOf, type RunFailure, retryPause } from './job-kind.ts';
import { JobRun, RunEnded } from './job-run.ts';
import type { MachineNeed } from './machine-load.ts';

interface QueueContext {
  readonly clock: MonotonicClock;
  readonly log: Log;
  /** Something is due earlier than `due` said. */
  readonly schedule: () => void;
}

/** Pause between two jobs of a kind: if many fail at once (missing files), other tasks can run. */
const TURN_MS = 50;
/** Interval in which a running job is paused or continued. */
const HOLD_MS = 250;
/** The same of a kind that waits for the machine with nothing running. */
const REFUSED_MS = 1_000;
/** Bound of remembered jobs, more than there are recordings; the oldest are forgotten. */
const MAX_RESTS = 50_000;
/** With each job that rests, the search for the next one takes longer: it gets a fiftieth of the time. */
const SEARCH_REST = 49;
const MAX_SEARCH_REST_MS = 1_000;
/** Attempts are remembered for this long without a further one: the machine may be busy meanwhile. */
const REMEMBERED_MS = 24 * 3_600_000;

/** Longest pause of a job whose failure was not stored: its list says that it runs next. */
const MAX_UNSTORED_MS = 60_000;

const NEVER = monotonicMs(Number.POSITIVE_INFINITY);

interface Running<Job> {
  readonly job: Job;
  readonly run: JobRun;
  readonly startedAt: MonotonicMs;
  done: Promise<void>;
}

interface Rest {
  readonly attempts: number;
  readonly until: MonotonicMs;
  /** False: it failed before, and may be tried again. */
  isResting: boolean;
  readonly hasFailed: boolean;
}

function later(now: MonotonicMs, ms: number): MonotonicMs {
  return monotonicMs(now + ms);
}

export class JobQueue<Job extends { readonly id: JobId }> {
  readonly #running = new Map<Job['id'], Running<Job>>();
  readonly #rests = new Map<Job['id'], Rest>();
  /** Ends with the runner. */
  readonly #stop = new AbortController();
  #roundAt = NEVER;
  #lastRoundAt = monotonicMs(Number.NEGATIVE_INFINITY);
  /** No job is taken before. */
  #turnAt = monotonicMs(Number.NEGATIVE_INFINITY);
  /** There may be another job. */
  #hasMore = false;
  /** Nothing of this kind can run until the next round. */
  #isBlocked = false;
  #isAdmitted = false;
  /** The last one failed again: one that never failed precedes, so that many that fail keep no other waiting. */
  #prefersNew = false;
  #searchRestMs = 0;
  #taking: Promise<void> | undefined;

  constructor(
    private readonly kind: JobKind<Job>,
    private readonly context: QueueContext,
  ) {}

  get priority(): number {
    return this.kind.priority;
  }

  get needs(): MachineNeed {
    return this.kind.needs;
  }

  get running(): Job[] {
    return [...this.#running.values()].map(({ job }) => job);
  }

  get isRunning(): boolean {
    return this.#running.size > 0;
  }

  begin(): void {
    this.#roundAt = later(this.context.clock(), this.kind.startMs ?? 0);
  }

  /** A round begins at once: a user waits for it. */
  wake(): void {
    this.#roundAt = this.context.clock();
    this.context.schedule();
  }

  /** It may be tried again, whatever happened before. */
  forget(id: Job['id']): void {
    this.#rests.delete(id);
  }

  /** Resolves when the run, if there is one, has ended. @returns whether there was one */
  async cancel(id: Job['id']): Promise<boolean> {
    const running = this.#running.get(id);
    running?.run.end('cancelled');
    await running?.done;
    return running !== undefined;
  }

  onEvent(event: HubEvent): void {
    const { kind } = this;
    if (event.name === 'recordings') {
      for (const { job, run } of this.#running.values())
        if (kind.isGone?.(job) === true) run.end('cancelled');
    }
    if (kind.wakesOn?.(event) !== true) return;
    const at = Math.max(this.context.clock(), this.#lastRoundAt + kind.restMs);
    if (at >= this.#roundAt) return;
    this.#roundAt = monotonicMs(at);
    this.context.schedule();
  }

  /** Pauses, continues and starts jobs. @param isAdmitted the machine has what they need */
  check(isAdmitted: boolean): void {
    this.#isAdmitted = isAdmitted && this.#isAllowed();
    for (const { run } of this.#running.values()) {
      if (this.kind.needs !== 'idle') run.hold(!this.#isAdmitted);
      else if (!this.#isAdmitted) run.end('stopped');
    }
    const now = this.context.clock();
    this.#endRests(now);
    if (this.#taking !== undefined || (now < this.#roundAt && !this.#mayTake(now))) return;
    this.#taking = this.#take().finally(() => {
      this.#taking = undefined;
      this.context.schedule();
    });
  }

  /** When `check` has to be called next. */
  due(): MonotonicMs {
    const { kind } = this;
    const now = this.context.clock();
    const canPause = kind.needs !== 'none' || kind.isAllowed !== undefined;
    let due = this.isRunning && canPause ? now + HOLD_MS : Number.POSITIVE_INFINITY;
    for (const { isResting, until } of this.#rests.values()) if (isResting) due = Math.min(due, until);
    if (this.#taking === undefined) {
      const takeAt = this.#takeAt();
      due = Math.min(due, this.#roundAt, this.#isAdmitted ? takeAt : Math.max(takeAt, now + REFUSED_MS));
    }
    return monotonicMs(due);
  }

  /** Ends every run; resolves when they have. */
  async close(): Promise<void> {
    this.#stop.abort(new RunEnded('stopped'));
    for (const { run } of this.#running.values()) run.end('stopped');
    await this.#taking;
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  /** Never rejects. */
  async #take(): Promise<void> {
    const { kind, context } = this;
    try {
      if (context.clock() >= this.#roundAt) await this.#round();
      while (!this.#stop.signal.aborted && this.#mayTake(context.clock())) {
        const job = await this.#next();
        if (this.#stop.signal.aborted) return;
        if (job === undefined) this.#hasMore = false;
        else this.#start(job);
      }
    } catch (error) {
      this.#hasMore = false;
      if (this.#stop.signal.aborted) return;
      // Another connection writes: the next round tries again.
      const level = isLocked(error) ? 'debug' : 'warn';
      context.log[level]('jobs not read', { kind: kind.name, error: String(error) });
    }
  }

  async #next(): Promise<Job | undefined> {
    const { kind, context } = this;
    const began = context.clock();
    try {
      if (this.#prefersNew) {
        const job = await kind.next({ has: (id) => this.#running.has(id) || this.#rests.has(id) });
        if (job !== undefined) return job;
      }
      return await kind.next({
        has: (id) => this.#running.has(id) || this.#rests.get(id)?.isResting === true,
      });
    } finally {
      this.#searchRestMs = Math.min(MAX_SEARCH_REST_MS, SEARCH_REST * (context.clock() - began));
    }
  }

  /** Not while that cannot be read. */
  #isAllowed(): boolean {
    const { kind } = this;
    try {
      return kind.isAllowed?.() !== false;
    } catch (error) {
      this.context.log.debug('condition of jobs not read', { kind: kind.name, error: String(error) });
      return false;
    }
  }

  async #round(): Promise<void> {
    const { kind, context } = this;
    this.#lastRoundAt = context.clock();
    this.#roundAt = NEVER;
    this.#isBlocked = false;
    try {
      await kind.upkeep?.(this.#stop.signal);
      this.#hasMore = true;
    } finally {
      // Unless something has woken it meanwhile.
      this.#roundAt = monotonicMs(Math.min(this.#roundAt, context.clock() + kind.pollMs));
    }
  }

  /** When the next job may be taken, if the machine admits it. */
  #takeAt(): number {
    const { atOnce = 1, overlapMs = 0 } = this.kind;
    if (!this.#hasMore || this.#isBlocked || this.#running.size >= atOnce) return NEVER;
    let at: number = this.#turnAt;
    for (const { startedAt } of this.#running.values()) at = Math.max(at, startedAt + overlapMs);
    return at;
  }

  #mayTake(now: MonotonicMs): boolean {
    return this.#isAdmitted && now >= this.#takeAt();
  }

  /** @param ms undefined: it is not kept from running, and its attempts are forgotten */
  #rest(id: Job['id'], attempts: number, ms: number | undefined, hasFailed = true): void {
    this.#rests.delete(id);
    if (ms === undefined || (ms === 0 && attempts === 0)) return;
    for (const oldest of this.#rests.keys()) {
      if (this.#rests.size < MAX_RESTS) break;
      this.#rests.delete(oldest);
    }
    this.#rests.set(id, { attempts, until: later(this.context.clock(), ms), isResting: ms > 0, hasFailed });
  }

  #endRests(now: MonotonicMs): void {
    for (const [id, rest] of this.#rests) {
      if (rest.until > now) continue;
      if (rest.isResting) this.#hasMore = true;
      rest.isResting = false;
      if (!rest.hasFailed || now - rest.until > REMEMBERED_MS) this.#rests.delete(id);
    }
  }

  #start(job: Job): void {
    const run = new JobRun();
    const running: Running<Job> = { job, run, startedAt: this.context.clock(), done: Promise.resolve() };
    this.#running.set(job.id, running);
    running.done = this.#run(job, run).finally(() => {
      this.#running.delete(job.id);
      this.#hasMore = true;
      this.#turnAt = later(this.context.clock(), Math.max(TURN_MS, this.#searchRestMs));
      this.context.schedule();
    });
  }

  /** Never rejects. */
  async #run(job: Job, run: JobRun): Promise<void> {
    try {
      await this.kind.run(job, run);
    } catch (error) {
      await this.#failed(job, error, run.signal);
      return;
    }
    this.#prefersNew = false;
    this.#rest(job.id, 0, this.kind.restMs, false);
  }

  #attemptsBefore(job: Job): number {
    const remembered = this.#rests.get(job.id)?.attempts ?? 0;
    try {
      return this.kind.attemptsOf?.(job) ?? remembered;
    } catch (error) {
      this.context.log.warn('attempts of a job not read', { job: job.id, error: String(error) });
      return remembered;
    }
  }

  async #failed(job: Job, error: unknown, { aborted, reason }: AbortSignal): Promise<void> {
    const { kind, context } = this;
    const before = this.#attemptsBefore(job);
    const ended = aborted && reason instanceof RunEnded ? reason.why : undefined;
    const meaning = ended ?? kind.meaningOf?.(error) ?? meaningOf(error);
    const attempts = before + (meaning === 'fault' ? 1 : 0);
    const retryMs = retryPause(kind.retry, meaning, attempts);
    const failure: RunFailure = { meaning, attempts, retryMs };
    const facts = { kind: kind.name, job: job.id, error: String(error) };
    const isEnd = retryMs === undefined || retryMs === Number.POSITIVE_INFINITY;
    const isGivenUp = isEnd && meaning !== 'cancelled' && kind.failed === undefined;
    this.#prefersNew = this.#rests.has(job.id);
    context.log[isGivenUp ? 'warn' : 'debug']('job failed', { ...facts, meaning, attempts });
    this.#rest(job.id, attempts, isGivenUp ? Number.POSITIVE_INFINITY : retryMs);
    if (meaning === 'blocked') this.#isBlocked = true;
    try {
      await kind.failed?.(job, error, failure);
    } catch (stored) {
      // `next` may return it at once: the outcome is not stored.
      this.#rest(job.id, attempts, Math.min(kind.retry.firstMs, MAX_UNSTORED_MS));
      if (!this.#stop.signal.aborted)
        context.log.error('end of a job not stored', { ...facts, error: String(stored) });
    }
  }
}
