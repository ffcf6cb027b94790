/**
 * The share port: sends keys, but never the card's number or its own secrets, to other agents of the household. IPv4
 * and IPv6 use separate sockets, `CARD_TTL` limits the hops of packets, and peers outside the networks, or above the
 * round-trip limit, are refused.
 */
import type { TCPSocketListener, TCPSocketListenOptions } from 'bun';
import type { WallClock, WallMs } from '../../lib/host/clock.ts';
import type { Log } from '../../lib/host/log.ts';
import { canonicalAddress, type Networks } from '../../lib/host/networks.ts';
import { KeyFailure, type KeySource } from '../descramble/key-source.ts';
import {
  BadMessage,
  CA_SYSTEM_HEADER,
  ECM_PATH,
  errorBytes,
  INIT_PATH,
  MAX_BODY_BYTES,
  MessageReader,
  responseBytes,
  roundTripMs,
  type ShareMessage,
  setHopLimit,
} from './share-protocol.ts';

export interface ShareServerOptions {
  /** 0 selects a free port for IPv4, which is then also used for IPv6. */
  port: number;
  networks: Networks;
  /** 1 to 8. */
  hops: number;
  /** Maximum round-trip time; null: no limit. */
  maxRttMs: number | null;
  source: KeySource;
  log: Log;
  now: WallClock;
  onChange: () => void;
  /** Default: 30 s. */
  idleMs?: number;
}

interface RefusedPeer {
  peer: string;
  reason: string;
  /** Epoch ms of the last refusal. */
  at: WallMs;
}

/** The same peer and reason are logged once within this time, ms. */
const LOG_INTERVAL_MS = 10 * 60_000;
const MAX_REFUSED = 32;
/** A peer that requested a key within this time counts as connected, ms. */
const PEER_MEMORY_MS = 60_000;
const MAX_PEERS = 64;
const MAX_CONNECTIONS = 32;
/** Limit per peer: one peer must not exclude the others. */
const MAX_CONNECTIONS_A_PEER = 8;
/** A connection without a complete request for this long is closed, even if single octets arrive, ms. */
const IDLE_MS = 30_000;

interface Connection {
  reader: MessageReader;
  peer: string;
  /** Responses are sent in the order of the requests. */
  turn: Promise<void>;
  waiting: number;
  idle: ReturnType<typeof setTimeout> | undefined;
}

const MAX_WAITING = 8;
const OUTSIDE = 'address outside CARD_SHARE_NETWORKS';
/** Time for the reason to reach a refused peer. */
const REFUSED_MS = 1_000;
const BINARY = 'application/octet-stream';

export class ShareServer {
  readonly #options: ShareServerOptions;
  readonly #listeners: TCPSocketListener<Connection>[] = [];
  readonly #refused = new Map<string, RefusedPeer & { loggedAt: WallMs }>();
  readonly #peers = new Map<string, number>();
  readonly #connections = new Set<Bun.Socket<Connection>>();

  /** @throws Error if it cannot listen on the port */
  constructor(options: ShareServerOptions) {
    this.#options = options;
    try {
      const ipv4 = this.#listen('0.0.0.0', options.port);
      this.#listeners.push(ipv4);
      if (hasIpv6()) this.#listeners.push(this.#listen('::', ipv4.port));
    } catch (error) {
      void this.close();
      throw error;
    }
  }

  get port(): number {
    return this.#listeners[0]?.port ?? this.#options.port;
  }

  get status(): { port: number; peers: string[]; refused: RefusedPeer[] } {
    const now = this.#options.now();
    return {
      port: this.port,
      peers: [...this.#peers].filter(([, at]) => now - at < PEER_MEMORY_MS).map(([peer]) => peer),
      refused: [...this.#refused.values()].map(({ peer, reason, at }) => ({ peer, reason, at })),
    };
  }

  close(): void {
    for (const listener of this.#listeners) listener.stop(true);
  }

  #listen(hostname: '0.0.0.0' | '::', port: number): TCPSocketListener<Connection> {
    const options: TCPSocketListenOptions<Connection> & { ipv6Only: boolean } = {
      hostname,
      port,
      ipv6Only: true,
      socket: {
        open: (socket) => {
          const peer = canonicalAddress(socket.remoteAddress) ?? socket.remoteAddress;
          const turn = Promise.resolve();
          socket.data = { reader: new MessageReader(), peer, turn, waiting: 0, idle: undefined };
          if (!this.#options.networks.contains(peer)) {
            this.#refuse(peer, OUTSIDE);
            // Takes no place, and nothing that it sends is read.
            socket.end(errorBytes(403, OUTSIDE));
            socket.data.idle = setTimeout(() => socket.terminate(), REFUSED_MS);
            return;
          }
          const ofPeer = [...this.#connections].filter(({ data }) => data.peer === peer).length;
          const isFull = this.#connections.size >= MAX_CONNECTIONS || ofPeer >= MAX_CONNECTIONS_A_PEER;
          this.#connections.add(socket);
          if (isFull) socket.terminate();
          else this.#limitIdle(socket);
        },
        data: (socket, bytes) => this.#receive(socket, bytes),
        close: (socket) => {
          clearTimeout(socket.data.idle);
          this.#connections.delete(socket);
        },
        error: (socket) => {
          socket.terminate();
        },
      },
    };
    const listener = Bun.listen<Connection>(options);
    const family = hostname === '::' ? 'ipv6' : 'ipv4';
    const { fd } = listener as unknown as { fd: number };
    if (!setHopLimit(fd, family, this.#options.hops)) {
      listener.stop(true);
      throw new Error(`the ${family} hop limit of the share port cannot be set`);
    }
    return listener;
  }

  #limitIdle(socket: Bun.Socket<Connection>): void {
    const { data } = socket;
    clearTimeout(data.idle);
    if (!this.#connections.has(socket)) return;
    data.idle = setTimeout(() => socket.terminate(), this.#options.idleMs ?? IDLE_MS);
  }

  #receive(socket: Bun.Socket<Connection>, bytes: Uint8Array): void {
    const connection = socket.data;
    // Refused when it was accepted.
    if (!this.#connections.has(socket)) return;
    try {
      for (const message of connection.reader.feed(bytes)) {
        if (connection.waiting >= MAX_WAITING) throw new BadMessage('too many requests at once');
        connection.waiting += 1;
        connection.turn = connection.turn.then(async () => {
          const answer = await this.#answer(socket, message);
          connection.waiting -= 1;
          this.#limitIdle(socket);
          socket.write(answer);
          if (!isOk(answer)) socket.end();
        });
      }
    } catch (error) {
      socket.write(errorBytes(400, error instanceof BadMessage ? error.message : 'bad request'));
      socket.end();
    }
  }

  async #answer(socket: Bun.Socket<Connection>, message: ShareMessage): Promise<Uint8Array> {
    const { peer } = socket.data;
    const refusal = this.#refusal(socket);
    if (refusal !== undefined) {
      this.#refuse(peer, refusal);
      return errorBytes(403, refusal);
    }
    const [method, path] = message.first.split(' ');
    if (path !== INIT_PATH && path !== ECM_PATH) return errorBytes(404, 'this port only shares keys');
    if (method !== (path === INIT_PATH ? 'GET' : 'POST'))
      return errorBytes(405, `${path} does not have this method`);
    try {
      if (path === ECM_PATH) {
        const keys = await this.#ecm(message.body);
        this.#remember(peer);
        return responseBytes(200, BINARY, keys);
      }
      const { systemKey, initialValue, caSystemId } = await this.#options.source.system();
      this.#remember(peer);
      return responseBytes(200, BINARY, Buffer.concat([systemKey, initialValue]), {
        [CA_SYSTEM_HEADER]: String(caSystemId),
      });
    } catch (error) {
      const code = error instanceof KeyFailure ? error.code : 'card_error';
      return errorBytes(503, `no keys: ${code}`, code);
    }
  }

  async #ecm(message: Uint8Array): Promise<Uint8Array> {
    if (message.length === 0 || message.length > MAX_BODY_BYTES) throw new KeyFailure('card_error', 'no ECM');
    const { odd, even } = await this.#options.source.keys(message);
    return Buffer.concat([odd, even]);
  }

  #refusal(socket: Bun.Socket<Connection>): string | undefined {
    const { maxRttMs } = this.#options;
    if (maxRttMs === null) return undefined;
    const { fd } = socket as unknown as { fd: number };
    const rtt = roundTripMs(fd);
    if (rtt === undefined) return 'round-trip time cannot be measured (CARD_SHARE_MAX_RTT)';
    return rtt > maxRttMs ? `round-trip time ${rtt.toFixed(1)} ms exceeds CARD_SHARE_MAX_RTT` : undefined;
  }

  #refuse(peer: string, reason: string): void {
    const { now, log, onChange } = this.#options;
    const at = now();
    // The measured time differs each time; the reason does not.
    const key = `${peer} ${reason.replace(/[\d.]+ ms/, '')}`;
    const known = this.#refused.get(key);
    const isLogged = known !== undefined && at - known.loggedAt < LOG_INTERVAL_MS;
    const loggedAt = isLogged ? known.loggedAt : at;
    if (!isLogged) log.warn('card share peer refused', { peer, reason });
    this.#refused.delete(key);
    this.#refused.set(key, { peer, reason, at, loggedAt });
    for (const oldest of this.#refused.keys()) {
      if (this.#refused.size <= MAX_REFUSED) break;
      this.#refused.delete(oldest);
    }
    onChange();
  }

  #remember(peer: string): void {
    const isNew = !this.#peers.has(peer);
    this.#peers.delete(peer);
    this.#peers.set(peer, this.#options.now());
    for (const oldest of this.#peers.keys()) {
      if (this.#peers.size <= MAX_PEERS) break;
      this.#peers.delete(oldest);
    }
    if (isNew) this.#options.onChange();
  }
}

function isOk(response: Uint8Array): boolean {
  return new TextDecoder('latin1').decode(response.subarray(0, 12)) === 'HTTP/1.1 200';
}

function hasIpv6(): boolean {
  try {
    const probe = Bun.listen({ hostname: '::1', port: 0, socket: { data: () => {} } });
    probe.stop(true);
    return true;
  } catch {
    return false;
  }
}
