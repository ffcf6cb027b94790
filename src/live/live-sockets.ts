/** All clients of the live socket: admission and sources. */

import type { StationId } from '../../lib/arib/ids.ts';
import type { MonotonicClock } from '../../lib/host/clock.ts';
import type { Log } from '../../lib/host/log.ts';
import type { LiveTuned } from '../../lib/wire/live.ts';
import { LIVE_SOCKET_PATH } from '../../lib/wire/live-frames.ts';
import type { OpenSources } from '../http/route/open-sources.ts';
import type { SocketConnection, SocketEndpoint, SocketPeer } from '../http/route/server-interfaces.ts';
import type { Viewing } from '../media/viewing.ts';
import { type Requester, requesterKey } from '../model/requester.ts';
import type { LiveService } from './live-service.ts';
import { type ChaseRequest, LiveSocket, type LiveTuneRequest, type SocketViewing } from './live-socket.ts';

/** More than the screens of a household; each may hold the queue of a viewer. */
const MAX_CLIENTS = 64;
/** Of one requester: マルチ画面 opens four, a few tabs the rest. */
const MAX_CLIENTS_PER_REQUESTER = 16;
/** Limit of control messages; the longest valid one has some 200 octets. */
const MAX_MESSAGE_BYTES = 16 * 1024;
const BUSY = 1013;

/** A viewing of any source. */
interface SourceViewing extends Viewing {
  /** What `tuned` tells of this source only. */
  readonly details: Partial<LiveTuned>;
  /** See `SocketViewing`; absent: it cannot be taken from the viewer. */
  readonly lost?: SocketViewing['lost'];
}

export interface LiveSocketsNeeds {
  readonly live: Pick<LiveService, 'join' | 'prepare'>;
  readonly isSuspended: (id: StationId) => boolean;
  /** @throws Failure, the abort's reason */
  readonly chase: (request: Omit<ChaseRequest, 'type'>, signal: AbortSignal) => Promise<SourceViewing>;
  /** The requester of a ticket; undefined: unknown, expired or used. */
  readonly redeem: (ticket: string) => Requester | undefined;
  readonly sources: OpenSources;
  readonly log: Log;
  /** ms since the machine was started. */
  readonly clock: MonotonicClock;
  readonly pingMs?: number | undefined;
  readonly idleMs?: number | undefined;
}

export class LiveSockets implements SocketEndpoint {
  readonly path = LIVE_SOCKET_PATH;
  readonly maxMessageBytes = MAX_MESSAGE_BYTES;
  /** Each with the key of its requester. */
  readonly #clients = new Map<LiveSocket, string>();
  #isClosed = false;

  constructor(private readonly needs: LiveSocketsNeeds) {}

  get size(): number {
    return this.#clients.size;
  }

  admit(url: URL): Requester | undefined {
    const ticket = url.searchParams.get('ticket');
    return this.#isClosed || ticket === null ? undefined : this.needs.redeem(ticket);
  }

  open(connection: SocketConnection, requester: Requester): SocketPeer {
    const { log, clock, isSuspended, pingMs, idleMs } = this.needs;
    const socket = new LiveSocket(connection, {
      ...{ log, clock, pingMs, idleMs },
      watch: (request, signal) => this.#counted(request, requester, signal),
      prepare: (id, signal) => this.needs.live.prepare(id as StationId, signal),
      isSuspended: (id) => isSuspended(id as StationId),
    });
    const key = requesterKey(requester);
    const own = this.#clients
      .values()
      .filter((one) => one === key)
      .toArray().length;
    if (this.#isClosed || this.#clients.size >= MAX_CLIENTS || own >= MAX_CLIENTS_PER_REQUESTER) {
      connection.close(BUSY);
      socket.closed();
      return socket;
    }
    this.#clients.set(socket, key);
    return {
      message: (data) => socket.message(data),
      drained: () => socket.drained(),
      closed: () => {
        this.#clients.delete(socket);
        socket.closed();
      },
    };
  }

  /** Ends every connection. */
  close(): void {
    this.#isClosed = true;
    for (const socket of [...this.#clients.keys()]) socket.shutDown();
    this.#clients.clear();
  }

  /** Counts as a source of the requester until the signal aborts, as it does at every end. */
  async #counted(
    request: LiveTuneRequest | ChaseRequest,
    requester: Requester,
    signal: AbortSignal,
  ): Promise<SocketViewing> {
    const leave = this.needs.sources.enter(requester, request.type === 'tune' ? 'station' : 'recording');
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await this.#watch(request, signal);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** A station and a growing recording differ only in their source. */
  async #watch(request: LiveTuneRequest | ChaseRequest, signal: AbortSignal): Promise<SocketViewing> {
    const {
      details,
      lost = Promise.resolve(null),
      viewer,
      notices,
      audios,
      ...rest
    } = request.type === 'tune' ? await this.#tune(request, signal) : await this.needs.chase(request, signal);
    return { viewer, notices, lost, tuned: { type: 'tuned', ...rest, audios: [...audios], ...details } };
  }

  async #tune(
    { stationId, codec, audio, quality = 'high' }: LiveTuneRequest,
    signal: AbortSignal,
  ): Promise<SourceViewing> {
    // Sound alone is sent over HTTP only; here it is an unknown id.
    const request = { stationId, codec, audio: audio === 'only' ? undefined : audio, quality };
    const { tunerId, hasData, ...viewing } = await this.needs.live.join(request, signal);
    const details = {
      stationId,
      data: hasData,
      ...(viewing.codec === 'raw' ? {} : { quality }),
      ...(tunerId === null ? {} : { tuner: tunerId }),
    };
    return { ...viewing, details };
  }
}
