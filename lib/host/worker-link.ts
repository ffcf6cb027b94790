/**
 * The connection between a thread and a worker that it owns: requests with answers, one-way messages, restart after
 * death, watchdog and shutdown. The worker's half is `worker-server.ts`; the messages of both are below.
 *
 * The first message starts the worker. If it dies, or the watchdog terminates it, its open requests fail, `onLost` is
 * called, and the next message starts another one. It must therefore have no state that its owner cannot send again.
 */
import { type MonotonicClock, systemMonotonicClock } from './clock.ts';
import { within } from './deadline.ts';
import type { Log } from './log.ts';
import { Watchdog, type WatchdogLimits } from './watchdog.ts';

/** What is moved to the other thread instead of copied. */
type Transfer = ArrayBuffer | MessagePort;

/** The messages of a worker, as one type per worker. */
export interface WorkerContract {
  /** By name: request and answer, `{ ask: …; answer: … }`. */
  requests: object;
  /** One-way messages to the worker. */
  orders: unknown;
  /** One-way messages from the worker. */
  events: unknown;
}

export type RequestName<C extends WorkerContract> = keyof C['requests'] & string;
export type Ask<C extends WorkerContract, K extends RequestName<C>> = C['requests'][K] extends {
  ask: infer A;
}
  ? A
  : never;
export type Answer<C extends WorkerContract, K extends RequestName<C>> = C['requests'][K] extends {
  answer: infer A;
}
  ? A
  : never;

export type ToWorker =
  | { link: 'request'; id: number; name: string; body: unknown }
  | { link: 'abort'; id: number }
  | { link: 'order'; body: unknown }
  | { link: 'ping' }
  | { link: 'close' };

export type FromWorker =
  | { link: 'answer'; id: number; body: unknown }
  | { link: 'failed'; id: number; message: string; code: string | null }
  | { link: 'event'; body: unknown }
  | { link: 'pong' }
  | { link: 'closed' };

/**
 * - `failed`: the request's handler threw; `code` is that of the error, if it had one
 * - `timeout`: no answer in time, although the worker may be alive
 * - `busy`: the limit of open requests is reached, or the worker dies at every start and the next attempt is delayed
 * - `lost`: the worker died or was terminated
 * - `closed`: the link is closed
 */
type WorkerErrorKind = 'failed' | 'timeout' | 'busy' | 'lost' | 'closed';

export class WorkerError extends Error {
  override readonly name = 'WorkerError';
  constructor(
    readonly kind: WorkerErrorKind,
    message: string,
    /** Of the error that the handler threw. */
    readonly code: string | null = null,
  ) {
    super(message);
  }
}

export interface WorkerLinkOptions<C extends WorkerContract> {
  /** For log lines and errors, such as `planning worker`. */
  name: string;
  startWorker: () => Worker;
  log: Log;
  /** Sends the first messages to a new worker, by the given function. */
  setup?: ((send: (order: C['orders'], transfer?: Transfer[]) => void) => void) | undefined;
  onEvent?: ((event: C['events']) => void) | undefined;
  /** The worker was lost with its state; its open requests were rejected before. Not called by `close`. */
  onLost?: ((reason: string) => void) | undefined;
  /** null: a worker that blocks by design (waiting for a disk). */
  watchdog?: WatchdogLimits | null | undefined;
  /**
   * `working`: the watchdog is only active while a request is open or a `hold` exists; otherwise the worker may be
   * ended when idle.
   */
  watchWhen?: 'always' | 'working' | undefined;
  /** A worker without work is ended after this, ms; undefined: never. */
  idleMs?: number | undefined;
  maxRequests?: number | undefined;
  clock?: MonotonicClock | undefined;
  /** First delay after a worker that died without ever answering, ms; doubled up to 30 s. */
  retryMs?: number | undefined;
}

interface RequestOptions {
  /** Default: no limit, for handlers with their own; the watchdog still ends a worker that hangs. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /**
   * `reject`: an abort rejects with its reason at once. `forward`: the abort is sent to the worker, and its answer
   * decides.
   */
  onAbort?: 'reject' | 'forward' | undefined;
  transfer?: Transfer[] | undefined;
}

/** Far above what any caller has open; more means that a caller loops. */
const MAX_REQUESTS = 1_000;
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
const CLOSE_MS = 4_000;

interface OpenRequest {
  resolve: (answer: unknown) => void;
  reject: (error: unknown) => void;
}

/** One worker of the link with its own state. */
interface Running {
  worker: Worker;
  watchdog: Watchdog | undefined;
  /** It has sent a message, so its code was loaded. */
  hasAnswered: boolean;
  /** Whether it ended by itself; resolves when it has ended. */
  down: PromiseWithResolvers<boolean>;
}

export class WorkerLink<C extends WorkerContract> {
  readonly #requests = new Map<number, OpenRequest>();
  readonly #clock: MonotonicClock;
  #running: Running | undefined;
  #serial = 0;
  #holds = 0;
  #closed = false;
  #idle: ReturnType<typeof setTimeout> | undefined;
  /** Consecutive deaths of workers that never answered, and until when the next start is delayed. */
  #falseStarts = 0;
  #retryAt = Number.NEGATIVE_INFINITY;

  constructor(readonly options: WorkerLinkOptions<C>) {
    this.#clock = options.clock ?? systemMonotonicClock;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Requests without an answer yet. */
  get openRequests(): number {
    return this.#requests.size;
  }

  /** Starts the worker ahead of its first message. */
  start(): void {
    if (!this.#closed) this.#ready();
  }

  /** @throws WorkerError, or the signal's reason (`onAbort: 'reject'`) */
  async request<K extends RequestName<C>>(
    name: K,
    body: Ask<C, K>,
    options: RequestOptions = {},
  ): Promise<Answer<C, K>> {
    const { signal, onAbort = 'reject', transfer = [], timeoutMs } = options;
    if (onAbort === 'reject') signal?.throwIfAborted();
    const running = this.#readyForRequest();
    this.#serial += 1;
    const id = this.#serial;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#requests.set(id, { resolve, reject });
    clearTimeout(this.#idle);
    const abort = (): void => {
      this.#post({ link: 'abort', id });
      if (onAbort === 'reject') reject(signal?.reason);
    };
    const overdue = (): void => {
      this.#post({ link: 'abort', id });
      reject(new WorkerError('timeout', `${this.options.name}: no answer to ${name} for ${timeoutMs} ms`));
    };
    const timer = timeoutMs === undefined ? undefined : setTimeout(overdue, timeoutMs);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      running.worker.postMessage({ link: 'request', id, name, body } satisfies ToWorker, transfer);
      running.watchdog?.watch();
      if (signal?.aborted === true) abort();
      return (await promise) as Answer<C, K>;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      this.#requests.delete(id);
      this.#rest();
    }
  }

  /** One-way; starts the worker. Dropped when the link is closed or the worker cannot be started yet. */
  send(order: C['orders'], transfer: Transfer[] = []): void {
    if (this.#closed) return;
    this.#ready()?.worker.postMessage({ link: 'order', body: order } satisfies ToWorker, transfer);
  }

  /** One-way, to a running worker only: a new one lacks the context. */
  sendIfRunning(order: C['orders'], transfer: Transfer[] = []): void {
    if (!this.#closed) this.#post({ link: 'order', body: order }, transfer);
  }

  /** Work without an open request, such as an open stream: the worker is watched and kept until released. */
  hold(): () => void {
    this.#holds += 1;
    clearTimeout(this.#idle);
    this.#ready()?.watchdog?.watch();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds -= 1;
      this.#rest();
    };
  }

  /**
   * The worker writes its pending data and ends; answers until then still count. Idempotent.
   * @returns whether it ended by itself within `limitMs`
   */
  async close(limitMs = CLOSE_MS): Promise<boolean> {
    if (this.#closed) return this.#running === undefined;
    this.#closed = true;
    clearTimeout(this.#idle);
    const running = this.#running;
    if (running === undefined) return true;
    running.watchdog?.rest();
    running.worker.postMessage({ link: 'close' } satisfies ToWorker);
    const isDown = await within(limitMs, running.down.promise, () => false);
    this.#discard(running);
    this.#rejectAll(new WorkerError('closed', `${this.options.name}: closed`));
    return isDown;
  }

  #readyForRequest(): Running {
    const { name, maxRequests = MAX_REQUESTS } = this.options;
    if (this.#closed) throw new WorkerError('closed', `${name}: closed`);
    if (this.#requests.size >= maxRequests)
      throw new WorkerError('busy', `${name}: ${maxRequests} requests open`);
    const running = this.#ready();
    if (running === undefined) throw new WorkerError('busy', `${name}: cannot be started`);
    return running;
  }

  #ready(): Running | undefined {
    if (this.#running !== undefined) return this.#running;
    if (this.#closed || this.#clock() < this.#retryAt) return undefined;
    return this.#start();
  }

  #start(): Running | undefined {
    const { startWorker, setup, watchdog, watchWhen = 'always' } = this.options;
    let worker: Worker;
    try {
      worker = startWorker();
    } catch (error) {
      this.#startFailed(String(error));
      return undefined;
    }
    const running: Running = {
      worker,
      hasAnswered: false,
      down: Promise.withResolvers(),
      watchdog:
        watchdog === null
          ? undefined
          : new Watchdog({
              ...watchdog,
              ask: () => worker.postMessage({ link: 'ping' } satisfies ToWorker),
              onSilent: (silentMs) => this.#lose(running, `no answer for ${Math.round(silentMs)} ms`),
              clock: this.#clock,
            }),
    };
    this.#running = running;
    worker.addEventListener('message', (event: MessageEvent<FromWorker>) =>
      this.#receive(running, event.data),
    );
    worker.addEventListener('error', (event) => this.#lose(running, `died: ${event.message}`));
    worker.addEventListener('close', () => this.#lose(running, 'ended'));
    setup?.((order, transfer = []) =>
      worker.postMessage({ link: 'order', body: order } satisfies ToWorker, transfer),
    );
    if (watchWhen === 'always' || this.#holds > 0) running.watchdog?.watch();
    return running;
  }

  #receive(running: Running, message: FromWorker): void {
    if (this.#running !== running) return;
    running.hasAnswered = true;
    this.#falseStarts = 0;
    switch (message.link) {
      case 'answer':
        this.#requests.get(message.id)?.resolve(message.body);
        break;
      case 'failed':
        this.#requests.get(message.id)?.reject(new WorkerError('failed', message.message, message.code));
        break;
      case 'event':
        this.options.onEvent?.(message.body as C['events']);
        break;
      case 'pong':
        running.watchdog?.answered();
        break;
      case 'closed':
        running.down.resolve(true);
        break;
    }
  }

  #post(message: ToWorker, transfer: Transfer[] = []): void {
    this.#running?.worker.postMessage(message, transfer);
  }

  /** Without work the watchdog stops, and the worker is ended after a while if so configured. */
  #rest(): void {
    const { idleMs, watchWhen = 'always' } = this.options;
    if (this.#closed || this.#requests.size > 0 || this.#holds > 0) return;
    if (watchWhen === 'working') this.#running?.watchdog?.rest();
    clearTimeout(this.#idle);
    if (idleMs === undefined || this.#running === undefined) return;
    this.#idle = setTimeout(() => {
      if (this.#running !== undefined) this.#discard(this.#running);
    }, idleMs);
  }

  #lose(running: Running, reason: string): void {
    if (this.#running !== running) return;
    this.#discard(running);
    running.down.resolve(false);
    if (this.#closed) return;
    if (running.hasAnswered) this.#report(reason);
    else this.#startFailed(reason);
  }

  #startFailed(reason: string): void {
    const { retryMs = RETRY_MS } = this.options;
    this.#retryAt = this.#clock() + Math.min(MAX_RETRY_MS, retryMs * 2 ** Math.min(this.#falseStarts, 16));
    this.#falseStarts += 1;
    this.#report(`not started: ${reason}`);
  }

  #report(reason: string): void {
    const { name, log, onLost } = this.options;
    log.error('worker lost', { worker: name, reason });
    this.#rejectAll(new WorkerError('lost', `${name}: ${reason}`));
    onLost?.(reason);
  }

  #discard(running: Running): void {
    running.watchdog?.rest();
    running.worker.terminate();
    if (this.#running === running) this.#running = undefined;
  }

  #rejectAll(error: WorkerError): void {
    for (const { reject } of [...this.#requests.values()]) reject(error);
  }
}
