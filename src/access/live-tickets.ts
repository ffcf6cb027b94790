/**
 * Tickets for the WebSocket of live viewing: a browser sends no `Authorization` with its handshake, so it requests a
 * ticket over plain HTTP, where the access decision applies, and puts it into the socket's address.
 */
import type { MonotonicClock } from '../../host/clock.ts';
import type { Random } from '../../host/random.ts';
import { type Requester, requesterKey } from '../model/requester.ts';
import { BoundedPlaces } from './bounded-places.ts';

/** A household opens a handful at a time. */
const LIMITS = { most: 256, mostPerOwner: 32, lifetimeMs: 30_000 };
const BYTES = 32;

interface TicketOptions {
  now: MonotonicClock;
  random: Random;
}

export class LiveTickets {
  readonly #held: BoundedPlaces<Requester>;

  constructor(private readonly options: TicketOptions) {
    this.#held = new BoundedPlaces(LIMITS, options.now);
  }

  /** @param requester for whom the socket will act */
  issue(requester: Requester): string {
    const ticket = this.options.random(BYTES).toBase64({ alphabet: 'base64url', omitPadding: true });
    this.#held.add(ticket, requesterKey(requester), requester);
    return ticket;
  }

  /** Works once, within 30 s. @returns for whom it was issued; undefined: unknown, used or expired */
  redeem(ticket: string): Requester | undefined {
    const requester = this.#held.get(ticket);
    this.#held.delete(ticket);
    return requester;
  }
}
