/** Devices: pairing codes while they request access, and access tokens. Only hashes of both are stored. */
import type { Database } from 'bun:sqlite';
import type { WallMs } from '../../lib/host/clock.ts';
import type { AccessToken, PairingCode, PendingCode } from '../model/pairing.ts';
import { execute, idsOf } from './query.ts';
import { storedText } from './stored-json.ts';
import { defineTable, joined, plain, type Row } from './table.ts';
import { atomically } from './transaction.ts';

interface StoredCode {
  readonly id: number;
  /** The name that the device sent. */
  readonly name: string;
  /** The client address that requested it; empty: unknown. */
  readonly address: string;
  readonly code: PairingCode;
}

/** Times in epoch ms. */
interface NewCode {
  readonly deviceHash: string;
  readonly userHash: string;
  readonly name: string;
  readonly address: string;
  readonly expiresAt: WallMs;
}

const EXPIRES = plain<WallMs>();

function codeOf(row: Row): PairingCode {
  const expiresAt = EXPIRES.read(row, 'expires_at');
  if (row.consumed_at !== null) return { kind: 'consumed', expiresAt };
  return row.approver === null
    ? { kind: 'pending', expiresAt }
    : { kind: 'approved', expiresAt, approver: storedText(row.approver) };
}

const CODES = defineTable<StoredCode>({
  id: plain(),
  name: plain(),
  address: plain(),
  code: joined(['expires_at', 'approver', 'consumed_at'], codeOf, () => {
    throw new Error('columns of a code change one by one');
  }),
});

export class PairingStore {
  constructor(private readonly database: Database) {}

  /** Runs in one transaction. @throws the error of `act`; nothing is stored then */
  atomically<T>(act: () => T): T {
    return atomically(this.database, act);
  }

  /** Codes that wait for approval, the next to expire first. */
  pending(now: WallMs): PendingCode[] {
    return this.database
      .query<PendingCode, { now: WallMs }>(
        `SELECT id, address, expires_at AS expiresAt FROM pairing_codes
         WHERE expires_at > $now AND approver IS NULL AND consumed_at IS NULL ORDER BY expires_at`,
      )
      .all({ now });
  }

  add(code: NewCode): void {
    this.database
      .query(
        `INSERT INTO pairing_codes (device_hash, user_hash, name, address, expires_at)
         VALUES ($deviceHash, $userHash, $name, $address, $expiresAt)`,
      )
      .run({ ...code });
  }

  ofDevice(hash: string): StoredCode | undefined {
    return this.#find('device_hash', hash);
  }

  ofUser(hash: string): StoredCode | undefined {
    return this.#find('user_hash', hash);
  }

  change(id: number, code: PairingCode, at: WallMs): void {
    this.database
      .query(
        `UPDATE pairing_codes SET approver = coalesce($approver, approver), consumed_at = $consumedAt
         WHERE id = $id`,
      )
      .run({
        id,
        approver: code.kind === 'approved' ? code.approver : null,
        consumedAt: code.kind === 'consumed' ? at : null,
      });
  }

  /** The code is no longer valid. */
  expire(id: number, at: WallMs): void {
    this.database.query('UPDATE pairing_codes SET expires_at = $at WHERE id = $id').run({ id, at });
  }

  /** Deletes codes that ended before, epoch ms. @returns their ids */
  purge(before: WallMs): number[] {
    return atomically(this.database, () =>
      idsOf<WallMs>(this.database, 'DELETE FROM pairing_codes WHERE expires_at < $before RETURNING id', {
        before,
      }),
    );
  }

  #find(column: 'device_hash' | 'user_hash', hash: string): StoredCode | undefined {
    const row = this.database
      .query<Row, { hash: string }>(`SELECT ${CODES.columns()} FROM pairing_codes WHERE ${column} = $hash`)
      .get({ hash });
    return row === null ? undefined : CODES.read(row);
  }
}

interface NewToken {
  readonly hash: string;
  readonly name: string;
  readonly pairedAt: WallMs;
  readonly approver: string;
}

const TOKENS = defineTable<AccessToken>({
  id: plain(),
  name: plain(),
  pairedAt: plain(),
  usedAt: plain(),
  approver: plain(),
});
const NEW_TOKEN = ['name', 'pairedAt', 'approver'] as const;

/** A row is never deleted. */
export class TokenStore {
  constructor(private readonly database: Database) {}

  /** Part of the transaction that uses up its pairing code. */
  add(token: NewToken): void {
    this.database
      .query(`INSERT INTO access_tokens ${TOKENS.inserted(NEW_TOKEN, { hash: '$hash' })}`)
      .run({ ...TOKENS.parameters(token, NEW_TOKEN), hash: token.hash });
  }

  /** Undefined if unknown or revoked. */
  active(hash: string): AccessToken | undefined {
    const row = this.database
      .query<Row, { hash: string }>(
        `SELECT ${TOKENS.columns()} FROM access_tokens WHERE hash = $hash AND revoked_at IS NULL`,
      )
      .get({ hash });
    return row === null ? undefined : TOKENS.read(row);
  }

  /** Tokens that are not revoked, latest pairing first. */
  list(): AccessToken[] {
    return this.database
      .query<Row, []>(
        `SELECT ${TOKENS.columns()} FROM access_tokens WHERE revoked_at IS NULL ORDER BY id DESC`,
      )
      .all()
      .map(TOKENS.read);
  }

  used(id: number, at: WallMs): void {
    execute(this.database, 'UPDATE access_tokens SET used_at = $at WHERE id = $id', { id, at });
  }

  /** A token that is already revoked stays unchanged. @returns the outcome */
  revoke(id: number, at: WallMs): 'revoked' | 'revoked_before' | 'unknown' {
    return atomically(this.database, () => {
      const { changes } = this.database
        .query('UPDATE access_tokens SET revoked_at = $at WHERE id = $id AND revoked_at IS NULL')
        .run({ id, at });
      if (changes > 0) return 'revoked';
      const known = this.database.query('SELECT 1 FROM access_tokens WHERE id = $id').get({ id });
      return known === null ? 'unknown' : 'revoked_before';
    });
  }
}
