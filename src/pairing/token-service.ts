/** Access tokens of paired devices: check, list, revoke. */
import type { WallClock } from '../../host/clock.ts';
import type { Log } from '../../host/log.ts';
import type { AccessToken } from '../model/pairing.ts';
import { databaseFailure } from '../store/database-error.ts';
import type { TokenStore } from '../store/token-store.ts';
import { hashOf } from './secrets.ts';

/** The last use of a token is stored once a minute at most. */
const USED_STEP_MS = 60_000;

interface TokenServiceOptions {
  tokens: TokenStore;
  /** Epoch ms. */
  now: WallClock;
  /** The list of tokens changed. */
  onChanged: () => void;
  log: Log;
}

export class TokenService {
  constructor(private readonly options: TokenServiceOptions) {}

  /** For the access decision; records the use of the token. @returns undefined: unknown or revoked */
  check(token: string): { tokenId: number } | undefined {
    const found = this.options.tokens.active(hashOf(token));
    if (found === undefined) return undefined;
    this.#noteUse(found);
    return { tokenId: found.id };
  }

  list(): AccessToken[] {
    return this.options.tokens.list();
  }

  /** Idempotent. @returns false for an unknown token */
  revoke(id: number): boolean {
    const { tokens, now, onChanged, log } = this.options;
    const done = tokens.revoke(id, now());
    if (done === 'revoked') {
      log.info('device revoked', { id });
      onChanged();
    }
    return done !== 'unknown';
  }

  /** A request is answered even if this cannot be written. */
  #noteUse({ id, usedAt }: AccessToken): void {
    const { tokens, now, onChanged, log } = this.options;
    const at = now();
    // Also stored after the clock was set back, or the time would stay in the future.
    if (usedAt !== null && Math.abs(at - usedAt) < USED_STEP_MS) return;
    try {
      tokens.used(id, at);
      onChanged();
    } catch (error) {
      if (databaseFailure(error) === undefined) throw error;
      log.warn('last use of a token not stored', { id, error: String(error) });
    }
  }
}
