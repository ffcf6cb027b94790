/**
 * Communication of documents by the service's proxies (`/api/bml/`), from the engine's worker. The worker asks itself:
 * what servers send never touches the page. At most four requests run at once, as the service allows a client; the
 * others wait. Each has a limit of time and size of its own, whatever the service does.
 */
import { joinBytes } from '../../lib/arib/join-bytes.ts';
import type { ConfirmAnswer } from '../../lib/wire/bidirectional.ts';
import {
  PEER_CACHE_HEADER,
  PEER_STATUS_HEADER,
  PEER_TYPE_HEADER,
  PEER_URL_HEADER,
} from '../../lib/wire/data-broadcast.ts';
import type { Abilities, NetworkFault } from './bml-messages.ts';
import { type Confirmation, type Network, type NetworkAnswer, RateLimit } from './engine/network.ts';
import type { TaskClock } from './engine/timers.ts';

/** The service ends a request after 10 s; this covers the way to it. */
const MAX_MS = 15_000;
const MAX_OCTETS = 4 << 20;
const MAX_RUNNING = 4;
/** A page of a server has some dozens of files. */
const MAX_WAITING = 64;
/** Two such pages, one after the other. */
const MAX_REQUESTS = 128;
const RATE_MS = 10_000;

const FORM = 'application/x-www-form-urlencoded';

interface ProxyHost {
  /** Address of the proxies, with a slash at the end. */
  readonly base: string;
  /** A recording plays: the engine asks for nothing, and the service refuses what is asked for nevertheless. */
  readonly isRecording: boolean;
  readonly fetch: (address: string, init: RequestInit) => Promise<Response>;
  readonly clock: TaskClock;
  /** Requests are running, or no longer. */
  readonly changed: (isRunning: boolean) => void;
}

export class ProxyNetwork implements Network {
  abilities: Abilities;
  readonly #host: ProxyHost;
  readonly #rate = new RateLimit(MAX_REQUESTS, RATE_MS);
  #running = 0;
  readonly #waiting = new Set<() => void>();

  constructor(host: ProxyHost, abilities: Abilities) {
    this.#host = host;
    this.abilities = abilities;
  }

  get(url: string, signal: AbortSignal): Promise<NetworkAnswer | NetworkFault> {
    return this.#request(`proxy?url=${encodeURIComponent(url)}`, {}, signal, MAX_MS, answerOf);
  }

  /** @param type of the body */
  post(url: string, body: string, signal: AbortSignal, type = FORM): Promise<NetworkAnswer | NetworkFault> {
    const init = { method: 'POST', headers: { 'content-type': type }, body };
    return this.#request(`post?url=${encodeURIComponent(url)}`, init, signal, MAX_MS, answerOf);
  }

  async confirm(host: string, timeoutMs: number, signal: AbortSignal): Promise<Confirmation | undefined> {
    const path = `confirm?host=${encodeURIComponent(host)}&timeout=${Math.round(timeoutMs)}`;
    const answer = await this.#request(path, {}, signal, timeoutMs + MAX_MS, confirmationOf);
    return typeof answer === 'string' ? undefined : answer;
  }

  async #request<Answer>(
    path: string,
    init: RequestInit,
    signal: AbortSignal,
    limitMs: number,
    read: (response: Response) => Promise<Answer | NetworkFault>,
  ): Promise<Answer | NetworkFault> {
    if (!this.abilities.network) return 'off';
    // A document in a loop must not make the viewer's receiver attack a server.
    if (this.#rate.take(this.#host.clock.now()) > 0) return 'busy';
    if (!(await this.#place(signal))) return signal.aborted ? 'ended' : 'busy';
    const { clock, fetch, base, isRecording } = this.#host;
    const address = base + path + (isRecording ? '&recording=1' : '');
    const ends = new AbortController();
    let isLate = false;
    const end = (): void => ends.abort();
    signal.addEventListener('abort', end);
    const cancel = clock.after(limitMs, () => {
      isLate = true;
      end();
    });
    try {
      // Switched off while it waited.
      if (!this.abilities.network) return 'off';
      return await read(
        await fetch(address, { ...init, signal: ends.signal, cache: 'no-store', redirect: 'error' }),
      );
    } catch {
      if (signal.aborted) return 'ended';
      return isLate ? 'timeout' : 'unreachable';
    } finally {
      cancel();
      signal.removeEventListener('abort', end);
      this.#release();
    }
  }

  /** @returns whether the request may run; else its document has ended, or too many wait */
  async #place(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (this.#running < MAX_RUNNING) {
      if (this.#running++ === 0) this.#host.changed(true);
      return true;
    }
    if (this.#waiting.size >= MAX_WAITING) return false;
    return new Promise((resolve) => {
      const begin = (): void => {
        this.#waiting.delete(begin);
        signal.removeEventListener('abort', end);
        resolve(true);
      };
      const end = (): void => {
        this.#waiting.delete(begin);
        resolve(false);
      };
      signal.addEventListener('abort', end, { once: true });
      this.#waiting.add(begin);
    });
  }

  #release(): void {
    const [next] = this.#waiting;
    if (next !== undefined) next();
    else if (--this.#running === 0) this.#host.changed(false);
  }
}

/** A copy that would have to be asked for is none. RFC 9111, 5.2.2. */
const UNSTORABLE = /\bno-store\b|\bno-cache\b|\bmax-age\s*=\s*"?0+\b/i;

/** Problems of the service by their status. */
const FAULTS: Readonly<Record<number, NetworkFault>> = {
  400: 'refused',
  403: 'refused',
  429: 'busy',
  503: 'busy',
};

async function answerOf(response: Response): Promise<NetworkAnswer | NetworkFault> {
  const { headers } = response;
  const status = Number(headers.get(PEER_STATUS_HEADER));
  if (!response.ok || !(status >= 100)) return FAULTS[response.status] ?? 'unreachable';
  const bytes = await bytesOf(response);
  if (bytes === undefined) return 'size';
  return {
    status,
    type: headers.get(PEER_TYPE_HEADER) ?? undefined,
    url: headers.get(PEER_URL_HEADER) ?? '',
    isStorable: !UNSTORABLE.test(headers.get(PEER_CACHE_HEADER) ?? ''),
    bytes,
  };
}

/** Undefined: too large. */
async function bytesOf({ body }: Response): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (const reader = body?.getReader(); reader !== undefined; ) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > MAX_OCTETS) {
      await reader.cancel();
      return undefined;
    }
    parts.push(value);
  }
  return joinBytes(parts);
}

async function confirmationOf(response: Response): Promise<Confirmation | NetworkFault> {
  if (!response.ok) return FAULTS[response.status] ?? 'unreachable';
  const { reachable, ipAddress, responseTimeMs } = (await response.json()) as ConfirmAnswer;
  return { isReachable: reachable, address: ipAddress, ms: responseTimeMs };
}
