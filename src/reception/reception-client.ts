/**
 * The main thread's side of the stream workers: streams and sinks as objects, messages as callbacks. A worker
 * that dies, or has streams and answers no more, takes them with it (they end as lost) and is replaced at the next
 * request.
 */
import type { Media90k } from '../../arib/time.ts';
import { systemMonotonicClock } from '../../host/clock.ts';
import type { Log } from '../../host/log.ts';
import { Watchdog } from '../../host/watchdog.ts';
import { Failure } from '../model/failure.ts';
import type { FileEvent } from './file-output.ts';
import type { FromReceptionWorker, OutputEnd, ToReceptionWorker } from './reception-messages.ts';
import type { FileOpening } from './recorded-file.ts';
import type { StationLayout } from './station-layout.ts';
import { channelOf, type StreamTap, type TappedStream } from './stream-tap.ts';

/** Each worker costs memory; two keep one station's filter from waiting for another's. */
const MAX_WORKERS = 2;
/** An encoder needs 1.5 s at most to end (`ffmpeg/process.ts`). */
const SHUTDOWN_LIMIT_MS = 4_000;

export interface StationStreamHandlers {
  /** Encoders started before this moment end; new ones follow the new layout. */
  layout(layout: StationLayout): void;
  /** Every sink has ended before. @param by what broke: the tuning, or the worker that read it */
  ended(reason: string, by: 'tuning' | 'worker'): void;
}

export interface EncoderHandlers {
  init(piece: { bytes: Uint8Array<ArrayBuffer>; mime: string; origin: number }): void;
  fragment(piece: { bytes: Uint8Array<ArrayBuffer>; sync: boolean; time: Media90k }): void;
  ended(end: OutputEnd): void;
}

export interface RawHandlers {
  /** What viewer `viewer` begins with; the next `batch` continues it. */
  burst(viewer: number, bytes: Uint8Array<ArrayBuffer>): void;
  batch(bytes: Uint8Array<ArrayBuffer>): void;
  ended(end: OutputEnd): void;
}

export interface FileHandlers {
  /** `at`: when it was sent, by the clock that the event's times are of, ms. The last one is `ended`, unless lost. */
  event(event: FileEvent, at: number): void;
  /** The worker died, and the sink with it. */
  lost(): void;
}

type SinkEntry = { pid?: number } & (
  | { kind: 'encoder'; handlers: EncoderHandlers }
  | { kind: 'raw'; handlers: RawHandlers }
  | { kind: 'file'; handlers: FileHandlers }
);

interface StreamEntry {
  handlers: StationStreamHandlers;
  /** Begins the reading along, once the stream is there. */
  tap: () => TappedStream | undefined;
  tapped: TappedStream | undefined;
  opened: PromiseWithResolvers<{ tunerId: string | null; layout: StationLayout }>;
  closed: PromiseWithResolvers<void>;
}

let serial = 0;
const nextId = (): number => {
  serial += 1;
  return serial;
};

/** One worker and what is in it. */
class WorkerPort {
  readonly streams = new Map<number, StreamEntry>();
  readonly sinks = new Map<number, SinkEntry>();
  readonly #worker: Worker;
  readonly #watchdog: Watchdog;
  readonly #down = Promise.withResolvers<void>();
  #dead = false;

  constructor(
    worker: Worker,
    readonly log: Log,
    readonly onDeath: (port: WorkerPort) => void,
    silence: Pick<ReceptionClientOptions, 'silenceMs'>,
  ) {
    this.#worker = worker;
    this.#watchdog = new Watchdog({
      ask: () => this.send({ kind: 'ask' }),
      onSilent: (silentMs) => this.#die(`no answer for ${silentMs} ms`),
      clock: systemMonotonicClock,
      limitMs: silence.silenceMs,
    });
    worker.onmessage = (event: MessageEvent<FromReceptionWorker>) => this.#take(event.data);
    worker.onerror = (event: ErrorEvent) => this.#die(event.message);
    worker.addEventListener('close', () => this.#die('the worker ended'));
  }

  send(message: ToReceptionWorker): void {
    if (!this.#dead) this.#worker.postMessage(message);
  }

  /** It has a stream from now on, until its last one is closed. */
  begin(stream: number, entry: StreamEntry): void {
    this.streams.set(stream, entry);
    this.#watchdog.watch();
  }

  async shutdown(): Promise<void> {
    this.#watchdog.rest();
    this.send({ kind: 'shutdown' });
    const limit = Promise.withResolvers<void>();
    const timer = setTimeout(limit.resolve, SHUTDOWN_LIMIT_MS);
    if (!this.#dead) await Promise.race([this.#down.promise, limit.promise]);
    clearTimeout(timer);
    this.#die('closed');
  }

  #take(message: FromReceptionWorker): void {
    switch (message.kind) {
      case 'alive':
        this.#watchdog.answered();
        break;
      case 'down':
        this.#down.resolve();
        break;
      case 'opened':
      case 'failed':
      case 'layout':
      case 'ended':
      case 'closed':
      case 'guide':
        this.#takeStream(message);
        break;
      default:
        this.#takeSink(message);
    }
  }

  #takeStream(
    message: Extract<
      FromReceptionWorker,
      { kind: 'opened' | 'failed' | 'layout' | 'ended' | 'closed' | 'guide' }
    >,
  ): void {
    const entry = this.streams.get(message.stream);
    if (entry === undefined) return;
    if (message.kind === 'guide') {
      entry.tapped ??= entry.tap();
      entry.tapped?.packets(message.bytes);
    } else if (message.kind === 'opened') entry.opened.resolve(message);
    else if (message.kind === 'failed') entry.opened.reject(openFailure(message.code, message.reason));
    else if (message.kind === 'layout') entry.handlers.layout(message.layout);
    else if (message.kind === 'ended') {
      endTap(entry);
      entry.handlers.ended(message.reason, 'tuning');
    } else {
      endTap(entry);
      this.streams.delete(message.stream);
      if (this.streams.size === 0) this.#watchdog.rest();
      entry.closed.resolve();
    }
  }

  #takeSink(message: Extract<FromReceptionWorker, { sink: number }>): void {
    const entry = this.sinks.get(message.sink);
    if (entry === undefined) return;
    if (entry.kind === 'file') {
      if (message.kind !== 'file') return;
      if (message.event.kind === 'ended') this.sinks.delete(message.sink);
      entry.handlers.event(message.event, message.at);
    } else if (message.kind === 'spawned') entry.pid = message.pid;
    else if (message.kind === 'sinkEnded') {
      this.sinks.delete(message.sink);
      entry.handlers.ended(message.end);
    } else if (entry.kind === 'encoder') {
      if (message.kind === 'init') entry.handlers.init(message);
      else if (message.kind === 'fragment') entry.handlers.fragment(message);
    } else if (message.kind === 'raw') entry.handlers.batch(message.bytes);
    else if (message.kind === 'burst') entry.handlers.burst(message.viewer, message.bytes);
  }

  #die(reason: string): void {
    if (this.#dead) return;
    this.#dead = true;
    this.#watchdog.rest();
    this.onDeath(this);
    this.#worker.terminate();
    if (this.streams.size > 0) this.log.error('stream worker died', { reason });
    for (const entry of this.sinks.values()) {
      if (entry.pid !== undefined) killLeftover(entry.pid);
      if (entry.kind === 'file') entry.handlers.lost();
      else entry.handlers.ended({ cause: 'lost' });
    }
    this.sinks.clear();
    for (const entry of this.streams.values()) {
      endTap(entry);
      entry.opened.reject(new Failure('internal', '受信処理が異常終了しました'));
      entry.handlers.ended(reason, 'worker');
      entry.closed.resolve();
    }
    this.streams.clear();
    this.#down.resolve();
  }
}

/** Nothing more of the stream will come. */
function endTap(entry: StreamEntry): void {
  entry.tapped?.closed();
  entry.tapped = undefined;
  entry.tap = () => undefined;
}

/** An encoder whose worker is gone; most have ended by themselves when their input closed. */
function killLeftover(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

function openFailure(code: 'no_tuner' | 'agent_unavailable', reason: string): Failure {
  const message =
    code === 'agent_unavailable'
      ? 'チューナーエージェントに接続できません'
      : '放送を受信できません。チューナーが空いていないか、放送休止中か、電波が届いていません';
  return new Failure(code, message, { cause: reason });
}

/** A tuned station, as the main thread holds it. */
export class StationStream {
  constructor(
    readonly port: WorkerPort,
    readonly id: number,
    readonly tunerId: string | null,
    /** As it was when the station was opened; later ones come by the handler. */
    readonly layout: StationLayout,
  ) {}

  /** Starts an encoder that reads these PIDs. */
  encode(
    command: readonly string[],
    pids: readonly number[],
    waitForPicture: boolean,
    handlers: EncoderHandlers,
  ): { taken(bytes: number): void; stop(): void } {
    const sink = nextId();
    this.port.sinks.set(sink, { kind: 'encoder', handlers });
    this.port.send({
      kind: 'encode',
      stream: this.id,
      sink,
      command: [...command],
      pids: [...pids],
      waitForPicture,
    });
    return this.#sinkControl(sink);
  }

  raw(handlers: RawHandlers): { join(viewer: number): void; taken(bytes: number): void; stop(): void } {
    const sink = nextId();
    this.port.sinks.set(sink, { kind: 'raw', handlers });
    this.port.send({ kind: 'raw', stream: this.id, sink });
    return {
      ...this.#sinkControl(sink),
      join: (viewer) => this.port.send({ kind: 'join', stream: this.id, sink, viewer }),
    };
  }

  /** Writes the station's stream to a file until it is stopped or the stream ends. */
  record(opening: FileOpening, handlers: FileHandlers): { move(opening: FileOpening): void; stop(): void } {
    const sink = nextId();
    this.port.sinks.set(sink, { kind: 'file', handlers });
    this.port.send({ kind: 'record', stream: this.id, sink, opening });
    return {
      move: (to) => this.port.send({ kind: 'move', stream: this.id, sink, opening: to }),
      stop: () => this.port.send({ kind: 'drop', stream: this.id, sink }),
    };
  }

  /** Gives the tuner back; resolves when no process of the stream is left. Idempotent. */
  async close(): Promise<void> {
    const entry = this.port.streams.get(this.id);
    if (entry === undefined) return;
    this.port.send({ kind: 'close', stream: this.id });
    await entry.closed.promise;
  }

  #sinkControl(sink: number): { taken(bytes: number): void; stop(): void } {
    return {
      taken: (bytes) => this.port.send({ kind: 'taken', stream: this.id, sink, bytes }),
      stop: () => this.port.send({ kind: 'drop', stream: this.id, sink }),
    };
  }
}

export interface ReceptionClientOptions {
  startWorker: () => Worker;
  log: Log;
  /** Reads along whatever is open. */
  tap?: StreamTap | undefined;
  /** A worker that answers no question for so long is given up, ms. */
  silenceMs?: number | undefined;
}

export class ReceptionClient {
  readonly #ports: WorkerPort[] = [];
  #closed = false;

  constructor(readonly options: ReceptionClientOptions) {}

  /** Starts a worker ahead of the first request. */
  warm(): void {
    if (this.#ports.length === 0 && !this.#closed) this.#start();
  }

  /**
   * Tunes and narrows; resolves when the station's tables were seen.
   * @throws Failure no_tuner, agent_unavailable, internal; the abort's reason.
   */
  async open(
    url: string,
    serviceId: number,
    handlers: StationStreamHandlers,
    signal: AbortSignal,
  ): Promise<StationStream> {
    if (this.#closed) throw new Failure('internal', 'サーバを終了しています');
    const port = this.#leastUsed();
    const stream = nextId();
    const channel = channelOf(url);
    const entry: StreamEntry = {
      handlers,
      tap: () => (channel === undefined ? undefined : this.options.tap?.opened(channel)),
      tapped: undefined,
      opened: Promise.withResolvers(),
      closed: Promise.withResolvers(),
    };
    port.begin(stream, entry);
    port.send({ kind: 'open', stream, url, serviceId });
    const abort = (): void => entry.opened.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      if (signal.aborted) abort();
      const { tunerId, layout } = await entry.opened.promise;
      return new StationStream(port, stream, tunerId, layout);
    } catch (error) {
      port.send({ kind: 'close', stream });
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#ports.map((port) => port.shutdown()));
  }

  #leastUsed(): WorkerPort {
    const free = this.#ports.find((port) => port.streams.size === 0);
    if (free !== undefined) return free;
    if (this.#ports.length < MAX_WORKERS) return this.#start();
    return this.#ports.reduce((best, port) => (port.streams.size < best.streams.size ? port : best));
  }

  #start(): WorkerPort {
    const { startWorker, log } = this.options;
    const gone = (dead: WorkerPort): void => {
      const index = this.#ports.indexOf(dead);
      if (index >= 0) this.#ports.splice(index, 1);
    };
    const port = new WorkerPort(startWorker(), log, gone, this.options);
    this.#ports.push(port);
    return port;
  }
}
