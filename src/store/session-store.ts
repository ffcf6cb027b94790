/** Rows of login sessions. Of the cookie value only the SHA-256 is stored. */
import type { Database } from 'bun:sqlite';
import type { WallMs } from '../../lib/host/clock.ts';
import { execute } from './query.ts';
import { defineTable, plain, type Row } from './table.ts';
import { atomically } from './transaction.ts';

export interface SessionRow {
  id: number;
  /** Name of the person, from the identity provider. */
  name: string;
  /** Address and browser of the login. */
  address: string;
  agent: string;
  createdAt: WallMs;
  expiresAt: WallMs;
}

export type NewSession = Omit<SessionRow, 'id'> & { hash: Uint8Array; subject: string };

const SESSIONS = defineTable<SessionRow>({
  id: plain(),
  name: plain(),
  address: plain(),
  agent: plain(),
  createdAt: plain(),
  expiresAt: plain(),
});
const NEW = ['name', 'address', 'agent', 'createdAt', 'expiresAt'] as const;

export class SessionStore {
  constructor(private readonly database: Database) {}

  /** Undefined also for an expired session. */
  find(hash: Uint8Array, now: WallMs): SessionRow | undefined {
    const row = this.database
      .query<Row, { hash: Uint8Array; now: WallMs }>(
        `SELECT ${SESSIONS.columns()} FROM sessions WHERE hash = $hash AND expires_at > $now`,
      )
      .get({ hash, now });
    return row === null ? undefined : SESSIONS.read(row);
  }

  /** Sessions that are not expired, newest first. */
  list(now: WallMs): SessionRow[] {
    return this.database
      .query<Row, { now: WallMs }>(
        `SELECT ${SESSIONS.columns()} FROM sessions WHERE expires_at > $now ORDER BY created_at DESC, id DESC`,
      )
      .all({ now })
      .map(SESSIONS.read);
  }

  /** @param most maximum number of rows: beyond it the oldest are deleted */
  add(session: NewSession, most: number): number {
    const { hash, subject } = session;
    return atomically(this.database, () => {
      const { lastInsertRowid } = this.database
        .query(`INSERT INTO sessions ${SESSIONS.inserted(NEW, { hash: '$hash', subject: '$subject' })}`)
        .run({ ...SESSIONS.parameters(session, NEW), hash, subject });
      this.database
        .query('DELETE FROM sessions WHERE id NOT IN (SELECT id FROM sessions ORDER BY id DESC LIMIT $most)')
        .run({ most });
      return Number(lastInsertRowid);
    });
  }

  /** @returns whether there was one */
  remove(hash: Uint8Array): boolean {
    return execute(this.database, 'DELETE FROM sessions WHERE hash = $hash', { hash }) > 0;
  }

  /** Removes every session but this one. @param id null: every one. @returns number of sessions that had not expired */
  removeOthers(id: number | null, now: WallMs): number {
    return atomically(this.database, () => {
      const gone = this.list(now).filter((session) => session.id !== id).length;
      this.database.query('DELETE FROM sessions WHERE id IS NOT $id').run({ id });
      return gone;
    });
  }

  /** @returns number of expired sessions */
  purge(now: WallMs): number {
    return execute(this.database, 'DELETE FROM sessions WHERE expires_at <= $now', { now });
  }
}
