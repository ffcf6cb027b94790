/**
 * Streams of the Mirakurun-compatible interface: whole channels, stations, programmes. Each has a tuning of its own, and
 * ends it when its client has disconnected.
 */
import { type BroadcastType, type ProgramId, type ServiceId, splitProgramId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { sleepUnlessAborted } from '../../lib/host/deadline.ts';
import type { Log } from '../../lib/host/log.ts';
import type { Frame } from '../media/frame.ts';
import { httpBody } from '../media/http-body.ts';
import { StreamBroken, ViewerQueue } from '../media/viewer-queue.ts';
import { type Airings, isBrokenOff, RESUME_MS } from '../model/airing.ts';
import { Failure } from '../model/failure.ts';
import type { StationRecord } from '../model/station.ts';
import { type RawEvent, rawOutput } from '../reception/raw-output.ts';
import type { ReceptionPool } from '../reception/reception-pool.ts';
import { STREAM_USE } from '../tuner/agent-stream.ts';

/** Present/following names another programme for this long before the stream ends: its last pictures. */
const END_DELAY_MS = 1_000;
/** The scheduled end passed for this long, and no table says that the programme is on. */
const NO_TABLE_MS = 10_000;

type GateState =
  /** Not on yet, or interrupted: nothing is sent. */
  'closed' | 'open' | 'over';

interface GateFacts {
  readonly id: ProgramId;
  /** By the guide; undefined: the guide no longer has it. */
  readonly program: { readonly startAt: BroadcastMs; readonly endAt: BroadcastMs } | undefined;
  readonly airings: Airings;
  readonly now: BroadcastMs;
}

/**
 * When the stream of a programme begins and ends: one pure function over present/following of its station and the
 * guide. As recordings, it follows late starts, extensions and interruptions; unlike them it has no margins.
 */
export class ProgrammeGate {
  #hasBegun = false;
  /** Since when another programme is on, or since when the end passed without a table. */
  #endingSince: BroadcastMs | undefined;
  /** The last times by the guide. */
  #times: { startAt: BroadcastMs; endAt: BroadcastMs } | undefined;

  next({ id, program, airings, now }: GateFacts): GateState {
    this.#times = program ?? this.#times;
    const { startAt, endAt } = this.#times ?? { startAt: now, endAt: now };
    const own = airings.get(id);
    if (own?.state === 'on') return this.#open();
    if (own?.state === 'over') {
      const isPaused = isBrokenOff(own) && now < Math.max(endAt, (own.until ?? now) + RESUME_MS);
      return isPaused ? 'closed' : this.#ending(now, END_DELAY_MS);
    }
    // Not yet on, or interrupted and announced to resume.
    if (own?.state === 'next') return this.#wait();
    if (isOtherPresent(id, airings)) {
      // No longer in the tables.
      if (this.#hasBegun) return this.#ending(now, END_DELAY_MS);
      return now >= endAt ? this.#ending(now, NO_TABLE_MS) : this.#wait();
    }
    if (now < startAt) return this.#wait();
    return now < endAt ? this.#open() : this.#ending(now, NO_TABLE_MS);
  }

  #open(): 'open' {
    this.#hasBegun = true;
    this.#endingSince = undefined;
    return 'open';
  }

  #wait(): 'closed' {
    this.#endingSince = undefined;
    return 'closed';
  }

  #ending(now: BroadcastMs, delayMs: number): GateState {
    this.#endingSince ??= now;
    if (now - this.#endingSince >= delayMs) return 'over';
    return this.#hasBegun ? 'open' : 'closed';
  }
}

function isOtherPresent(id: ProgramId, airings: Airings): boolean {
  const station = splitProgramId(id)?.stationId;
  for (const [other, { state }] of airings) {
    if (state === 'on' && other !== id && splitProgramId(other)?.stationId === station) return true;
  }
  return false;
}

type Body = ReadableStream<Uint8Array>;

/** Bodies of packet streams, whose response begins with their first bytes. */
export function bodyOf(packets: AsyncGenerator<Uint8Array>, signal: AbortSignal): Body {
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await packets.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          controller.error(signal.aborted ? signal.reason : error);
        }
      },
      cancel: async () => {
        await packets.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * Waits for the first bytes, so that the response's head is sent with them.
 * @param left called when the body has ended or was cancelled
 * @throws the error of the body
 */
export async function begun(body: Body, left: () => void = () => {}): Promise<Body> {
  const reader = body.getReader();
  let first: Awaited<ReturnType<typeof reader.read>> | undefined = await reader.read();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = first ?? (await reader.read());
          first = undefined;
          if (!done) {
            controller.enqueue(value);
            return;
          }
          left();
          controller.close();
        } catch (error) {
          left();
          controller.error(error);
        }
      },
      cancel: async (reason) => {
        left();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** 15 s of a full terrestrial channel; a client that reads more slowly is disconnected. */
const MAX_QUEUED_BYTES = 48 * 1024 * 1024;
const VIEWER = 1;

interface PacketRequest {
  readonly type: BroadcastType;
  readonly channel: string;
  /** null: the whole channel. */
  readonly serviceId: ServiceId | null;
  /** At the agent. */
  readonly priority: number;
  /** Identifies the request at the agent. */
  readonly use: string;
}

/**
 * The packets of a station or of a whole channel for one client, with a tuning request of its own: unlike viewers of
 * the service's own interface, these clients choose their priority. Resolves when the station is received.
 * @param signal ends the tuning
 * @throws Failure no_tuner, no_signal, agent_unavailable, …; the abort's reason
 */
async function openPackets(
  pool: Pick<ReceptionPool, 'open'>,
  { type, channel, serviceId, priority, use }: PacketRequest,
  signal: AbortSignal,
): Promise<ViewerQueue> {
  let viewer: ViewerQueue | undefined;
  const handlers = { ended: () => viewer?.fail(new StreamBroken('lost')) };
  const request = { type, channel, priority, use };
  const stream = await pool.open({ request, serviceId, handlers, signal, lane: 'other' });
  let isJoined = false;
  const output = stream.output(rawOutput, null, {
    event: (event: RawEvent) => {
      output.command({ kind: 'taken', bytes: event.bytes.length });
      // Batches before the burst are part of it.
      if (event.kind === 'burst') isJoined = true;
      if (isJoined && event.bytes.length > 0) {
        viewer?.push({ kind: 'packets', bytes: event.bytes, isExclusive: true });
      }
    },
    ended: () => viewer?.fail(new StreamBroken('lost')),
  });
  viewer = new ViewerQueue({
    maxBytes: MAX_QUEUED_BYTES,
    signal,
    onLeft: () => {
      void output.stop();
      void stream.close();
    },
  });
  output.command({ kind: 'join', viewer: VIEWER });
  return viewer;
}

/** A tuner that another client is leaving is free again within this time. */
const RETRY_LIMIT_MS = 12_500;
const RETRY_MS = 250;
/** Before a programme begins, so that it is complete although tuning takes seconds. */
const TUNE_AHEAD_MS = 30_000;
const GATE_MS = 250;
/** A lost stream of a programme that is on is opened again for this long. */
const REOPEN_LIMIT_MS = 60_000;

export interface StreamClient {
  /** Name of its connection. */
  readonly id: string;
  readonly agent: string | null;
  readonly url: string;
  readonly decode: boolean;
  /** At the agent. */
  readonly priority: number;
  readonly signal: AbortSignal;
}

export interface MirakurunStreamsOptions {
  readonly pool: Pick<ReceptionPool, 'open'>;
  readonly airings: () => Airings;
  readonly findProgram: (
    id: ProgramId,
  ) => { readonly startAt: BroadcastMs; readonly endAt: BroadcastMs } | undefined;
  readonly now: () => BroadcastMs;
  readonly log: Log;
  /** Default: 12.5 s. */
  readonly retryLimitMs?: number | undefined;
}

type Place = Pick<PacketRequest, 'type' | 'channel' | 'serviceId'>;

export class MirakurunStreams {
  readonly #clients = new Map<string, { client: StreamClient; abort: AbortController }>();
  #serial = 0;
  #isClosed = false;

  constructor(private readonly options: MirakurunStreamsOptions) {}

  /** The client behind a use of the agent. */
  clientOf(use: string): StreamClient | undefined {
    return this.#clients.get(use)?.client;
  }

  get size(): number {
    return this.#clients.size;
  }

  /** Ends streams by their uses; others stay. */
  end(uses: Iterable<string>): void {
    for (const use of uses) this.#clients.get(use)?.abort.abort(new Error('ended by a client'));
  }

  /**
   * Resolves with the first packets.
   * @param freesWritten as in `HttpBodyOptions` @throws Failure; the abort's reason
   */
  async open(place: Place, client: StreamClient, freesWritten = false): Promise<ReadableStream<Uint8Array>> {
    const { use, signal, leave } = this.#enter(client);
    try {
      const viewer = await this.#tune({ ...place, use, priority: client.priority }, signal);
      return await begun(httpBody(viewer, { freesWritten }), leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /**
   * A programme from its actual begin to its actual end. Resolves with its first packets, however late it begins: its
   * clients expect data soon after the head.
   * @throws Failure; the abort's reason
   */
  async program(
    id: ProgramId,
    station: StationRecord,
    client: StreamClient,
  ): Promise<ReadableStream<Uint8Array>> {
    const { use, signal, leave } = this.#enter(client);
    const { type, channel, serviceId } = station;
    const request = { type, channel, serviceId, use, priority: client.priority };
    try {
      return await begun(bodyOf(this.#programPackets(id, request, signal), signal), leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const { abort } of this.#clients.values()) abort.abort(new Error('closed'));
  }

  #enter(client: StreamClient) {
    if (this.#isClosed) throw new Failure('internal', 'サーバーを終了しています');
    this.#serial += 1;
    const use = STREAM_USE.mirakurun(this.#serial);
    const abort = new AbortController();
    this.#clients.set(use, { client, abort });
    const leave = (): void => {
      this.#clients.delete(use);
      abort.abort(new Error('left'));
    };
    return { use, signal: AbortSignal.any([client.signal, abort.signal]), leave };
  }

  async #tune(request: PacketRequest, signal: AbortSignal): Promise<ViewerQueue> {
    const { pool, log, retryLimitMs = RETRY_LIMIT_MS } = this.options;
    for (let waited = 0; ; waited += RETRY_MS) {
      try {
        return await openPackets(pool, request, signal);
      } catch (error) {
        const isCrowded = error instanceof Failure && error.code === 'no_tuner';
        if (!isCrowded || waited >= retryLimitMs) {
          if (error instanceof Failure)
            log.warn('stream refused', { channel: request.channel, code: error.code, use: request.use });
          throw error;
        }
      }
      await sleepUnlessAborted(RETRY_MS, signal);
      signal.throwIfAborted();
    }
  }

  async *#programPackets(
    id: ProgramId,
    request: PacketRequest,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    const { now, findProgram, airings } = this.options;
    const gate = new ProgrammeGate();
    const state = () => gate.next({ id, program: findProgram(id), airings: airings(), now: now() });
    while (now() < (findProgram(id)?.startAt ?? 0) - TUNE_AHEAD_MS) {
      await sleepUnlessAborted(1_000, signal);
      signal.throwIfAborted();
    }
    let lostAt: number | undefined;
    for (;;) {
      try {
        const viewer = await this.#tune(request, signal);
        lostAt = undefined;
        yield* gated(viewer, state);
        return;
      } catch (error) {
        signal.throwIfAborted();
        // Before the first packets the client is told why; later the stream continues when it is received again.
        if (error instanceof Failure && lostAt === undefined) throw error;
        lostAt ??= now();
        if (state() === 'over') return;
        if (now() - lostAt > REOPEN_LIMIT_MS) throw error;
        await sleepUnlessAborted(1_000, signal);
      }
    }
  }
}

/** Packets while the gate is open, until it is over. @throws the failure of the viewer */
async function* gated(viewer: ViewerQueue, state: () => GateState): AsyncGenerator<Uint8Array> {
  let current = state();
  const timer = setInterval(() => {
    current = state();
    // Wakes the reader also while nothing is received.
    if (current === 'over') viewer.end();
  }, GATE_MS);
  try {
    while (current !== 'over') {
      const frame: Frame | undefined = await viewer.next();
      if (frame === undefined) return;
      if (current === 'open' && frame.kind === 'packets') yield frame.bytes;
    }
  } finally {
    clearInterval(timer);
    viewer.leave();
  }
}
