/**
 * The main thread's side of the reception workers: streams, outputs and readers as objects, messages as callbacks.
 * Does not depend on the kinds of outputs and readers. The number of workers is fixed. If a worker dies, or has streams
 * and does not respond, its streams end as lost, and it is replaced at the next request.
 */
import type { ServiceId } from '../../lib/arib/ids.ts';
import { type MonotonicMs, monotonicMs, RemoteClock } from '../../lib/host/clock.ts';
import type { Log } from '../../lib/host/log.ts';
import { WorkerLink } from '../../lib/host/worker-link.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { PRIORITY } from '../../lib/wire/vocabulary.ts';
import { Failure } from '../model/failure.ts';
import {
  type AgentStreamLimits,
  type AgentStreamRequest,
  agentStreamUrl,
  STREAM_USE,
  type StreamProblem,
  streamFailure,
} from '../tuner/agent-stream.ts';
import type { OutputKind, OutputLost } from './output-kind.ts';
import type { ReaderEnd, ReaderKind } from './reader-kind.ts';
import type { ReceptionContract, ReceptionEvent, ReceptionOrder } from './reception-messages.ts';
import type { StationLayout } from './station-layout.ts';

/** Each worker costs memory; two reduce mutual delays, and losing one affects only half of the streams. */
const WORKERS = 2;
/**
 * Streams that are not recordings share the last worker until it has this many more streams than another one. A second
 * worker costs 12 to 40 MB and compiles the code again, and 16 full stations need less than a fifth of a core.
 */
const SHARED_STREAMS = 16;
/** An encoder needs 1.5 s at most to end (`ffmpeg/process.ts`), a disk 3 s (`file-output.ts`). */
const SHUTDOWN_LIMIT_MS = 4_000;

interface StreamHandlers {
  /** The layout changed: outputs that depend on the old one end, new outputs use the new one. */
  layout?(layout: StationLayout): void;
  /** All outputs and readers have ended. @param by the cause: the tuning, or the worker */
  ended(problem: StreamProblem, by: 'tuning' | 'worker'): void;
}

export interface OutputHandlers<Event, End> {
  /** @param at time of posting, by the worker's clock */
  event(event: Event, at: MonotonicMs): void;
  /** Once, last. */
  ended(end: End | OutputLost): void;
}

export interface ReaderHandlers<Value> {
  /** @param postedAt by this thread's clock; not before it was posted, and exact once a message came without delay */
  value(value: Value, postedAt: MonotonicMs): void;
  /** Once, last. @param end `dropped`: packets dropped because the reader was too slow */
  ended?(end: ReaderEnd & { dropped: number }): void;
}

/** An output or reader, for its owner. */
export interface StreamPart<Command> {
  command(command: Command): void;
  /** Idempotent; resolves when it has ended. */
  stop(): Promise<void>;
}

interface OpenOptions {
  request: AgentStreamRequest;
  /** Narrow to this station; null: the whole channel, unchanged. */
  serviceId: ServiceId | null;
  handlers: StreamHandlers;
  signal: AbortSignal;
  /** Recordings and other streams prefer different workers, so that a few streams of both never share one. */
  lane: 'recording' | 'other';
  limits?: AgentStreamLimits | undefined;
  /** Readers that get the stream from its first byte, made by `planReader`. They are dropped if opening fails. */
  readers?: readonly PlannedReader[] | undefined;
}

/** Notified of every narrowed stream and of its end; may add a reader of its own. */
export interface StreamObserver {
  opened(stream: ReceptionStream, request: AgentStreamRequest): void;
  closed(stream: ReceptionStream): void;
}

interface StreamEntry {
  handlers: StreamHandlers;
  opened: PromiseWithResolvers<{ tunerId: string | null; layout: StationLayout | null }>;
  closed: PromiseWithResolvers<number>;
  /** Once true, no handler is called. */
  isOver: boolean;
  /** Called once when the stream has ended for any reason. */
  gone: () => void;
}

interface PartEntry {
  pid?: number;
  /** @param at time of posting by the worker's clock, and @param postedAt by that of this thread */
  value(value: unknown, at: MonotonicMs, postedAt: MonotonicMs): void;
  ended(end: never): void;
  /** Ends it when the worker is lost. */
  lost(): void;
  done: PromiseWithResolvers<void>;
}

let serial = 0;
const nextId = (): number => {
  serial += 1;
  return serial;
};

/** One worker with its streams. Started by the first stream, and again after a crash. */
class PoolWorker {
  readonly streams = new Map<number, StreamEntry>();
  readonly parts = new Map<number, PartEntry>();
  readonly link: WorkerLink<ReceptionContract>;
  #release: (() => void) | undefined;
  #clock = new RemoteClock();

  constructor(name: string, options: ReceptionPoolOptions) {
    const { startWorker, log, silenceMs } = options;
    this.link = new WorkerLink<ReceptionContract>({
      name,
      startWorker,
      log,
      watchWhen: 'working',
      watchdog: { limitMs: silenceMs },
      onEvent: (event) => this.#take(event),
      onLost: (reason) => this.lose(reason),
    });
  }

  send(order: ReceptionOrder, ports: MessagePort[] = []): void {
    this.link.sendIfRunning(order, ports);
  }

  begin(stream: number, entry: StreamEntry, order: ReceptionOrder, ports: MessagePort[]): void {
    this.streams.set(stream, entry);
    this.#release ??= this.link.hold();
    this.link.send(order, ports);
    // The worker died at each start and is not restarted yet (backoff).
    if (!this.link.isRunning) this.lose('not started');
  }

  lose(reason: string): void {
    this.#clock = new RemoteClock();
    const parts = [...this.parts.values()];
    this.parts.clear();
    for (const part of parts) {
      if (part.pid !== undefined) killLeftover(part.pid);
      part.lost();
      part.done.resolve();
    }
    const streams = [...this.streams.values()];
    this.streams.clear();
    this.#releaseIfIdle();
    for (const entry of streams) {
      entry.gone();
      entry.opened.reject(new Failure('internal', '受信処理が異常終了しました', { cause: reason }));
      if (!entry.isOver) entry.handlers.ended({ code: 'ended', reason, sentence: null }, 'worker');
      entry.closed.resolve(0);
    }
  }

  #releaseIfIdle(): void {
    if (this.streams.size > 0) return;
    this.#release?.();
    this.#release = undefined;
  }

  #take(event: ReceptionEvent): void {
    if ('part' in event) this.#takePart(event);
    else this.#takeStream(event);
  }

  #takeStream(event: Extract<ReceptionEvent, { stream: number }>): void {
    const entry = this.streams.get(event.stream);
    if (entry === undefined) return;
    switch (event.kind) {
      case 'opened':
        entry.opened.resolve(event);
        break;
      case 'failed':
        entry.opened.reject(streamFailure(event.problem));
        break;
      case 'layout':
        entry.handlers.layout?.(event.layout);
        break;
      case 'ended':
        entry.gone();
        entry.isOver = true;
        entry.handlers.ended(event.problem, 'tuning');
        break;
      case 'closed':
        this.streams.delete(event.stream);
        this.#releaseIfIdle();
        entry.gone();
        entry.closed.resolve(event.packets);
        break;
    }
  }

  #takePart(event: Extract<ReceptionEvent, { part: number }>): void {
    const entry = this.parts.get(event.part);
    if (entry === undefined) return;
    switch (event.kind) {
      case 'value':
        this.#clock.heard(event.at);
        entry.value(event.value, event.at, this.#clock.local(event.at));
        break;
      case 'spawned':
        entry.pid = event.pid;
        break;
      default:
        this.parts.delete(event.part);
        // Typed at both ends by the kind.
        entry.ended(event.end as never);
        entry.done.resolve();
    }
  }
}

/** Kills a child process of a dead worker; most have ended by themselves when their input closed. */
function killLeftover(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}

/** An output or reader in the worker's tables. */
class Part<Command> implements StreamPart<Command> {
  readonly part = nextId();
  readonly #done = Promise.withResolvers<void>();
  #at: { worker: PoolWorker; stream: number } | undefined;

  constructor(
    readonly name: string,
    readonly options: unknown,
    readonly entry: Omit<PartEntry, 'done' | 'ended'> & { ended(end: never): void },
    /** Of the options. */
    readonly ports: MessagePort[] = [],
  ) {}

  register(worker: PoolWorker, stream: number): void {
    this.#at = { worker, stream };
    worker.parts.set(this.part, { ...this.entry, done: this.#done });
  }

  /** Ends it as lost, because its stream does not exist any more. */
  refuse(): void {
    queueMicrotask(() => {
      this.entry.lost();
      this.#done.resolve();
    });
  }

  command(command: Command): void {
    this.#at?.worker.send({ kind: 'command', stream: this.#at.stream, part: this.part, command });
  }

  stop(): Promise<void> {
    const { worker, stream } = this.#at ?? {};
    if (worker?.parts.has(this.part)) worker.send({ kind: 'stop', stream: stream ?? 0, part: this.part });
    return this.#done.promise;
  }
}

export type PlannedReader<Command = unknown> = Part<Command>;

/** A reader for `OpenOptions.readers`. */
export function planReader<Options, Command, Value>(
  kind: ReaderKind<Options, Command, Value>,
  options: Options,
  handlers: ReaderHandlers<Value>,
): PlannedReader<Command> {
  const entry = {
    value: (value: unknown, _at: MonotonicMs, postedAt: MonotonicMs) =>
      handlers.value(value as Value, postedAt),
    ended: (end: ReaderEnd & { dropped: number }) => handlers.ended?.(end),
    lost: () => handlers.ended?.({ cause: 'stream', reason: 'the worker was lost', dropped: 0 }),
  };
  return new Part<Command>(kind.name, options, entry, kind.ports(options));
}

/** An open stream of the agent, for the main thread. */
export class ReceptionStream {
  readonly #worker: PoolWorker;

  constructor(
    worker: PoolWorker,
    readonly id: number,
    readonly tunerId: string | null,
    /** The layout when the station was opened; null for a whole channel. */
    readonly layout: StationLayout | null,
  ) {
    this.#worker = worker;
  }

  output<Options, Command, Event, End>(
    kind: OutputKind<Options, Command, Event, End>,
    options: Options,
    handlers: OutputHandlers<Event, End>,
  ): StreamPart<Command> {
    const part = new Part<Command>(kind.name, options, {
      value: (value, at) => handlers.event(value as Event, monotonicMs(at)),
      ended: (end: End | OutputLost) => handlers.ended(end),
      lost: () => handlers.ended({ cause: 'lost' }),
    });
    return this.#add('output', part);
  }

  reader<Options, Command, Value>(
    kind: ReaderKind<Options, Command, Value>,
    options: Options,
    handlers: ReaderHandlers<Value>,
  ): StreamPart<Command> {
    return this.#add('reader', planReader(kind, options, handlers));
  }

  /** Releases the tuner; resolves when everything has ended. Idempotent. @returns packets received with readers */
  async close(): Promise<number> {
    const entry = this.#worker.streams.get(this.id);
    if (entry === undefined) return 0;
    entry.isOver = true;
    this.#worker.send({ kind: 'close', stream: this.id });
    return await entry.closed.promise;
  }

  #add<Command>(kind: 'output' | 'reader', part: Part<Command>): StreamPart<Command> {
    if (this.#worker.streams.has(this.id)) {
      part.register(this.#worker, this.id);
      const { name, options, ports } = part;
      this.#worker.send({ kind, stream: this.id, part: part.part, name, options }, ports);
    } else part.refuse();
    return part;
  }
}

interface ReceptionPoolOptions {
  /** Without a trailing slash. */
  agentUrl: string;
  startWorker: () => Worker;
  log: Log;
  workers?: number | undefined;
  /** A worker that does not respond for this long is terminated, ms. */
  silenceMs?: number | undefined;
}

export class ReceptionPool {
  readonly #workers: readonly PoolWorker[];
  #observer: StreamObserver | undefined;
  #yieldingUses: (() => readonly string[]) | undefined;
  #closed = false;

  constructor(readonly options: ReceptionPoolOptions) {
    this.#workers = Array.from(
      { length: options.workers ?? WORKERS },
      (_, index) => new PoolWorker(`reception worker ${index + 1}`, options),
    );
  }

  /** At most one, set before streams are opened. */
  observe(observer: StreamObserver): void {
    this.#observer = observer;
  }

  /**
   * At most one, set before streams are opened. @param uses streams without a viewer: a recording takes their tuner
   * rather than one that is watched, and other uses take it where no other tuner is available
   */
  yielding(uses: () => readonly string[]): void {
    this.#yieldingUses = uses;
  }

  /** The agent's list for uses that take the tuner of a stream without a viewer: its priority is the lowest. */
  withYielding(tuners: readonly Tuner[]): Tuner[] {
    const uses = this.#yieldingUses?.() ?? [];
    return tuners.map((tuner) => ({
      ...tuner,
      users: tuner.users.map((user) =>
        uses.includes(user.use) ? { ...user, priority: PRIORITY.still } : user,
      ),
    }));
  }

  /** Starts a worker ahead of the first request. */
  warm(): void {
    if (!this.#closed) this.#workers.at(-1)?.link.start();
  }

  /**
   * Tunes; resolves when the station's tables were received, or for a whole channel when the agent answered.
   * @throws Failure no_tuner, agent_unavailable (a `StreamFailure`), internal; the abort's reason
   */
  async open(options: OpenOptions): Promise<ReceptionStream> {
    const { request, serviceId, handlers, signal, lane, limits = {}, readers = [] } = options;
    if (this.#closed) throw new Failure('internal', 'サーバーを終了しています');
    const worker = this.#choose(lane);
    const id = nextId();
    let opened: ReceptionStream | undefined;
    const entry: StreamEntry = {
      handlers,
      opened: Promise.withResolvers(),
      closed: Promise.withResolvers(),
      isOver: false,
      gone: () => {
        if (opened !== undefined && serviceId !== null) this.#observer?.closed(opened);
        opened = undefined;
      },
    };
    const { agentUrl } = this.options;
    const overYielding = agentStreamUrl(agentUrl, this.#overYielding(request));
    const url = lane === 'recording' ? overYielding : agentStreamUrl(agentUrl, request);
    const busyUrl = overYielding === url ? null : overYielding;
    const abort = (): void => entry.opened.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    else {
      for (const reader of readers) reader.register(worker, id);
      const plans = readers.map(({ part, name, options: own }) => ({ part, name, options: own }));
      const ports = readers.flatMap((reader) => reader.ports);
      const order = { stream: id, url, busyUrl, serviceId, limits, readers: plans };
      worker.begin(id, entry, { kind: 'open', ...order }, ports);
    }
    try {
      const { tunerId, layout } = await entry.opened.promise;
      const stream = new ReceptionStream(worker, id, tunerId, layout);
      if (serviceId !== null && worker.streams.has(id) && !entry.isOver) {
        opened = stream;
        this.#observer?.opened(stream, request);
      }
      return stream;
    } catch (error) {
      entry.isOver = true;
      worker.send({ kind: 'close', stream: id });
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** Ends all streams and workers; resolves when no child process is left. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(
      this.#workers.map(async (worker) => {
        await worker.link.close(SHUTDOWN_LIMIT_MS);
        worker.lose('closed');
      }),
    );
  }

  /**
   * One that follows another recording takes over that one's tuner, as planned. Live viewing ends what it has prepared
   * itself; logos and stills only use what is idle.
   */
  #overYielding(request: AgentStreamRequest): AgentStreamRequest {
    const { type, channel, priority, use, after = [] } = request;
    const own = STREAM_USE.live(type, channel);
    if (after.length > 0 || use === own || priority <= PRIORITY.logo) return request;
    return { ...request, after: this.#yieldingUses?.().filter((other) => other !== own) ?? [] };
  }

  /**
   * Recordings: the worker with the fewest streams, the first one if equal. Others: the last one, unless it has
   * SHARED_STREAMS more streams than another one.
   */
  #choose(lane: OpenOptions['lane']): PoolWorker {
    const handicap = (worker: PoolWorker): number =>
      lane === 'recording' || worker === this.#workers.at(-1) ? 0 : SHARED_STREAMS;
    const load = (worker: PoolWorker): number => worker.streams.size + handicap(worker);
    const [best] = [...this.#workers].sort((one, other) => load(one) - load(other));
    if (best === undefined) throw new Error('a pool needs a worker');
    return best;
  }
}
