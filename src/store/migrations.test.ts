/** A database of every earlier version, with rows in it, is migrated to the current one. */
import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import type { ProgramId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { encodeReasonText } from '../encode/encode-reason-text.ts';
import { ENCODE_REASONS } from '../model/encode-reason.ts';
import { ruleItem } from '../schedule/rule-body.ts';
import { migrate } from './database.ts';
import { FIRST_VERSION, SCHEMA_VERSION } from './migrations.ts';
import { RuleStore } from './rule-store.ts';
import { STEPS } from './schema-by-steps.ts';
import { indexAllPending } from './search-index.ts';
import { SearchStore } from './search-store.ts';

function stepBefore(text: string): number {
  const before = STEPS.findIndex((sql) => sql.includes(text));
  expect(before).toBeGreaterThan(0);
  return before;
}

function made(version: number): Database {
  const database = new Database(':memory:', { strict: true });
  for (const sql of STEPS.slice(0, version)) database.run(sql);
  database.run(`PRAGMA user_version = ${version}`);
  database.run('PRAGMA foreign_keys = ON');
  return database;
}

function old(version: number): Database {
  const database = made(version);
  database.run(
    `INSERT INTO stations (id, type, network_id, service_id, channel, name, service_type, remote_control_key, seen_at)
     VALUES (101, 'BS', 4, 101, 'BS01_0', '衛星', 1, 101, 0)`,
  );
  database.run(
    `INSERT INTO programs (id, station_id, event_id, start_at, end_at, open_end, name, description, genres, audios,
       is_free, copy_never, updated_at)
     VALUES (10100007, 101, 7, 1000, 2000, 0, '古くからの番組', '説明', '[]', '[]', 1, 0, 0)`,
  );
  return database;
}

/** Written by triggers and by the index alone, or counted differently. */
const DERIVED: ReadonlySet<string> = new Set(['counters', 'guide_changes', 'search_pending']);

function tablesOf(database: Database): string[] {
  return database
    .query<{ name: string }, []>(`SELECT name FROM pragma_table_list WHERE strict = 1 ORDER BY name`)
    .all()
    .map(({ name }) => name)
    .filter((name) => !DERIVED.has(name));
}

/** Values that a column's type alone does not give. */
const VALUES: Readonly<Record<string, string | number>> = {
  'recordings.state': 'recorded',
  'recordings.resume_ms': 5,
  'recordings.verdict': '{"level":"damaged"}',
  'reservations.state': 'scheduled',
  'recording_files.source': 'ts',
  'recording_files.path': '/a',
  'recording_parts.path': '/b',
  'cancellations.title': 'let’s',
  'rules.disabled_reason': '正規表現: 複雑すぎます。',
  'encodes.message': '変換を中止しました。',
  'notice_targets.events': '["disk_low"]',
  'encode_queue.only': 1,
};

/** The same values in the form of the current version, where that is another one. */
function currentValues(version: number): Readonly<Record<string, string | number>> {
  const events = ['disk_low', ...(version < 50 ? ['reminder'] : []), 'database_trouble'];
  return {
    ...VALUES,
    'cancellations.title': version < 19 ? "let's" : 'let’s',
    'rules.disabled_reason': version < 34 ? '{"code":"bad_expression"}' : '正規表現: 複雑すぎます。',
    'encodes.message': version < 38 ? '{"code":"stopped"}' : '変換を中止しました。',
    'notice_targets.events': JSON.stringify(version < FIRST_VERSION ? events : ['disk_low']),
    // Sums over the files.
    ...(version < 12 ? { 'recordings.files': 1, 'recordings.bytes': version < 8 ? 1 : 2 } : {}),
  };
}

/** Every table of that version has a row, with the id 1 where it has one; those after it were deleted. */
function filled(version: number, values = VALUES): Database {
  const database = made(version);
  database.run('PRAGMA foreign_keys = OFF');
  for (const table of tablesOf(database)) {
    const columns = database
      .query<{ name: string; type: string }, [string]>(
        'SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden = 0',
      )
      .all(table);
    const valueFor = ({ name, type }: { name: string; type: string }) =>
      values[`${table}.${name}`] ??
      { INTEGER: 1, REAL: 0.5, BLOB: Uint8Array.of(1) }[type] ??
      (/genres|audios|groups|files|parts|blockers|alternatives|conditions/.test(name) ? '[]' : `${name}'s`);
    database.run(
      `INSERT OR REPLACE INTO "${table}" (${columns.map(({ name }) => `"${name}"`).join(', ')})
       VALUES (${columns.map(() => '?').join(', ')})`,
      columns.map(valueFor),
    );
  }
  if (lastIds(database).size > 0) database.run('UPDATE sqlite_sequence SET seq = 9');
  return database;
}

type Row = Readonly<Record<string, unknown>>;

function contentOf(database: Database): Map<string, Row[]> {
  const rowsOf = (table: string) => database.query<Row, []>(`SELECT * FROM "${table}" ORDER BY 1`).all();
  return new Map(tablesOf(database).map((table) => [table, rowsOf(table)]));
}

/** Ids of deleted rows are not used again. */
function lastIds(database: Database): Set<string> {
  if (database.query("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'").get() === null)
    return new Set();
  const rows = database
    .query<{ name: string; seq: number }, []>('SELECT name, seq FROM sqlite_sequence')
    .all();
  return new Set(rows.map(({ name, seq }) => `${name} ${seq}`));
}

/** Of each table, index and trigger, without comments and white space. */
function schemaOf(database: Database): Map<string, string> {
  const rows = database
    .query<{ name: string; sql: string }, []>(
      'SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name',
    )
    .all();
  const plain = (sql: string) => sql.replaceAll(/--.*/g, '').replaceAll(/\s*([(),])\s*|\s+/g, '$1 ');
  return new Map(rows.map(({ name, sql }) => [name, plain(sql)]));
}

describe('migrations', () => {
  test('the history that is tested leads to the tables of the schema', () => {
    expect(STEPS).toHaveLength(FIRST_VERSION);
  });

  for (let version = 1; version <= FIRST_VERSION; version++) {
    test(`from version ${version} keep stored data, which searches find`, async () => {
      const database = old(version);
      migrate(database, ':memory:');
      expect(database.query('PRAGMA user_version').get()).toEqual({ user_version: SCHEMA_VERSION });
      expect(database.query('PRAGMA foreign_keys').get()).toEqual({ foreign_keys: 1 });
      expect(database.query('SELECT name, end_at FROM programs').get()).toEqual({
        name: '古くからの番組',
        end_at: 2000,
      });
      expect(database.query('SELECT station_id FROM guide_changes').all()).toEqual([{ station_id: 101 }]);
      expect(database.query('PRAGMA foreign_key_check').all()).toEqual([]);
      expect(database.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
      indexAllPending(database);
      const { rows } = await new SearchStore(database).programs(['古くから'], 4, broadcastMs(1500));
      expect(rows.map((row) => row.id)).toEqual([10100007 as ProgramId]);
      database.close();
    });

    test(`from version ${version} lead to the tables of a new database, and rows stay as they are`, () => {
      const database = filled(version);
      const before = contentOf(database);
      const idsBefore = lastIds(database);
      migrate(database, ':memory:');
      const fresh = new Database(':memory:', { strict: true });
      migrate(fresh, ':memory:');
      expect(schemaOf(database)).toEqual(schemaOf(fresh));
      const expected = contentOf(filled(FIRST_VERSION, currentValues(version)));
      const after = contentOf(database);
      const known = (rows: Row[] | undefined, table: string) => {
        const columns = new Set(Object.keys(before.get(table)?.[0] ?? {}));
        return rows?.map((row) =>
          Object.fromEntries(Object.entries(row).filter(([name]) => columns.has(name))),
        );
      };
      for (const table of before.keys()) {
        expect([table, known(after.get(table), table)]).toEqual([table, known(expected.get(table), table)]);
      }
      expect(lastIds(database)).toEqual(lastIds(database).union(idsBefore));
      for (const one of [database, fresh]) one.close();
    });
  }
});

test('tables, views and triggers of other programs stay as they are', () => {
  const database = old(49);
  for (const sql of [
    'CREATE TABLE lost_and_found (rootpgno INTEGER, pgno INTEGER, c0)',
    'INSERT INTO lost_and_found VALUES (1, 2, 3)',
    'CREATE INDEX lost_by_page ON lost_and_found (pgno)',
    'CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)',
    'CREATE VIEW names AS SELECT name FROM programs',
    `CREATE TRIGGER lost_named AFTER INSERT ON lost_and_found BEGIN UPDATE programs SET name = new.c0; END`,
    'CREATE VIRTUAL TABLE notes USING fts5 (text)',
    "INSERT INTO notes VALUES ('memo')",
  ])
    database.run(sql);
  migrate(database, ':memory:');
  expect(database.query('SELECT * FROM lost_and_found').all()).toEqual([{ rootpgno: 1, pgno: 2, c0: 3 }]);
  expect(database.query("SELECT count(*) AS n FROM notes WHERE text MATCH 'memo'").get()).toEqual({ n: 1 });
  database.run("INSERT INTO lost_and_found VALUES (1, 2, '別の名前')");
  expect(database.query('SELECT name FROM names').all()).toEqual([{ name: '別の名前' }]);
  const kept = database
    .query("SELECT name FROM sqlite_schema WHERE name IN ('lost_by_page', '_litestream_seq') ORDER BY name")
    .all();
  expect(kept).toEqual([{ name: '_litestream_seq' }, { name: 'lost_by_page' }]);
  expect(database.query('PRAGMA legacy_alter_table').get()).toEqual({ legacy_alter_table: 0 });
  database.close();
});

test('texts with curved apostrophes are normalised again', () => {
  const database = old(stepBefore('Apostrophes'));
  database.run("UPDATE programs SET name = 'Let’s'");
  database.run('DELETE FROM search_pending');
  database.run(
    "INSERT INTO cancellations (type, channel, title, start_at, cancelled_at) VALUES ('BS', 'BS01_0', 'let’s', 1, 0)",
  );
  migrate(database, ':memory:');
  expect(database.query('SELECT kind, id FROM search_pending').all()).toEqual([
    { kind: 'program', id: 10100007 },
  ]);
  expect(database.query('SELECT title FROM cancellations').get()).toEqual({ title: "let's" });
  database.close();
});

test('sentences of disabled rules become codes; those without a code stay as written', () => {
  const database = old(stepBefore('as a code (JSON)'));
  const sentences = [
    '条件がないため、ルールを無効にしました。',
    '正規表現: 複雑すぎます。',
    '手で書かれた理由',
    null,
  ];
  for (const sentence of sentences)
    database.run(
      `INSERT INTO rules (name, enabled, disabled_reason, conditions, created_at, updated_at)
       VALUES ('', 0, ?, '{"keyword":"(","regex":true}', 0, 0)`,
      [sentence],
    );
  migrate(database, ':memory:');
  const rules = new RuleStore(database).all();
  expect(rules.map(({ disabledReason }) => disabledReason)).toEqual([
    { code: 'no_conditions' },
    { code: 'bad_expression' },
    { code: 'text', text: '手で書かれた理由' },
    null,
  ]);
  expect(rules.map((rule) => ruleItem(rule).disabledReason)).toEqual([
    expect.stringContaining('条件'),
    expect.stringMatching(/^正規表現: /),
    '手で書かれた理由',
    null,
  ]);
  database.close();
});

test('sentences of encodes become codes; those without a code stay as written', () => {
  const database = old(stepBefore('UPDATE encodes SET message = CASE'));
  // Newer codes had no sentence in the database.
  const codes = ENCODE_REASONS.filter((code) => code !== 'data' && code !== 'data_lost');
  const sentences = [...codes.map((code) => encodeReasonText({ code })), '別の版が書いた理由', null];
  database.run(
    `INSERT INTO recordings (id, station_id, service_name, state, name, description, start_at, end_at, created_at, updated_at)
     VALUES (1, 101, '', 'recorded', '', '', 0, 1, 0, 0)`,
  );
  for (const [position, sentence] of sentences.entries())
    database.run(
      `INSERT INTO encodes (recording_id, state, position, codecs, keep_ts, commercials, quality, automatic, ready_at,
         message, created_at)
       VALUES (1, 'failed', ?, 'av1', 1, 'none', 'small', 0, 0, ?, 0)`,
      [position, sentence],
    );
  migrate(database, ':memory:');
  const stored = database
    .query<{ message: string | null }, []>('SELECT message FROM encodes ORDER BY position')
    .all()
    .map(({ message }) => (message === null ? null : JSON.parse(message)));
  expect(stored).toEqual([
    ...codes.map((code) => ({ code })),
    { code: 'text', text: '別の版が書いた理由' },
    null,
  ]);
  database.close();
});

function migrated(): Database {
  const database = old(FIRST_VERSION);
  migrate(database, ':memory:');
  return database;
}

test('changes of listed tables are counted', () => {
  const database = migrated();
  const count = (name: string) =>
    database.query<{ value: number }, [string]>('SELECT value FROM counters WHERE name = ?').get(name)
      ?.value ?? -1;
  const before = { programs: count('programs'), stations: count('stations') };
  database.run('UPDATE programs SET end_at = end_at + 1');
  expect(count('programs')).toBe(before.programs + 1);
  database.run('DELETE FROM programs');
  expect(count('programs')).toBe(before.programs + 2);
  expect(count('stations')).toBe(before.stations);
  database.run("INSERT INTO rules (name, conditions, created_at, updated_at) VALUES ('r', '{}', 0, 0)");
  expect([count('rules'), count('reservations'), count('recordings')]).toEqual([1, 0, 0]);
  database.close();
});

test('a programme has one reservation; deleting a rule deletes its cancellations and keeps reservations', () => {
  const database = migrated();
  database.run("INSERT INTO rules (name, conditions, created_at, updated_at) VALUES ('r', '{}', 0, 0)");
  const insert = `INSERT INTO reservations (program_id, station_id, rule_id, state, priority, name, description,
    start_at, end_at, created_at, updated_at) VALUES (10100007, 101, 1, 'scheduled', 1, 'n', '', 1, 2, 0, 0)`;
  database.run(insert);
  expect(() => database.run(insert)).toThrow(/UNIQUE/);
  database.run(
    "INSERT INTO cancellations (rule_id, type, channel, title, start_at, cancelled_at) VALUES (1, 'BS', 'BS01_0', 't', 1, 0)",
  );
  database.run('DELETE FROM rules');
  expect(database.query('SELECT count(*) AS n FROM cancellations').get()).toEqual({ n: 0 });
  expect(database.query('SELECT rule_id FROM reservations').get()).toEqual({ rule_id: null });
  database.close();
});
