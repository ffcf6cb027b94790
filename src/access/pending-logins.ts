/**
 * Logins in progress, with the values that the callback is checked against. Kept by the service, not in the browser,
 * so that each is used once; bound to the browser by a cookie, so that no other browser completes the login.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { MonotonicClock } from '../../host/clock.ts';
import { ownerOf } from '../../host/networks.ts';
import { BoundedPlaces } from './bounded-places.ts';
import type { LoginChecks } from './identity-provider.ts';

/** Time for a password, a second factor and a forgotten tab. Any client can start logins: ~1 KB each. */
const LIMITS = { most: 500, mostPerOwner: 20, lifetimeMs: 10 * 60_000 };

interface PendingLogin {
  checks: LoginChecks;
  redirectUri: string;
  /** Where the browser wanted to go, an address of the service. */
  to: string;
}

interface Held extends PendingLogin {
  browser: Buffer;
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

export class PendingLogins {
  /** By state. */
  readonly #held: BoundedPlaces<Held>;

  constructor(now: MonotonicClock) {
    this.#held = new BoundedPlaces(LIMITS, now);
  }

  /** @param browser value of its cookie @param address of the client */
  add(login: PendingLogin, browser: string, address: string): void {
    this.#held.add(login.checks.state, ownerOf(address), { ...login, browser: hashOf(browser) });
  }

  /** Works once. @returns undefined: unknown, used, expired, or started by another browser, which keeps it */
  take(state: string, browser: string): PendingLogin | undefined {
    const held = this.#held.get(state);
    if (held === undefined || !timingSafeEqual(held.browser, hashOf(browser))) return undefined;
    this.#held.delete(state);
    return held;
  }

  /** Whether a login of this browser is in progress. */
  knows(browser: string): boolean {
    const hash = hashOf(browser);
    return this.#held.some((held) => timingSafeEqual(held.browser, hash));
  }

  get size(): number {
    return this.#held.size;
  }
}
