/**
 * Communication by the receiver, as documents use it (ARIB STD-B24 Vol. 2, 7.6.10; TR-B14 Vol. 3, 5.14). A request ends
 * with its document. Requests carry no cookies and nothing that identifies the receiver.
 */
import type { Abilities, NetworkFault } from '../bml-messages.ts';
import type { TaskClock } from './timers.ts';

/** At most `limit` events within `windowMs`: document changes, restarts, sounds. */
export class RateLimit {
  readonly #times: number[] = [];
  readonly #limit: number;
  readonly #windowMs: number;

  constructor(limit: number, windowMs: number) {
    this.#limit = limit;
    this.#windowMs = windowMs;
  }

  /** Ms to wait before the event may happen; 0: now, and it is counted. */
  take(at: number): number {
    while ((this.#times[0] ?? at) <= at - this.#windowMs) this.#times.shift();
    const first = this.#times[0];
    if (first !== undefined && this.#times.length >= this.#limit) return first + this.#windowMs - at;
    this.#times.push(at);
    return 0;
  }

  /** Waits until the event may happen, and counts it. */
  async turn(clock: TaskClock): Promise<void> {
    for (let wait = this.take(clock.now()); wait > 0; wait = this.take(clock.now()))
      await new Promise<void>((resolve) => clock.after(wait, resolve));
  }
}

export interface NetworkAnswer {
  readonly status: number;
  /** Content-Type as sent. */
  readonly type: string | undefined;
  /** Where it was received from, after redirects. */
  readonly url: string;
  /** Whether the server allows a copy to be kept. */
  readonly isStorable: boolean;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface Confirmation {
  readonly isReachable: boolean;
  readonly address: string | null;
  readonly ms: number | null;
}

export interface Network {
  readonly abilities: Abilities;
  get(url: string, signal: AbortSignal): Promise<NetworkAnswer | NetworkFault>;
  /** @param form body as application/x-www-form-urlencoded, ASCII */
  post(url: string, form: string, signal: AbortSignal): Promise<NetworkAnswer | NetworkFault>;
  /** Whether the host answers. Undefined: it was not tried. */
  confirm(host: string, timeoutMs: number, signal: AbortSignal): Promise<Confirmation | undefined>;
}

export const NO_NETWORK: Network = {
  abilities: { network: false, applications: false },
  get: () => Promise.resolve('off'),
  post: () => Promise.resolve('off'),
  confirm: () => Promise.resolve(undefined),
};
