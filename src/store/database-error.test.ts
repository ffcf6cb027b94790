import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { databaseFailure, troubleOf } from './database-error.ts';

function thrown(act: () => void): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

test('database errors are classified by what can be done about them', () => {
  const database = new Database(':memory:', { strict: true });
  database.run('CREATE TABLE a (text TEXT)');
  database.run('PRAGMA max_page_count = 3');
  const full = thrown(() => database.run('INSERT INTO a VALUES (?)', ['x'.repeat(100_000)]));
  expect(troubleOf(full)).toBe('full');
  expect(databaseFailure(full)).toMatchObject({ code: 'busy', message: expect.stringContaining('空き') });
  database.run('PRAGMA query_only = 1');
  const readonly = thrown(() => database.run('DELETE FROM a'));
  expect(troubleOf(readonly)).toBe('readonly');
  // A programming error is not an error of the database.
  expect(databaseFailure(thrown(() => database.run('SELECT nothing')))).toBeUndefined();
  expect(
    databaseFailure(Object.assign(new Error('of a recording folder'), { code: 'ENOSPC' })),
  ).toBeUndefined();
  database.close();
});
