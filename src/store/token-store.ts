/** Access tokens of paired devices, as SHA-256 only. A row is never deleted. */
import type { Database } from 'bun:sqlite';
import type { WallMs } from '../../host/clock.ts';
import type { AccessToken } from '../model/pairing.ts';
import { atomically } from './transaction.ts';

interface Row {
  id: number;
  name: string;
  paired_at: WallMs;
  used_at: WallMs | null;
  approver: string;
}

interface NewToken {
  readonly hash: string;
  readonly name: string;
  /** Epoch ms. */
  readonly pairedAt: WallMs;
  readonly approver: string;
}

function read({ id, name, paired_at, used_at, approver }: Row): AccessToken {
  return { id, name, pairedAt: paired_at, usedAt: used_at, approver };
}

const COLUMNS = 'id, name, paired_at, used_at, approver';

export class TokenStore {
  constructor(private readonly database: Database) {}

  /** Part of the transaction that uses up its pairing code. */
  add(token: NewToken): void {
    this.database
      .query(
        `INSERT INTO access_tokens (hash, name, paired_at, approver)
         VALUES ($hash, $name, $pairedAt, $approver)`,
      )
      .run({ ...token });
  }

  /** Undefined if unknown or revoked. */
  active(hash: string): AccessToken | undefined {
    const row = this.database
      .query<Row, { hash: string }>(
        `SELECT ${COLUMNS} FROM access_tokens WHERE hash = $hash AND revoked_at IS NULL`,
      )
      .get({ hash });
    return row === null ? undefined : read(row);
  }

  /** Tokens that are not revoked, latest pairing first. */
  list(): AccessToken[] {
    return this.database
      .query<Row, []>(`SELECT ${COLUMNS} FROM access_tokens WHERE revoked_at IS NULL ORDER BY id DESC`)
      .all()
      .map(read);
  }

  /** @param at epoch ms */
  used(id: number, at: WallMs): void {
    atomically(this.database, () =>
      this.database.query('UPDATE access_tokens SET used_at = $at WHERE id = $id').run({ id, at }),
    );
  }

  /** A token that is already revoked stays unchanged. @param at epoch ms @returns the outcome */
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
