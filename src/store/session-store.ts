/** Rows of login sessions. Of the cookie value only the SHA-256 is stored. */
import type { Database } from 'bun:sqlite';
import type { WallMs } from '../../host/clock.ts';
import { atomically } from './transaction.ts';

export interface SessionRow {
  id: number;
  /** Name of the person, from the identity provider. */
  name: string;
  /** Address and browser of the login. */
  address: string;
  agent: string;
  /** Epoch ms. */
  createdAt: WallMs;
  expiresAt: WallMs;
}

export type NewSession = Omit<SessionRow, 'id'> & { hash: Uint8Array; subject: string };

const COLUMNS = 'id, name, address, agent, created_at AS createdAt, expires_at AS expiresAt';

export class SessionStore {
  constructor(private readonly database: Database) {}

  /** Undefined also for an expired session. @param now epoch ms */
  find(hash: Uint8Array, now: WallMs): SessionRow | undefined {
    const row = this.database
      .query<SessionRow, { hash: Uint8Array; now: WallMs }>(
        `SELECT ${COLUMNS} FROM sessions WHERE hash = $hash AND expires_at > $now`,
      )
      .get({ hash, now });
    return row ?? undefined;
  }

  /** Sessions that are not expired, newest first. */
  list(now: WallMs): SessionRow[] {
    return this.database
      .query<SessionRow, { now: WallMs }>(
        `SELECT ${COLUMNS} FROM sessions WHERE expires_at > $now ORDER BY created_at DESC, id DESC`,
      )
      .all({ now });
  }

  /** @param most maximum number of rows: beyond it the oldest are deleted */
  add(session: NewSession, most: number): number {
    const { hash, subject, name, address, agent, createdAt, expiresAt } = session;
    return atomically(this.database, () => {
      const { lastInsertRowid } = this.database
        .query(
          `INSERT INTO sessions (hash, subject, name, address, agent, created_at, expires_at)
           VALUES ($hash, $subject, $name, $address, $agent, $createdAt, $expiresAt)`,
        )
        .run({ hash, subject, name, address, agent, createdAt, expiresAt });
      this.database
        .query('DELETE FROM sessions WHERE id NOT IN (SELECT id FROM sessions ORDER BY id DESC LIMIT $most)')
        .run({ most });
      return Number(lastInsertRowid);
    });
  }

  /** @returns whether there was one */
  remove(hash: Uint8Array): boolean {
    return atomically(
      this.database,
      () => this.database.query('DELETE FROM sessions WHERE hash = $hash').run({ hash }).changes > 0,
    );
  }

  /**
   * Removes every session but this one. @param id null: every one. @returns number of sessions that had not expired
   */
  removeOthers(id: number | null, now: WallMs): number {
    return atomically(this.database, () => {
      const gone = this.list(now).filter((session) => session.id !== id).length;
      this.database.query('DELETE FROM sessions WHERE id IS NOT $id').run({ id });
      return gone;
    });
  }

  /** @returns number of expired sessions */
  purge(now: WallMs): number {
    return atomically(
      this.database,
      () => this.database.query('DELETE FROM sessions WHERE expires_at <= $now').run({ now }).changes,
    );
  }
}
