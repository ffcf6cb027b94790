/** Opens the database and verifies the tables that the service cannot start without. Part of the composition root. */
import type { Database } from 'bun:sqlite';
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Log } from '../host/log.ts';
import { CancellationStore } from './store/cancellation-store.ts';
import { type CopiedRecordings, setCopiedAside } from './store/data-folder.ts';
import { openDatabase, openReader, refuseOrphanedLog, SchemaTooNew } from './store/database.ts';
import { TROUBLES, troubleOf } from './store/database-error.ts';
import { damagedFields } from './store/integrity-check.ts';
import { ProgramStore } from './store/program-store.ts';
import { RecordingStore } from './store/recording-store.ts';
import { ReservationStore } from './store/reservation-store.ts';
import { RuleStore } from './store/rule-store.ts';
import { SettingStore } from './store/setting-store.ts';
import { StationStore } from './store/station-store.ts';
import { limitLockWait } from './store/transaction.ts';
import { WriteLock } from './store/write-lock.ts';

export const DATABASE_FILE = 'svc.db';

export interface Stores {
  /** Path of the database file. */
  path: string;
  /** The database was created by this start. */
  isNew: boolean;
  /** Recordings of the original when the data folder is a copy of another one; they are not used. */
  copied: readonly CopiedRecordings[];
  /** The main thread's read-write connection. */
  database: Database;
  /** Between that thread and the workers that write. */
  writeLock: WriteLock;
  /** A read-only connection, so that a search does not wait for a write. */
  reader: Database;
  stations: StationStore;
  programs: ProgramStore;
  close(): void;
}

/** SQLite copies the file mode to the WAL: only the service's user can read what the household watches. */
function makePrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  closeSync(openSync(path, 'a', 0o600));
}

/**
 * Reads every table that recordings depend on once, because damage inside the file shows only when it is read, and the
 * service must not start with an unreadable plan.
 * @throws SchemaTooNew, or an Error that names the file, its environment variable and the next step
 */
export function openStores(dataDir: string): Stores {
  const path = join(dataDir, DATABASE_FILE);
  const isNew = !existsSync(path);
  let database: Database | undefined;
  try {
    refuseOrphanedLog(path);
    if (isNew) makePrivate(path);
    database = openDatabase(path);
    const copied = setCopiedAside(database, path);
    const stations = new StationStore(database);
    stations.listed();
    new RuleStore(database).all();
    new ReservationStore(database).all();
    new CancellationStore(database).all();
    new SettingStore(database).all();
    new RecordingStore(database).unfinished();
    const writeLock = new WriteLock();
    limitLockWait(database, writeLock);
    const writer = database;
    const reader = openReader(path);
    const close = (): void => {
      reader.close();
      writer.close();
    };
    const programs = new ProgramStore(database);
    return { path, isNew, copied, database, writeLock, reader, stations, programs, close };
  } catch (error) {
    database?.close();
    if (error instanceof SchemaTooNew) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const kind = troubleOf(error);
    const next = kind === undefined ? '' : `; ${TROUBLES[kind].next}`;
    throw new Error(`database ${path} (DATA_DIR): ${reason}${next}`, { cause: error });
  }
}

/** Damaged fields are treated as missing; each is logged. */
export function logDamage(database: Database, log: Log): void {
  try {
    for (const field of damagedFields(database)) log.error('damaged database field', { ...field });
  } catch (error) {
    log.error('database is damaged', { error: String(error) });
  }
}
