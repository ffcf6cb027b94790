/** Pairing codes of devices that request access. Only hashes of the codes are stored. */
import type { Database } from 'bun:sqlite';
import type { WallMs } from '../../host/clock.ts';
import type { PairingCode } from '../model/pairing.ts';
import { atomically } from './transaction.ts';

interface Row {
  id: number;
  name: string;
  address: string;
  expires_at: WallMs;
  approver: string | null;
  consumed_at: number | null;
}

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

function codeOf({ expires_at: expiresAt, approver, consumed_at }: Row): PairingCode {
  if (consumed_at !== null) return { kind: 'consumed', expiresAt };
  return approver === null ? { kind: 'pending', expiresAt } : { kind: 'approved', expiresAt, approver };
}

const COLUMNS = 'id, name, address, expires_at, approver, consumed_at';

export class PairingStore {
  constructor(private readonly database: Database) {}

  /** Runs in one transaction. @throws the error of `act`; nothing is stored then */
  atomically<T>(act: () => T): T {
    return atomically(this.database, act);
  }

  /** Codes that wait for approval, the next to expire first. */
  pending(now: WallMs): { address: string; expiresAt: WallMs }[] {
    return this.database
      .query<{ address: string; expiresAt: WallMs }, { now: WallMs }>(
        `SELECT address, expires_at AS expiresAt FROM pairing_codes
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

  /** @param at epoch ms */
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

  /** Deletes codes that ended before, epoch ms. @returns their ids */
  purge(before: WallMs): number[] {
    return atomically(this.database, () =>
      this.database
        .query<{ id: WallMs }, { before: number }>(
          'DELETE FROM pairing_codes WHERE expires_at < $before RETURNING id',
        )
        .all({ before })
        .map(({ id }) => id),
    );
  }

  #find(column: 'device_hash' | 'user_hash', hash: string): StoredCode | undefined {
    const row = this.database
      .query<Row, { hash: string }>(`SELECT ${COLUMNS} FROM pairing_codes WHERE ${column} = $hash`)
      .get({ hash });
    if (row === null) return undefined;
    const { id, name, address } = row;
    return { id, name, address, code: codeOf(row) };
  }
}
