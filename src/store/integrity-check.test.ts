import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { IntegrityCheck } from './integrity-check.ts';
import { SCHEMA } from './schema.ts';

function lookThrough(database: Database): IntegrityCheck['found'] {
  const look = new IntegrityCheck(database);
  for (const step of look.steps()) step();
  return look.found;
}

test('a full check names each damaged field by table and row, and finds nothing in an intact database', () => {
  const database = new Database(':memory:', { strict: true });
  // Columns that accept values that the schema forbids, as flipped bits of a page may produce.
  database.run(SCHEMA.replaceAll(/STRICT, (?=WITHOUT)|STRICT/g, ''));
  database.run(
    `INSERT INTO stations (id, type, network_id, service_id, channel, name, service_type, remote_control_key, hidden, seen_at)
     VALUES (101, 'GR', 1, 1, 'T27', '局', 1, 1, 0, 0)`,
  );
  const put = database.query(
    `INSERT INTO programs (id, station_id, event_id, start_at, end_at, open_end, name, description, genres, audios,
       is_free, copy_never, updated_at)
     VALUES ($id, 101, $id, 0, 1, 0, $name, '', $genres, '[]', 1, 0, 0)`,
  );
  put.run({ id: 1, name: '番組', genres: '[]' });
  expect(lookThrough(database)).toEqual({ fields: [], problems: [] });
  put.run({ id: 2, name: new Uint8Array([1]), genres: '[' });
  put.run({ id: 3, name: '番組', genres: '{}' });
  expect(lookThrough(database).fields).toEqual([
    { table: 'programs', row: 2, field: 'name' },
    { table: 'programs', row: 2, field: 'genres' },
    { table: 'programs', row: 3, field: 'genres' },
  ]);
  database.close();
});
