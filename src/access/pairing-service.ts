/** Devices that request access: codes are issued, approved by a member, and exchanged for a token once; their tokens. */
import { plusMs } from '../../lib/arib/time.ts';
import type { WallClock, WallMs } from '../../lib/host/clock.ts';
import type { Log } from '../../lib/host/log.ts';
import type { Random } from '../../lib/host/random.ts';
import type { PollError } from '../../lib/wire/api.ts';
import type { AccessToken } from '../model/pairing.ts';
import { databaseFailure } from '../store/database-error.ts';
import type { PairingStore, TokenStore } from '../store/pairing-store.ts';
import { type Write, writeNow } from '../store/transaction.ts';
import { CODE_LIFE_MS, isExpired, nextPairingStep, placeFor } from './pairing-code.ts';
import { hashOf, newSecret, newToken, newUserCode } from './secrets.ts';

/** How long a device that continues to poll gets the error that its code expired; afterwards the code is unknown. */
const LINGER_MS = 60_000;

interface PairingServiceOptions {
  codes: PairingStore;
  tokens: Pick<TokenStore, 'add'>;
  now: WallClock;
  random: Random;
  /** Interval of deleting expired codes. */
  purgeIntervalMs: number;
  /** Default: at once. */
  write?: Write;
  /** A device got its token. */
  onPaired: () => void;
  log: Log;
}

type NewPairing =
  | {
      readonly deviceCode: string;
      /** `XXXX-XXXX`. */
      readonly userCode: string;
    }
  /** Too many codes are pending: time until one of them expires. */
  | { readonly waitMs: number };

/** A device's request for access. */
interface PairingRequest {
  readonly name: string;
  /** The client address; empty: unknown. */
  readonly address: string;
  readonly at: WallMs;
}

/** What the page of a code shows. */
type PairingView =
  | { readonly kind: 'pending'; readonly request: PairingRequest }
  | { readonly kind: 'approved'; readonly name: string }
  /** Unknown or expired. */
  | { readonly kind: 'gone' };

export class PairingService {
  /** Last poll of each code: in memory, so that unauthenticated polls cause no writes. */
  readonly #polls = new Map<number, WallMs>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly options: PairingServiceOptions) {}

  start(): void {
    this.#timer = setInterval(() => void this.#tick(), this.options.purgeIntervalMs);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** @param name as shown to users */
  begin(name: string, address: string): NewPairing {
    const { codes, now, random } = this.options;
    this.#purge();
    return codes.atomically(() => {
      const taken = placeFor(codes.pending(now()), address);
      if (taken !== undefined && 'freeAt' in taken) return { waitMs: taken.freeAt - now() };
      if (taken !== undefined) codes.expire(taken.replaces.id, now());
      const deviceCode = newSecret(random);
      const userCode = this.#unusedUserCode();
      codes.add({
        deviceHash: hashOf(deviceCode),
        userHash: hashOf(userCode),
        ...{ name, address },
        expiresAt: plusMs(now(), CODE_LIFE_MS),
      });
      return { deviceCode, userCode };
    });
  }

  /** The device requests its token. A code yields one once: code and token change together or not at all. */
  poll(deviceCode: string): { token: string } | { error: PollError } {
    const { codes, tokens, now, random, onPaired, log } = this.options;
    const given = codes.atomically(() => {
      const found = codes.ofDevice(hashOf(deviceCode));
      const at = now();
      const lastPollAt = found === undefined ? null : (this.#polls.get(found.id) ?? null);
      const { code, outcome } = nextPairingStep(found?.code, { kind: 'poll', at, lastPollAt });
      if (found === undefined || outcome.kind !== 'hand_over' || code === undefined) {
        if (found !== undefined) this.#polls.set(found.id, at);
        return { error: outcome.kind === 'error' ? outcome.error : 'invalid_grant' } as const;
      }
      const token = newToken(random);
      codes.change(found.id, code, at);
      tokens.add({ hash: hashOf(token), name: found.name, pairedAt: at, approver: outcome.approver });
      return { token, name: found.name, approver: outcome.approver };
    });
    if ('error' in given) return given;
    log.info('device paired', { name: given.name, approver: given.approver });
    onPaired();
    return { token: given.token };
  }

  /** @param userCode as issued */
  view(userCode: string): PairingView {
    const { codes, now } = this.options;
    const found = codes.ofUser(hashOf(userCode));
    if (found === undefined || isExpired(found.code, now())) return { kind: 'gone' };
    const { name, address, code } = found;
    if (code.kind !== 'pending') return { kind: 'approved', name };
    return { kind: 'pending', request: { name, address, at: plusMs(code.expiresAt, -CODE_LIFE_MS) } };
  }

  /** A member sent the form. @param approver for the list of devices */
  approve(userCode: string, approver: string): PairingView {
    const { codes, now, log } = this.options;
    return codes.atomically(() => {
      const found = codes.ofUser(hashOf(userCode));
      const at = now();
      const { code, outcome } = nextPairingStep(found?.code, { kind: 'approve', at, approver });
      if (found === undefined || code === undefined || outcome.kind === 'not_approvable')
        return { kind: 'gone' };
      if (outcome.kind === 'approved') {
        codes.change(found.id, code, at);
        log.info('pairing approved', { name: found.name, address: found.address, approver });
      }
      return { kind: 'approved', name: found.name };
    });
  }

  #unusedUserCode(): string {
    const { codes, random } = this.options;
    // Some forty codes out of 20^8 are in use: a second attempt is almost never needed, a third one never.
    const first = newUserCode(random);
    return codes.ofUser(hashOf(first)) === undefined ? first : newUserCode(random);
  }

  #purge(): void {
    const { codes, now } = this.options;
    for (const id of codes.purge(plusMs(now(), -LINGER_MS))) this.#polls.delete(id);
  }

  /** The database may be unavailable for a while: the next tick tries again. */
  async #tick(): Promise<void> {
    const { write = writeNow } = this.options;
    try {
      await write(() => this.#purge());
    } catch (error) {
      if (databaseFailure(error) === undefined) throw error;
      this.options.log.warn('expired pairing codes stay for now', { error: String(error) });
    }
  }
}

/** The last use of a token is stored once a minute at most. */
const USED_STEP_MS = 60_000;

interface TokenServiceOptions {
  tokens: TokenStore;
  now: WallClock;
  /** The list of tokens changed. */
  onChanged: () => void;
  log: Log;
}

/** Access tokens of paired devices: check, list, revoke. */
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
