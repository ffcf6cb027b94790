/** Opens the database and verifies the tables that the service cannot start without. Part of the composition root. */
import type { Database } from 'bun:sqlite';
import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Log } from '../lib/host/log.ts';
import { CancellationStore } from './store/cancellation-store.ts';
import { openReader } from './store/connection.ts';
import { type CopiedRecordings, setCopiedAside } from './store/data-folder.ts';
import { openDatabase, refuseOrphanedLog, SchemaTooNew } from './store/database.ts';
import { codeOf, type DatabaseTroubleKind, TROUBLES, troubleOf } from './store/database-error.ts';
import { damagedFields } from './store/integrity-check.ts';
import { ProgramStore } from './store/program-store.ts';
import { RecordingStore } from './store/recording-store.ts';
import { ReservationStore } from './store/reservation-store.ts';
import { ReservedSpace } from './store/reserved-space.ts';
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

/** A conversion of an earlier version needs 1.4 times the file more: for the log, and because the file grows. */
const ROOM_PER_SIZE = 2;

/** @throws as `openDatabase` */
function openedWithRoom(path: string): Database {
  try {
    return openDatabase(path);
  } catch (error) {
    if (troubleOf(error) !== 'full' || !new ReservedSpace(path).release()) throw error;
    return openDatabase(path);
  }
}

function nextStep(kind: DatabaseTroubleKind, path: string): string {
  if (kind !== 'full') return TROUBLES[kind].next;
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return `${TROUBLES.full.next}: ${Math.ceil((ROOM_PER_SIZE * size) / 1e6) + 16} MB free are enough`;
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
    database = openedWithRoom(path);
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
    // A value that does not fit its column cannot be converted.
    const kind = codeOf(error) === 'SQLITE_CONSTRAINT_DATATYPE' ? 'damaged' : troubleOf(error);
    const next = kind === undefined ? '' : `; ${nextStep(kind, path)}`;
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
