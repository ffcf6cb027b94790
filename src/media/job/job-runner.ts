/**
 * Runs the background jobs of all features by one policy. Kinds are served in the order of their priority; viewers,
 * recordings and the load of the machine pause them; a failed job is retried after growing pauses, also when its worker
 * was lost; closing ends what runs. What a job does, and what is stored of it, is up to its kind (`job-kind.ts`).
 */
import type { MonotonicClock, MonotonicMs } from '../../../lib/host/clock.ts';
import { settlesWithin } from '../../../lib/host/deadline.ts';
import type { Log } from '../../../lib/host/log.ts';
import type { Hub, HubEvent } from '../../notify/hub.ts';
import type { JobId, JobKind } from './job-kind.ts';
import { JobQueue } from './job-queue.ts';
import { admits, type MachineNeed, type MachineUse } from './machine-load.ts';

interface JobRunnerOptions {
  readonly machine: () => MachineUse;
  readonly hub: Pick<Hub, 'subscribe'>;
  readonly clock: MonotonicClock;
  readonly log: Log;
  /** Time without any use after which the machine is idle, ms. */
  readonly idleMs?: number | undefined;
}

/** A kind's jobs, for the feature that declared it. */
export type Jobs<Job extends { readonly id: JobId }> = Pick<
  JobQueue<Job>,
  'running' | 'wake' | 'forget' | 'cancel'
>;

const IDLE_MS = 5 * 60_000;
/** A run that does not end by then is abandoned: the recorder and the database, which close later, need time, too. */
const CLOSE_MS = 4_000;
/** Pause after a check that failed. */
const FAILED_MS = 1_000;

type Queue = Omit<JobQueue<{ readonly id: JobId }>, keyof Jobs<never> | 'kind'>;

export class JobRunner {
  /** In the order of their priority. */
  readonly #queues: Queue[] = [];
  #idleSince: MonotonicMs | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #unsubscribe: (() => void) | undefined;
  #isStarted = false;
  /** Of a check: one that lasts is logged once. */
  #lastError: string | undefined;
  #closing: Promise<unknown> | undefined;

  constructor(private readonly options: JobRunnerOptions) {}

  /** Declares a kind, before `start`. */
  add<Job extends { readonly id: JobId }>(kind: JobKind<Job>): Jobs<Job> {
    const { clock, log } = this.options;
    const queue = new JobQueue(kind, { clock, log, schedule: () => this.#schedule() });
    this.#queues.push(queue);
    this.#queues.sort((one, other) => one.priority - other.priority);
    return queue;
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#unsubscribe = this.options.hub.subscribe((event) => this.#onEvent(event));
    for (const queue of this.#queues) queue.begin();
    this.#check();
  }

  /** Whether the machine has now what a kind needs. */
  admits(need: Exclude<MachineNeed, 'idle'>): boolean {
    return admits(need, this.options.machine());
  }

  /** Jobs in progress run again after the next start. Idempotent. */
  async close(): Promise<void> {
    this.#unsubscribe?.();
    clearTimeout(this.#timer);
    this.#closing ??= settlesWithin(CLOSE_MS, Promise.all(this.#queues.map((queue) => queue.close())));
    await this.#closing;
  }

  /** A queue that cannot read its store must not keep the others from hearing of the event. */
  #onEvent(event: HubEvent): void {
    for (const queue of this.#queues) {
      try {
        queue.onEvent(event);
      } catch (error) {
        this.options.log.debug('jobs not checked', { error: String(error) });
      }
    }
  }

  #check(): void {
    if (this.#closing !== undefined) return;
    let isWhole = true;
    const use = this.#logged(() => this.options.machine());
    for (const queue of this.#queues) {
      const isChecked = this.#logged(() => {
        queue.check(use !== undefined && this.#hasRoomFor(queue, use));
        return true;
      });
      isWhole &&= isChecked === true;
    }
    this.#schedule(isWhole && use !== undefined ? 0 : FAILED_MS);
  }

  /** What fails here must not end the work of the other kinds. @returns undefined after an error */
  #logged<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch (error) {
      const text = String(error);
      this.options.log[text === this.#lastError ? 'debug' : 'error']('jobs not checked', { error: text });
      this.#lastError = text;
      return undefined;
    }
  }

  #hasRoomFor(queue: Queue, use: MachineUse): boolean {
    return queue.needs === 'idle' ? this.#isIdle(queue, use) : admits(queue.needs, use);
  }

  /** For some minutes nothing else has used the machine. */
  #isIdle(queue: Queue, use: MachineUse): boolean {
    const now = this.options.clock();
    const isUsed = !admits('idle', use) || this.#queues.some((one) => one !== queue && one.isRunning);
    this.#idleSince = isUsed ? undefined : (this.#idleSince ?? now);
    return this.#idleSince !== undefined && now - this.#idleSince >= (this.options.idleMs ?? IDLE_MS);
  }

  #schedule(leastMs = 0): void {
    clearTimeout(this.#timer);
    if (!this.#isStarted || this.#closing !== undefined) return;
    const now = this.options.clock();
    const due = this.#queues.reduce((first, queue) => Math.min(first, queue.due()), Number.POSITIVE_INFINITY);
    if (due === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.#check(), Math.max(leastMs, due - now));
  }
}
