/**
 * Takes out of a damaged database what can be read, into a new one: `svc recover`. The damaged files stay, under other
 * names. Of each table the rows before the first damage and those behind the last are taken; what belongs to a row
 * that was lost goes with it. The guide's index is made anew.
 */
import { Database } from 'bun:sqlite';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { openDatabase, refuseOrphanedLog } from './database.ts';
import { MIGRATIONS } from './migrations.ts';
import { indexAllPending } from './search-index.ts';

export interface RecoveredTable {
  table: string;
  rows: number;
  /** Rows are missing, nobody knows how many. */
  isDamaged: boolean;
}

export interface Recovery {
  tables: RecoveredTable[];
  /** Where the damaged file is now; its log beside it. */
  aside: string;
}

/** Made anew by triggers and by the index. */
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
 * Nobody else may have it open.
 * @param aside what the damaged file is called from then on
 * @throws Error when nothing can be read of it; then everything is as it was
 */
export function recoverDatabase(path: string, aside: string): Recovery {
  refuseOrphanedLog(path);
  if (!existsSync(path)) throw new Error(`${path} is not there`);
  const made = `${path}-recovered`;
  const remove = (): void => {
    for (const suffix of FILES) rmSync(made + suffix, { force: true });
  };
  remove();
  let tables: RecoveredTable[];
  try {
    tables = copied(path, made);
  } catch (error) {
    remove();
    throw error;
  }
  for (const suffix of FILES) if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  renameSync(made, path);
  return { tables, aside };
}

function copied(path: string, made: string): RecoveredTable[] {
  const from = new Database(path, { readonly: true, strict: true });
  try {
    const version = from.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version;
    if (version !== MIGRATIONS.length) {
      throw new Error(
        `${path} is of schema ${version}; only ${MIGRATIONS.length} can be recovered by this version`,
      );
    }
    const to = openDatabase(made);
    try {
      // Rows come table by table, and are fitted together at the end.
      to.run('PRAGMA foreign_keys = OFF');
      to.run('PRAGMA synchronous = FULL');
      const tables = ownTables(to).map((table) => copyTable(from, to, table));
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

function copyTable(from: Database, to: Database, table: string): RecoveredTable {
  const all = to
    .query<{ name: string; pk: number; hidden: number }, []>(`PRAGMA table_xinfo("${table}")`)
    .all()
    .filter(({ hidden }) => hidden === 0);
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
          // Of a type that its column does not take.
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
 * What belongs to lost rows. A station comes again from the agent under its number: until then there is a hidden one in its
 * place. What a lost rule booked is booked by hand from then on: rather recorded than not.
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
  ...['guide_coverage', 'logos'].map(
    (table) => `DELETE FROM ${table} WHERE station_id NOT IN (SELECT id FROM stations)`,
  ),
  ...['recording_files', 'recording_parts', 'recording_measurements', 'recording_seams'].map(
    (table) => `DELETE FROM ${table} WHERE recording_id NOT IN (SELECT id FROM recordings)`,
  ),
];

function mend(database: Database): void {
  database.transaction(() => {
    for (const sql of MENDING) database.run(sql);
    if (database.query('PRAGMA foreign_key_check').get() !== null)
      throw new Error('rows do not fit together');
  })();
}
