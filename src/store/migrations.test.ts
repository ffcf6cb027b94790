/** A database of every earlier version, with rows in it, is migrated to the current one. */
import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import type { ProgramId } from '../../arib/ids.ts';
import { broadcastMs } from '../../arib/time.ts';
import { encodeReasonText } from '../encode/encode-reason-text.ts';
import { ENCODE_REASONS } from '../model/encode-reason.ts';
import { ruleItem } from '../schedule/rule-body.ts';
import { migrate } from './database.ts';
import { MIGRATIONS } from './migrations.ts';
import { RuleStore } from './rule-store.ts';
import { indexAllPending } from './search-index.ts';
import { SearchStore } from './search-store.ts';

function old(version: number): Database {
  const database = new Database(':memory:', { strict: true });
  database.run('PRAGMA foreign_keys = ON');
  migrate(database, ':memory:', MIGRATIONS.slice(0, version));
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

describe('migrations', () => {
  for (let version = 1; version <= MIGRATIONS.length; version++) {
    test(`from version ${version} keep stored data, which searches find`, async () => {
      const database = old(version);
      migrate(database, ':memory:');
      expect(database.query('PRAGMA user_version').get()).toEqual({ user_version: MIGRATIONS.length });
      expect(database.query('SELECT name, end_at FROM programs').get()).toEqual({
        name: '古くからの番組',
        end_at: 2000,
      });
      expect(database.query('PRAGMA foreign_key_check').all()).toEqual([]);
      expect(database.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
      indexAllPending(database);
      const { rows } = await new SearchStore(database).programs(['古くから'], 4, broadcastMs(1500));
      expect(rows.map((row) => row.id)).toEqual([10100007 as ProgramId]);
      database.close();
    });
  }
});

test('texts with curved apostrophes are normalised again', () => {
  const before = MIGRATIONS.findIndex((sql) => sql.includes('Apostrophes'));
  const database = old(before);
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
  const before = MIGRATIONS.findIndex((sql) => sql.includes('as a code (JSON)'));
  const database = old(before);
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
  const database = old(MIGRATIONS.findIndex((sql) => sql.includes('UPDATE encodes SET message = CASE')));
  const sentences = [...ENCODE_REASONS.map((code) => encodeReasonText({ code })), '別の版が書いた理由', null];
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
    ...ENCODE_REASONS.map((code) => ({ code })),
    { code: 'text', text: '別の版が書いた理由' },
    null,
  ]);
  database.close();
});

test('changes of listed tables are counted', () => {
  const database = old(MIGRATIONS.length);
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
  const database = old(MIGRATIONS.length);
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
