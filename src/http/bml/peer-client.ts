/**
 * Requests of data broadcasts to the broadcaster's servers. Nothing identifies the viewer: no cookie, credentials,
 * Referer or User-Agent is sent, and what the server wants to store is dropped. ARIB STD-B24 Vol. 2, 7.6.16.
 */
import net from 'node:net';
import type { MonotonicClock } from '../../../lib/host/clock.ts';
import { unlessAborted } from '../../../lib/host/deadline.ts';
import type { Log } from '../../../lib/host/log.ts';
import {
  judgedPlace,
  type Place,
  type PublicAnswer,
  PublicFetchError,
  type PublicRequest,
  type PublicTargets,
  publicFetch,
} from '../../../lib/host/public-fetch.ts';
import { CONFIRM_LIMIT_MS, type ConfirmAnswer, MAX_PEER_URL } from '../../../lib/wire/bidirectional.ts';
import { Failure } from '../../model/failure.ts';

/** A document may try without end. */
const MOST = 200;
const SPAN_MS = 60_000;
const MAX_TARGET_LENGTH = 200;

/** Refused targets in the log, without what may be personal: query, fragment and credentials. */
export class RefusalLog {
  #since = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(
    private readonly log: Log,
    private readonly clock: MonotonicClock,
  ) {}

  /** @param target as given: a URL, a host, or neither */
  note(target: string, reason: string): void {
    const now = this.clock();
    if (now - this.#since >= SPAN_MS) {
      if (this.#count > MOST) this.log.warn('further targets were refused', { count: this.#count - MOST });
      this.#since = now;
      this.#count = 0;
    }
    this.#count += 1;
    if (this.#count <= MOST) this.log.warn('target refused', { target: plainTarget(target), reason });
  }
}

function plainTarget(target: string): string {
  return target
    .replace(/[?#].*$/s, '')
    .replace(/\/\/[^/]*@/, '//')
    .slice(0, MAX_TARGET_LENGTH);
}

const LIMITS = { redirects: 3, timeoutMs: 10_000, maxBytes: 4 * 1024 * 1024 } as const;

const REASONS = {
  refused: 'この宛先とは通信しません。家の中や、公開されていないアドレスには接続できません。',
  unreachable: '通信先から正しい応答がありませんでした。',
  too_large: '通信先の応答が大きすぎます（上限 4 MB）。',
} as const;
const BAD_URL = 'url には http か https のアドレスを指定してください。';
const BAD_HOST = 'host にはホスト名か IP アドレスだけを指定してください。';

interface PeerClientNeeds {
  targets: PublicTargets;
  refusals: RefusalLog;
  clock: MonotonicClock;
}

export class PeerClient {
  constructor(private readonly needs: PeerClientNeeds) {}

  /**
   * @param address as the document wrote it
   * @throws Failure bad_request, forbidden (the target is refused), peer_failed
   */
  async fetch(address: string, request: PublicRequest, signal: AbortSignal): Promise<PublicAnswer> {
    const url = this.#target(address, address, BAD_URL);
    try {
      return await publicFetch(
        url,
        { ...request, headers: { accept: '*/*', ...request.headers } },
        {
          ...this.needs.targets,
          ...LIMITS,
          // Broadcasters' servers leave out intermediate certificates.
          acceptsAnyCertificate: true,
          signal,
        },
      );
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Whether the port 443 of a host accepts connections. @param timeout ms @throws Failure bad_request, forbidden */
  async confirm(host: string, timeout: number, ended: AbortSignal): Promise<ConfirmAnswer> {
    const isAddress = net.isIPv6(host);
    if (!isAddress && /[/?#@:\\]/.test(host)) throw this.#refuse(host, 'not a host', BAD_HOST);
    const url = this.#target(`https://${isAddress ? `[${host}]` : host}/`, host, BAD_HOST);
    const limit = Math.min(Math.max(timeout, CONFIRM_LIMIT_MS.min), CONFIRM_LIMIT_MS.max);
    const signal = AbortSignal.any([ended, AbortSignal.timeout(limit)]);
    let place: Place;
    try {
      place = await judgedPlace(url, this.needs.targets, signal);
    } catch (error) {
      const failure = this.#failure(error);
      if (failure.code === 'forbidden') throw failure;
      return { reachable: false, ipAddress: null, responseTimeMs: null };
    }
    const began = this.needs.clock();
    const reachable = await connects(place, signal);
    const responseTimeMs = reachable ? Math.round(this.needs.clock() - began) : null;
    return { reachable, ipAddress: place.address, responseTimeMs };
  }

  /** @param shown for the log @throws Failure bad_request */
  #target(address: string, shown: string, message: string): URL {
    // The parser of addresses drops line breaks.
    const isPlain = address.length <= MAX_PEER_URL && !/[\s\p{Cc}]/u.test(address);
    const url = isPlain ? URL.parse(address) : null;
    if (url === null) throw this.#refuse(shown, 'not an address', message);
    return url;
  }

  #refuse(target: string, reason: string, message: string): Failure {
    this.needs.refusals.note(target, reason);
    return new Failure('bad_request', message);
  }

  #failure(error: unknown): Failure {
    if (!(error instanceof PublicFetchError)) throw error;
    if (error.code !== 'refused') return new Failure('peer_failed', REASONS[error.code]);
    this.needs.refusals.note(error.target?.href ?? '', error.message);
    return new Failure('forbidden', REASONS.refused);
  }
}

async function connects({ address, port }: Place, signal: AbortSignal): Promise<boolean> {
  const socket = net.connect({ host: address, port });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.on('connect', () => resolve(true));
  socket.on('error', () => resolve(false));
  try {
    return await unlessAborted(promise, signal);
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
