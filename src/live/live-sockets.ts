/** All clients of the live socket: admission and sources. */

import type { StationId } from '../../arib/ids.ts';
import type { MonotonicClock } from '../../host/clock.ts';
import type { Log } from '../../host/log.ts';
import type { LiveTuned } from '../../wire/live.ts';
import { LIVE_SOCKET_PATH } from '../../wire/live-frames.ts';
import { Failure } from '../model/failure.ts';
import { type Requester, requesterKey } from '../model/requester.ts';
import type { SocketConnection, SocketEndpoint, SocketPeer } from '../route/socket-endpoint.ts';
import type { LiveService } from './live-service.ts';
import { type ChaseRequest, LiveSocket, type SocketViewing, type TuneRequest } from './live-socket.ts';

/** More than the screens of a household; each may hold the queue of a viewer. */
const MAX_CLIENTS = 64;
/** Of one requester: マルチ画面 opens four, a few tabs the rest. */
const MAX_CLIENTS_PER_REQUESTER = 16;
/** Limit of control messages; the longest valid one has some 200 octets. */
const MAX_MESSAGE_BYTES = 16 * 1024;
const BUSY = 1013;

/** Chase playback of a running recording. */
interface ChaseViewing extends Omit<SocketViewing, 'tuned' | 'lost'> {
  readonly tuned: Omit<LiveTuned, 'type' | 'recordingId'>;
}

export interface LiveSocketsNeeds {
  readonly live: Pick<LiveService, 'join' | 'prepare'>;
  readonly isSuspended: (id: StationId) => boolean;
  /** @throws Failure, the abort's reason */
  readonly chase: (request: Omit<ChaseRequest, 'type'>, signal: AbortSignal) => Promise<ChaseViewing>;
  /** The requester of a ticket; undefined: unknown, expired or used. */
  readonly redeem: (ticket: string) => Requester | undefined;
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
      watch: (request, signal) =>
        request.type === 'tune' ? this.#tune(request, signal) : this.#chase(request, signal),
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

  async #tune(
    { stationId, codec, audio: asked, quality }: TuneRequest,
    signal: AbortSignal,
  ): Promise<SocketViewing> {
    const request = { stationId: stationId as StationId, codec, audio: onlySound(asked), quality };
    const joined = await this.needs.live.join(request, signal);
    const { viewer, notices, lost, mime, audios, audio } = joined;
    const tuned: LiveTuned = {
      ...{ type: 'tuned', codec: joined.codec, mime, audio, stationId },
      audios: [...audios],
      ...(joined.codec === 'raw' ? {} : { quality: quality ?? 'high' }),
      ...(joined.tunerId === null ? {} : { tuner: joined.tunerId }),
    };
    return { viewer, notices, lost, tuned };
  }

  async #chase({ type: _type, ...request }: ChaseRequest, signal: AbortSignal): Promise<SocketViewing> {
    const { viewer, notices, tuned } = await this.needs.chase(request, signal);
    const { recordingId } = request;
    return { viewer, notices, lost: Promise.resolve(null), tuned: { type: 'tuned', ...tuned, recordingId } };
  }
}

/** Audio-only streams are available over HTTP only. */
function onlySound(audio: string | undefined): string | undefined {
  if (audio === 'only') throw new Failure('bad_request', 'audio には音声の選択肢の id を指定してください。');
  return audio;
}
