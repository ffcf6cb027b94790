/**
 * Tickets for the WebSocket of live viewing: a browser sends no `Authorization` with its handshake, so it requests a
 * ticket over plain HTTP, where the access decision applies, and puts it into the socket's address.
 */
import type { MonotonicClock, MonotonicMs } from '../../host/clock.ts';
import type { Random } from '../../host/random.ts';
import type { Requester } from '../model/requester.ts';

const LIFETIME_MS = 30_000;
const BYTES = 32;
/** A household opens a handful at a time; beyond this the oldest is dropped. */
const MAX_TICKETS = 256;

interface TicketOptions {
  now: MonotonicClock;
  random: Random;
}

interface Held {
  requester: Requester;
  issuedAt: MonotonicMs;
}

export class LiveTickets {
  /** By ticket, oldest first. */
  readonly #held = new Map<string, Held>();

  constructor(private readonly options: TicketOptions) {}

  /** @param requester for whom the socket will act */
  issue(requester: Requester): string {
    this.#dropExpired();
    if (this.#held.size >= MAX_TICKETS) {
      const [oldest] = this.#held.keys();
      if (oldest !== undefined) this.#held.delete(oldest);
    }
    const ticket = this.options.random(BYTES).toBase64({ alphabet: 'base64url', omitPadding: true });
    this.#held.set(ticket, { requester, issuedAt: this.options.now() });
    return ticket;
  }

  /** Works once, within 30 s. @returns for whom it was issued; undefined: unknown, used or expired */
  redeem(ticket: string): Requester | undefined {
    this.#dropExpired();
    const held = this.#held.get(ticket);
    this.#held.delete(ticket);
    return held?.requester;
  }

  #dropExpired(): void {
    const before = this.options.now() - LIFETIME_MS;
    for (const [ticket, { issuedAt }] of this.#held) {
      if (issuedAt > before) return;
      this.#held.delete(ticket);
    }
  }
}
