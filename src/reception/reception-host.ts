/** The worker's side of `reception-messages.ts`: handles orders and owns the streams. Called by a worker's entry. */
import { fullGC } from 'bun:jsc';
import {
  type MonotonicClock,
  systemMonotonicClock,
  systemWallClock,
  type WallClock,
} from '../../lib/host/clock.ts';
import { type SendEvent, serveWorker, type WorkerHandlers } from '../../lib/host/worker-server.ts';
import { AgentStreamError, readAgentStream, whyEnded } from '../tuner/agent-stream.ts';
import type { ReceptionKinds } from './reception-kinds.ts';
import type { ReceptionContract, ReceptionOrder } from './reception-messages.ts';
import { type OpaqueOutputKind, type OpaqueReaderKind, StationReception } from './station-reception.ts';

/** 0.8 s of eight full terrestrial stations. Half of this would free only 1 MB more. */
const COLLECT_AFTER_BYTES = 12 * 1024 * 1024;

/**
 * Garbage collection of packet buffers in a reception worker. The runtime collects when the heap has doubled, and the
 * heap of this thread is mostly packets. Collecting after a fixed amount of packets instead saves 30 MB with eight
 * stations. The heap has few objects, so one collection takes only 5 ms.
 */
export class BufferCollection {
  #received = 0;

  constructor(private readonly collect: () => void = fullGC) {}

  /** Counts a buffer that will become garbage. */
  received(octets: number): void {
    this.#received += octets;
    if (this.#received < COLLECT_AFTER_BYTES) return;
    this.#received = 0;
    this.collect();
  }
}

/** Interval of reader checks; outputs are checked every OUTPUT_CHECKS intervals. */
const CHECK_MS = 100;
const OUTPUT_CHECKS = 10;

interface ReceptionHostOptions {
  kinds: ReceptionKinds;
  clock?: MonotonicClock;
  wall?: WallClock;
}

/** @param scope `self` of the worker */
export function serveReception(
  scope: Pick<Worker, 'postMessage' | 'onmessage'>,
  options: ReceptionHostOptions,
): void {
  serveWorker<ReceptionContract>(scope, (send) => new ReceptionHost(options, send).handlers);
}

class ReceptionHost {
  readonly #streams = new Map<number, StationReception>();
  readonly #outputs: ReadonlyMap<string, OpaqueOutputKind>;
  readonly #readers: ReadonlyMap<string, OpaqueReaderKind>;
  readonly #collection = new BufferCollection();
  #checks = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    private readonly options: ReceptionHostOptions,
    private readonly send: SendEvent<ReceptionContract>,
  ) {
    const { outputs, readers } = options.kinds;
    // Payloads are typed at both ends by the kind.
    this.#outputs = new Map(outputs.map((kind) => [kind.name, kind as unknown as OpaqueOutputKind]));
    this.#readers = new Map(readers.map((kind) => [kind.name, kind as unknown as OpaqueReaderKind]));
  }

  get handlers(): WorkerHandlers<ReceptionContract> {
    return {
      requests: {},
      order: (order) => this.#take(order),
      close: async () => {
        await Promise.all([...this.#streams.keys()].map((stream) => this.#close(stream)));
      },
    };
  }

  #take(order: ReceptionOrder): void {
    const stream = this.#streams.get(order.stream);
    switch (order.kind) {
      case 'open':
        this.#open(order);
        break;
      case 'close':
        void this.#close(order.stream);
        break;
      case 'output': {
        const kind = this.#outputs.get(order.name);
        if (stream !== undefined && kind !== undefined) stream.output(order.part, kind, order.options);
        else this.send({ kind: 'outputEnded', part: order.part, end: { cause: 'lost' } });
        break;
      }
      case 'reader':
        this.#read(stream, order);
        break;
      case 'command':
        stream?.command(order.part, order.command);
        break;
      case 'stop':
        stream?.stop(order.part);
        break;
    }
  }

  #read(
    stream: StationReception | undefined,
    { part, name, options }: { part: number; name: string; options: unknown },
  ): void {
    const kind = this.#readers.get(name);
    if (stream !== undefined && kind !== undefined) stream.reader(part, kind, options);
    else {
      const reason = kind === undefined ? `no reader ${name}` : null;
      this.send({ kind: 'readerEnded', part, end: { cause: 'stream', reason, dropped: 0 } });
    }
  }

  #open(order: Extract<ReceptionOrder, { kind: 'open' }>): void {
    const { stream, url, busyUrl, serviceId, limits, readers } = order;
    const { clock = systemMonotonicClock, wall = systemWallClock } = this.options;
    const received = (octets: number): void => this.#collection.received(octets);
    const common = { post: this.send, clock, wall, received };
    const station = new StationReception({
      ...{ stream, serviceId, ...common },
      read: (handlers, signal) =>
        readAgentStream(url, handlers, signal, limits).catch((error: unknown) => {
          if (busyUrl === null || !(error instanceof AgentStreamError) || error.code !== 'tuners_busy')
            throw error;
          return readAgentStream(busyUrl, handlers, signal, limits);
        }),
      whyEnded: (tunerId) => whyEnded(url, tunerId),
    });
    this.#streams.set(stream, station);
    this.#timer ??= setInterval(() => this.#check(), CHECK_MS);
    for (const reader of readers) this.#read(station, reader);
    station.start();
  }

  #check(): void {
    this.#checks += 1;
    for (const stream of this.#streams.values()) {
      stream.checkReaders();
      if (this.#checks % OUTPUT_CHECKS === 0) stream.check();
    }
  }

  async #close(stream: number): Promise<void> {
    const station = this.#streams.get(stream);
    this.#streams.delete(stream);
    if (this.#streams.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    const packets = (await station?.close()) ?? 0;
    this.send({ kind: 'closed', stream, packets });
  }
}
