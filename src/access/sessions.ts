/**
 * Login sessions. The cookie carries 32 random bytes and nothing else; the row keeps their hash. An expired session
 * is invalid even before its row is purged.
 */
import { createHash } from 'node:crypto';
import { plusMs } from '../../lib/arib/time.ts';
import type { WallClock } from '../../lib/host/clock.ts';
import type { Log } from '../../lib/host/log.ts';
import type { Random } from '../../lib/host/random.ts';
import type { NewSession, SessionRow, SessionStore } from '../store/session-store.ts';
import { type Write, writeNow } from '../store/transaction.ts';
import type { SessionCheck } from './access.ts';

const SECRET_BYTES = 32;
/** base64url of 32 bytes without padding. */
const SECRET = /^[A-Za-z0-9_-]{43}$/;
/** A household logs in on a few dozen browsers; scripted logins evict the oldest. */
const MAX_SESSIONS = 1_000;
/** Limit of texts from a browser or the identity provider. */
const MAX_TEXT = 200;

interface SessionOptions {
  store: SessionStore;
  lifetimeMs: number;
  purgeIntervalMs: number;
  random: Random;
  /** Default: at once. */
  write?: Write;
  changed: () => void;
  log: Log;
  now: WallClock;
  /** False: `now` may be wrong, and no session is deleted by it. */
  isTimeSure: () => boolean;
}

/** Who logged in, and from where. */
type Login = Pick<NewSession, 'subject' | 'name' | 'address' | 'agent'>;

function hashOf(secret: string): Uint8Array | undefined {
  if (!SECRET.test(secret)) return undefined;
  return createHash('sha256').update(Buffer.from(secret, 'base64url')).digest();
}

export class Sessions implements SessionCheck {
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly options: SessionOptions) {}

  start(): void {
    this.#timer = setInterval(() => void this.#purge(), this.options.purgeIntervalMs);
    void this.#purge();
  }

  /** Idempotent. */
  close(): void {
    clearInterval(this.#timer);
  }

  find(secret: string): { sessionId: number; name: string } | undefined {
    const hash = hashOf(secret);
    const row = hash === undefined ? undefined : this.options.store.find(hash, this.options.now());
    return row === undefined ? undefined : { sessionId: row.id, name: row.name };
  }

  list(): SessionRow[] {
    return this.options.store.list(this.options.now());
  }

  /** @returns value and lifetime of the cookie */
  begin(login: Login): { secret: string; lifetimeMs: number } {
    const { store, lifetimeMs, random, now, changed } = this.options;
    const bytes = random(SECRET_BYTES);
    const createdAt = now();
    const cut = (text: string): string => text.slice(0, MAX_TEXT);
    store.add(
      {
        hash: createHash('sha256').update(bytes).digest(),
        subject: cut(login.subject),
        name: cut(login.name),
        address: login.address,
        agent: cut(login.agent),
        createdAt,
        expiresAt: plusMs(createdAt, lifetimeMs),
      },
      MAX_SESSIONS,
    );
    changed();
    return { secret: bytes.toBase64({ alphabet: 'base64url', omitPadding: true }), lifetimeMs };
  }

  /** Ends the session of this browser only. Unknown ones have already ended. */
  end(secret: string): void {
    const hash = hashOf(secret);
    if (hash !== undefined && this.options.store.remove(hash)) this.options.changed();
  }

  /** Ends the sessions of everyone. @param sessionId the one that is kept; null: none @returns how many were ended */
  endOthers(sessionId: number | null): number {
    const count = this.options.store.removeOthers(sessionId, this.options.now());
    if (count > 0) this.options.changed();
    return count;
  }

  async #purge(): Promise<void> {
    const { store, now, isTimeSure, changed, write = writeNow } = this.options;
    if (!isTimeSure()) return;
    try {
      if ((await write(() => store.purge(now()))) > 0) changed();
    } catch (error) {
      // Reads ignore them; the next purge deletes them.
      this.options.log.warn('expired sessions are not deleted yet', { error: String(error) });
    }
  }
}
