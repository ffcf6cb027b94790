/**
 * Converts a database of a version before `schema.ts`: its rows move into new tables, then the data is changed as the
 * later version expects it. The search index is filled again in the background.
 */
import type { Database } from 'bun:sqlite';
import { bytesOf, FIRST_ROWS, filesOf, TABLES, TRIGGERS } from './schema.ts';

/** Changes of data by the version that made them, for databases before it. */
const CONVERSIONS: readonly [version: number, sql: string][] = [
  [11, 'INSERT OR IGNORE INTO guide_changes SELECT DISTINCT station_id, 0 FROM programs'],
  [12, `UPDATE recordings SET ${filesOf('recordings.id')}, ${bytesOf('recordings.id')}`],
  // Apostrophes are one in the normal form of texts.
  [
    19,
    `UPDATE cancellations SET title = replace(replace(title, '‘', ''''), '’', '''')
     WHERE title GLOB '*[‘’]*'`,
  ],
  [22, 'UPDATE reservations SET matched_at = start_at WHERE rule_id IS NOT NULL'],
  [24, 'UPDATE recordings SET resumed_at = updated_at WHERE resume_ms IS NOT NULL'],
  // Reasons were sentences.
  [
    34,
    `UPDATE rules SET disabled_reason = CASE
       WHEN disabled_reason LIKE '条件がないため%' THEN '{"code":"no_conditions"}'
       WHEN disabled_reason LIKE '正規表現の処理に時間がかかりすぎる%' THEN '{"code":"too_costly"}'
       WHEN disabled_reason LIKE '正規表現:%' THEN '{"code":"bad_expression"}'
       ELSE json_object('code', 'text', 'text', disabled_reason) END
     WHERE disabled_reason IS NOT NULL`,
  ],
  [
    38,
    `UPDATE encodes SET message = CASE message
       WHEN 'CMの位置が確実でないため、CMをカットせず、元の録画も残しました。' THEN '{"code":"commercials"}'
       WHEN '先に変換したファイルとCMの扱いが違うため、元の録画も残しました。' THEN '{"code":"otherwise"}'
       WHEN '変換したファイルに欠けている部分があるため、元の録画も残しました。' THEN '{"code":"lossy"}'
       WHEN '録画の一部を再生できないため、元の録画も残しました。' THEN '{"code":"short"}'
       WHEN '録画の途中で映像か音声の方式が変わるため、変換できません。元の録画はそのまま残っています。' THEN '{"code":"codec"}'
       WHEN 'この録画には変換できる映像や音声がありません。' THEN '{"code":"unplayable"}'
       WHEN '録画ファイルを読み取れませんでした。フォルダーとディスクを確認してください。' THEN '{"code":"unreadable"}'
       WHEN '変換が途中で止まったため、中止しました。元の録画はそのまま残っています。' THEN '{"code":"stalled"}'
       WHEN '変換に失敗しました。元の録画はそのまま残っています。記録を確認してください。' THEN '{"code":"encoder"}'
       WHEN '変換したファイルに問題が見つかったため、使いません。元の録画はそのまま残っています。' THEN '{"code":"verify"}'
       WHEN 'ディスクの空きが足りないため、変換を待っています。空きを増やすと再開します。' THEN '{"code":"full"}'
       WHEN '録画フォルダーが見つからないため、変換を待っています。' THEN '{"code":"away"}'
       WHEN '字幕を読み取れるまで、変換を待っています。' THEN '{"code":"captions"}'
       WHEN '録画が削除されたため、変換を中止しました。' THEN '{"code":"gone"}'
       WHEN '変換を中止しました。' THEN '{"code":"stopped"}'
       ELSE json_object('code', 'text', 'text', message) END
     WHERE message IS NOT NULL`,
  ],
  // Existing targets get what was added later.
  [50, `UPDATE notice_targets SET events = json_insert(events, '$[#]', 'reminder') WHERE json_valid(events)`],
  [
    52,
    `UPDATE notice_targets SET events = json_insert(events, '$[#]', 'database_trouble')
     WHERE json_valid(events) AND EXISTS (SELECT 1 FROM json_each(events) WHERE value = 'disk_low')`,
  ],
];

/** Since then only data has changed. */
const LAST_TABLES = 51;

/** Tables of other programs (of `.recover`, of a replication) stay as they are. */
const OWN_NAMES = JSON.stringify(
  [...TABLES.matchAll(/^ *CREATE (?:VIRTUAL )?TABLE (\w+)/gm)].map(([, name]) => name),
);
const IS_OWN = `IN (SELECT value FROM json_each('${OWN_NAMES}'))`;

/** Within a transaction, without enforcement of foreign keys. @param version of the database, at least 1 */
export function convertEarlier(database: Database, version: number): void {
  if (version < LAST_TABLES) {
    replaceTables(database);
    convertData(database, version);
    database.run(FIRST_ROWS);
    database.run(`INSERT OR IGNORE INTO search_pending
      SELECT 'program', id FROM programs UNION ALL SELECT 'recording', id FROM recordings`);
    database.run(TRIGGERS);
  } else convertData(database, version);
}

/** Changes the data of that version as the current one expects it. */
export function convertData(database: Database, version: number): void {
  for (const [since, sql] of CONVERSIONS) if (version < since) database.run(sql);
}

function replaceTables(database: Database): void {
  const drop = (select: string): void => {
    const statements = database.query<{ sql: string }, []>(select).all();
    for (const { sql } of statements) database.run(sql);
  };
  drop(`SELECT format('DROP %s "%w"', type, name) AS sql FROM sqlite_schema
        WHERE type IN ('trigger', 'index') AND sql IS NOT NULL AND tbl_name ${IS_OWN}`);
  drop(`SELECT format('DROP TABLE "%w"', name) AS sql FROM pragma_table_list
        WHERE schema = 'main' AND type = 'virtual' AND name ${IS_OWN}`);
  const tables = database
    .query<{ name: string }, []>(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name ${IS_OWN}`,
    )
    .all();
  // Otherwise views and triggers of other programs would follow the tables to their new names.
  database.run('PRAGMA legacy_alter_table = ON');
  try {
    for (const { name } of tables) database.run(`ALTER TABLE "${name}" RENAME TO "earlier_${name}"`);
  } finally {
    database.run('PRAGMA legacy_alter_table = OFF');
  }
  database.run(TABLES);
  for (const { name } of tables) moveRows(database, name);
}

function moveRows(database: Database, table: string): void {
  const columnsOf = (name: string): string[] =>
    database
      .query<{ name: string }, { name: string }>(
        'SELECT name FROM pragma_table_xinfo($name) WHERE hidden = 0',
      )
      .all({ name })
      .map((column) => column.name);
  const kept = new Set(columnsOf(`earlier_${table}`));
  const columns = columnsOf(table).filter((name) => kept.has(name));
  const list = columns.map((name) => `"${name}"`).join(', ');
  database.run(`INSERT INTO "${table}" (${list}) SELECT ${list} FROM "earlier_${table}"`);
  // Ids of deleted rows are not used again.
  const names = { table, earlier: `earlier_${table}` };
  database.query('DELETE FROM sqlite_sequence WHERE name = $table').run({ table });
  database
    .query('INSERT INTO sqlite_sequence SELECT $table, seq FROM sqlite_sequence WHERE name = $earlier')
    .run(names);
  database.run(`DROP TABLE "earlier_${table}"`);
}
