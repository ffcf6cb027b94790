/** Opens the database and checks what the service cannot start without. Part of the composition root. */
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

export const DATABASE_FILE = 'svc.db';

export interface Stores {
  /** The file. */
  path: string;
  /** There was no database in the folder. */
  isNew: boolean;
  /** The database is a copy: recordings of the original, which are left alone. */
  copied: readonly CopiedRecordings[];
  /** The main thread's connection, which writes. */
  database: Database;
  /** A connection that only reads: a search does not wait for a write. */
  reader: Database;
  stations: StationStore;
  programs: ProgramStore;
  close(): void;
}

/** SQLite gives its log the rights of the file: nobody but the service's user reads what the household watches. */
function makePrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  closeSync(openSync(path, 'a', 0o600));
}

/**
 * What recordings depend on is read once: damage inside the file shows at the first reading only, and nothing may start
 * with a plan that cannot be read.
 * @throws SchemaTooNew, or an Error naming the file, the variable that says where it is, and what to do
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
    limitLockWait(database);
    const writer = database;
    const reader = openReader(path);
    const close = (): void => {
      reader.close();
      writer.close();
    };
    return { path, isNew, copied, database, reader, stations, programs: new ProgramStore(database), close };
  } catch (error) {
    database?.close();
    if (error instanceof SchemaTooNew) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const kind = troubleOf(error);
    const next = kind === undefined ? '' : `; ${TROUBLES[kind].next}`;
    throw new Error(`database ${path} (DATA_DIR): ${reason}${next}`, { cause: error });
  }
}

/** A damaged field counts as not said; the log names it for those who look for what is missing. */
export function logDamage(database: Database, log: Log): void {
  try {
    for (const field of damagedFields(database)) log.error('damaged in the database', { ...field });
  } catch (error) {
    log.error('database is damaged', { error: String(error) });
  }
}
