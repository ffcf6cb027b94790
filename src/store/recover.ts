/**
 * `svc recover`: copies the readable part of a damaged database into a new one. The damaged files are kept under
 * other names. From each table it copies the rows before the first and after the last damage, without those that
 * depend on a lost row. The search index is built again.
 *
 * If the file's own schema cannot be read, that of a new database replaces it in a copy of the file: a database that
 * was created in the same way has its tables at the same pages.
 */
import { Database } from 'bun:sqlite';
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { applySteps, migrate, openDatabase, refuseOrphanedLog } from './database.ts';
import { CHANGES, FIRST_VERSION, SCHEMA_VERSION } from './migrations.ts';
import { STEPS } from './schema-by-steps.ts';
import { indexAllPending } from './search-index.ts';

interface RecoveredTable {
  table: string;
  rows: number;
  /** Rows are missing; their number is unknown. */
  isDamaged: boolean;
}

interface Recovery {
  tables: RecoveredTable[];
  /** Path of the damaged file; its log is beside it. */
  aside: string;
}

/** Rebuilt by triggers and by the index. */
const DERIVED: ReadonlySet<string> = new Set([
  'counters',
  'guide_changes',
  'search_pending',
  'program_documents',
  'recording_documents',
]);
const FILES = ['', '-wal', '-shm'] as const;

type Value = string | number | bigint | Uint8Array | null;

/**
 * No other process may have it open.
 * @param aside new name of the damaged file
 * @throws Error if nothing can be read; then nothing is changed
 */
export function recoverDatabase(path: string, aside: string): Recovery {
  refuseOrphanedLog(path);
  if (!existsSync(path)) throw new Error(`${path} does not exist`);
  const made = `${path}-recovered`;
  let tables: RecoveredTable[];
  try {
    tables = copiedAnyhow(path, made);
  } catch (error) {
    remove(made);
    throw error;
  }
  for (const suffix of FILES) if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  renameSync(made, path);
  return { tables, aside };
}

function remove(path: string): void {
  for (const suffix of FILES) rmSync(path + suffix, { force: true });
}

/** With the file's own schema, else with the known one that fits better. @throws Error if no row can be read */
function copiedAnyhow(path: string, made: string): RecoveredTable[] {
  let reason = 'no row of it can be read';
  try {
    const tables = copied(path, made);
    if (rowsOf(tables) > 0) return tables;
  } catch (error) {
    if (error instanceof LaterSchema) throw error;
    reason = error instanceof Error ? error.message : String(error);
  }
  const attempts = LAYOUTS.map((create, index) => copiedAs(create, path, `${made}-${index}`));
  const best = attempts.toSorted((a, b) => soundTables(b) - soundTables(a))[0];
  if (best !== undefined && rowsOf(best.tables) > 0) {
    remove(made);
    renameSync(best.made, made);
  }
  for (const attempt of attempts) remove(attempt.made);
  if (best === undefined || rowsOf(best.tables) === 0) throw new Error(reason);
  return best.tables.map((table) => ({ ...table, isDamaged: true }));
}

function rowsOf(tables: readonly RecoveredTable[]): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}

/** Rows are no measure: with tables at wrong pages the rows of one are read as those of another. */
function soundTables({ tables }: Attempt): number {
  return rowsOf(tables) > 0 ? tables.filter(({ isDamaged }) => !isDamaged).length : -1;
}

interface Attempt {
  made: string;
  tables: RecoveredTable[];
}

/** Without rows if nothing can be read: the error with the file's own schema is more informative. */
function copiedAs(create: (path: string) => Database, path: string, made: string): Attempt {
  const patched = `${path}-known-schema`;
  try {
    putKnownSchema(create, path, patched);
    return { made, tables: copied(patched, made) };
  } catch {
    return { made, tables: [] };
  } finally {
    remove(patched);
  }
}

/**
 * How databases were created; each way puts the tables at other pages. Before the current one the version that most
 * were created with: later changes put more of their schema at pages that hold rows in them, and those of a new
 * database would replace these rows.
 */
const LAYOUTS: readonly ((path: string) => Database)[] = [
  (path) => createdAt(FIRST_VERSION, path),
  openDatabase,
  (path) => created(path, (database) => applySteps(database, STEPS)),
];

/** With the tables of that version: rows that are copied into them are then migrated with them. */
function createdAt(version: number, path: string): Database {
  return created(path, (database) => {
    if (version < FIRST_VERSION) applySteps(database, STEPS.slice(0, version));
    else migrate(database, path, CHANGES.slice(0, version - FIRST_VERSION));
  });
}

function created(path: string, putTables: (database: Database) => void): Database {
  const database = new Database(path, { create: true, strict: true });
  try {
    database.run('PRAGMA journal_mode = WAL');
    putTables(database);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

class LaterSchema extends Error {
  override readonly name = 'LaterSchema';
}

/** SQLite file format, 1.3: bytes of the header that count the pages and say which write counted them. */
const HEADER = { pageSize: 16, changes: 24, pages: 28, validFor: 92 } as const;

/** A copy of the file in which the schema pages are those of an empty database. */
function putKnownSchema(create: (path: string) => Database, path: string, to: string): void {
  remove(to);
  const empty = create(to);
  const pages = empty
    .query<{ page: number }, []>(`SELECT pageno AS page FROM dbstat WHERE name = 'sqlite_schema'`)
    .all();
  empty.run('PRAGMA wal_checkpoint(TRUNCATE)');
  empty.close();
  const schema = readFileSync(to);
  const size = schema.readUInt16BE(HEADER.pageSize);
  remove(to);
  copyFileSync(path, to);
  schema.writeUInt32BE(Math.floor(statSync(to).size / size), HEADER.pages);
  schema.writeUInt32BE(schema.readUInt32BE(HEADER.changes), HEADER.validFor);
  const file = openSync(to, 'r+');
  try {
    for (const { page } of pages) writeSync(file, schema, (page - 1) * size, size, (page - 1) * size);
  } finally {
    closeSync(file);
  }
}

/** @throws LaterSchema, or SQLite's error */
function copied(path: string, made: string): RecoveredTable[] {
  remove(made);
  const from = new Database(path, { readonly: true, strict: true });
  try {
    const stored = from.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version ?? 0;
    const version = stored > 0 ? stored : SCHEMA_VERSION;
    if (version > SCHEMA_VERSION) {
      throw new LaterSchema(`${path} is of schema ${version}; this version knows ${SCHEMA_VERSION}`);
    }
    const to = createdAt(version, made);
    try {
      // Rows are copied table by table; references are repaired at the end.
      to.run('PRAGMA foreign_keys = OFF');
      to.run('PRAGMA synchronous = FULL');
      const tables = ownTables(to).map((table) => {
        // Triggers have added notices of every copied reservation and device; the stored notices are copied instead.
        if (table === 'notices') to.run('DELETE FROM notices');
        return copyTable(from, to, table);
      });
      migrate(to, made);
      mend(to);
      indexAllPending(to);
      return tables;
    } finally {
      to.close();
    }
  } finally {
    from.close();
  }
}

function ownTables(database: Database): string[] {
  return database
    .query<{ name: string }, []>(
      `SELECT l.name FROM pragma_table_list AS l JOIN sqlite_schema AS s ON s.name = l.name
       WHERE l.schema = 'main' AND l.type = 'table' AND l.strict = 1 ORDER BY s.rowid`,
    )
    .all()
    .map(({ name }) => name)
    .filter((name) => !DERIVED.has(name));
}

interface Column {
  name: string;
  /** Position in the primary key; 0: not part of it. */
  pk: number;
}

function storedColumns(database: Database, table: string): Column[] {
  return database
    .query<Column & { hidden: number }, []>(`PRAGMA table_xinfo("${table}")`)
    .all()
    .filter(({ hidden }) => hidden === 0);
}

function copyTable(from: Database, to: Database, table: string): RecoveredTable {
  const known = new Set(storedColumns(from, table).map(({ name }) => name));
  const all = storedColumns(to, table).filter(({ name }) => known.has(name));
  if (all.length === 0) return { table, rows: 0, isDamaged: true };
  const columns = all.map(({ name }) => `"${name}"`);
  const key = all.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  const orderBy = (way: '' | 'DESC'): string => key.map(({ name }) => `"${name}" ${way}`).join(', ');
  const put = to.query<unknown, Value[]>(
    `INSERT OR IGNORE INTO "${table}" (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  let rows = 0;
  let isDamaged = false;
  const take = (order: string): boolean => {
    try {
      const select = from.prepare<Record<string, Value>, []>(
        `SELECT ${columns.join(', ')} FROM "${table}" NOT INDEXED ORDER BY ${order}`,
      );
      for (const row of select.iterate()) {
        try {
          rows += put.run(...all.map(({ name }) => row[name] ?? null)).changes > 0 ? 1 : 0;
        } catch {
          // Its type does not fit its column.
          isDamaged = true;
        }
      }
      return true;
    } catch {
      return false;
    }
  };
  to.transaction(() => {
    if (take(orderBy(''))) return;
    isDamaged = true;
    take(orderBy('DESC'));
  })();
  return { table, rows, isDamaged };
}

/**
 * Handles rows that depend on lost ones. A station is imported again from the agent: until then a hidden one replaces
 * it. Reservations of a lost rule become manual ones, to be safe.
 */
const MENDING: readonly string[] = [
  `INSERT OR IGNORE INTO stations
     (id, type, network_id, service_id, channel, name, service_type, remote_control_key, hidden, seen_at)
   SELECT id, CASE WHEN id / 100000 = 4 THEN 'BS' WHEN id / 100000 IN (6, 7) THEN 'CS' ELSE 'GR' END,
     id / 100000, id % 100000, '', '', 1, 0, 1, 0
   FROM (SELECT station_id AS id FROM programs UNION SELECT station_id FROM recordings
     UNION SELECT station_id FROM reservations)`,
  'UPDATE reservations SET rule_id = NULL WHERE rule_id NOT IN (SELECT id FROM rules)',
  'UPDATE recordings SET rule_id = NULL WHERE rule_id NOT IN (SELECT id FROM rules)',
  'DELETE FROM cancellations WHERE rule_id NOT IN (SELECT id FROM rules)',
  `DELETE FROM notice_deliveries
   WHERE target_id NOT IN (SELECT id FROM notice_targets) OR notice_id NOT IN (SELECT id FROM notices)`,
  ...['guide_coverage', 'logos'].map(
    (table) => `DELETE FROM ${table} WHERE station_id NOT IN (SELECT id FROM stations)`,
  ),
  ...[
    'recording_files',
    'recording_parts',
    'recording_measurements',
    'recording_seams',
    'missing_files',
    'copied_recordings',
    'encodes',
    'encoded_files',
    'recording_captions',
  ].map((table) => `DELETE FROM ${table} WHERE recording_id NOT IN (SELECT id FROM recordings)`),
];

function mend(database: Database): void {
  database.transaction(() => {
    for (const sql of MENDING) database.run(sql);
    if (database.query('PRAGMA foreign_key_check').get() !== null)
      throw new Error('rows do not fit together');
  })();
}
