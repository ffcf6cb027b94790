/**
 * Logins in progress, with the values that the callback is checked against. Kept by the service, not in the browser,
 * so that each is used once; bound to the browser by a cookie, so that no other browser completes the login.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { MonotonicClock, MonotonicMs } from '../../host/clock.ts';
import type { LoginChecks } from './identity-provider.ts';

/** Time for a password, a second factor and a forgotten tab. */
const LIFETIME_MS = 10 * 60_000;
/** Any client can start logins: ~1 KB each. Beyond this the oldest are dropped. */
const MAX_PENDING = 500;

interface PendingLogin {
  checks: LoginChecks;
  redirectUri: string;
  /** Where the browser wanted to go, an address of the service. */
  to: string;
}

interface Held extends PendingLogin {
  browser: Buffer;
  begunAt: MonotonicMs;
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

export class PendingLogins {
  /** By state, oldest first. */
  readonly #held = new Map<string, Held>();

  constructor(private readonly now: MonotonicClock) {}

  /** @param browser value of its cookie */
  add(login: PendingLogin, browser: string): void {
    this.#dropExpired();
    if (this.#held.size >= MAX_PENDING) {
      const [oldest] = this.#held.keys();
      if (oldest !== undefined) this.#held.delete(oldest);
    }
    this.#held.set(login.checks.state, { ...login, browser: hashOf(browser), begunAt: this.now() });
  }

  /** Works once. @returns undefined: unknown, used, expired, or started by another browser, which keeps it */
  take(state: string, browser: string): PendingLogin | undefined {
    this.#dropExpired();
    const held = this.#held.get(state);
    if (held === undefined || !timingSafeEqual(held.browser, hashOf(browser))) return undefined;
    this.#held.delete(state);
    return held;
  }

  get size(): number {
    return this.#held.size;
  }

  #dropExpired(): void {
    const before = this.now() - LIFETIME_MS;
    for (const [state, { begunAt }] of this.#held) {
      if (begunAt > before) return;
      this.#held.delete(state);
    }
  }
}
