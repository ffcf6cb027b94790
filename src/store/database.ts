/** Opens the service's one SQLite file, sets it up for several writers and brings its schema up to date. */
import { Database } from 'bun:sqlite';
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { prepareWriter, waitForLock } from './connection.ts';
import { CHANGES, FIRST_VERSION, SCHEMA_VERSION } from './migrations.ts';
import { SCHEMA } from './schema.ts';
import { STEPS } from './schema-by-steps.ts';

export class SchemaTooNew extends Error {
  override readonly name = 'SchemaTooNew';
  constructor(path: string, found: number, known: number) {
    super(
      `${path} was written by a newer version (schema ${found}, this version knows ${known}); ` +
        'install the newer version again or restore a backup of the database',
    );
  }
}

function schemaVersion(database: Database): number {
  const row = database.query<{ user_version: number }, []>('PRAGMA user_version').get();
  return row?.user_version ?? 0;
}

/**
 * Applies those steps that the database misses, each in its own transaction.
 * @param before version of the database before the first step
 */
export function applySteps(database: Database, steps: readonly string[], before = 0): void {
  for (const [index, sql] of steps.entries()) {
    const version = before + index + 1;
    if (schemaVersion(database) >= version) continue;
    database
      .transaction(() => {
        // Another process may have migrated while this one waited for the lock.
        if (schemaVersion(database) >= version) return;
        database.run(sql);
        database.run(`PRAGMA user_version = ${version}`);
      })
      .immediate();
  }
}

/**
 * Creates the tables, or applies missing steps and changes.
 * @throws SchemaTooNew if the file is from a newer version; it is not changed then.
 */
export function migrate(database: Database, path: string, changes: readonly string[] = CHANGES): void {
  const found = schemaVersion(database);
  const known = FIRST_VERSION + changes.length;
  if (found > known) throw new SchemaTooNew(path, found, known);
  if (found === 0) applySteps(database, [SCHEMA], FIRST_VERSION - 1);
  applySteps(database, STEPS);
  applySteps(database, changes, FIRST_VERSION);
}

/** Whether a log exists without its database file. */
export function isLogOrphaned(path: string): boolean {
  const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return sizeOf(path) === 0 && sizeOf(`${path}-wal`) > 0;
}

/**
 * A log without its database: SQLite would create an empty database and remove the log.
 * @throws Error with the next step
 */
export function refuseOrphanedLog(path: string): void {
  if (!isLogOrphaned(path)) return;
  throw new Error(
    `the file is missing or empty, but its log ${path}-wal is there: put back svc.db and svc.db-wal as they belong ` +
      'together, or move the log away to start with an empty database',
  );
}

/**
 * @param path a file, created with its folder if missing, or `:memory:`
 * @throws SchemaTooNew, or the file system's or SQLite's error
 */
export function openDatabase(path: string): Database {
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
  const database = new Database(path, { create: true, strict: true });
  try {
    waitForLock(database);
    if (schemaVersion(database) > SCHEMA_VERSION) {
      throw new SchemaTooNew(path, schemaVersion(database), SCHEMA_VERSION);
    }
    database.run('PRAGMA journal_mode = WAL');
    prepareWriter(database);
    migrate(database, path);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}
