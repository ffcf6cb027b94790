/** Common statements of one line. */
import type { Database } from 'bun:sqlite';
import { atomically } from './transaction.ts';

type Values = Record<string, string | number | null | Uint8Array>;

/** Runs one write, as `atomically`. @returns number of changed rows */
export function execute(database: Database, sql: string, values: Values = {}): number {
  return atomically(database, () => database.query(sql).run(values).changes);
}

/** The column `id` of all rows. */
export function idsOf<Id extends number>(database: Database, sql: string, values: Values = {}): Id[] {
  return database
    .query<{ id: Id }, Values>(sql)
    .all(values)
    .map(({ id }) => id);
}

/** Whether there is a row. */
export function exists(database: Database, sql: string, values: Values = {}): boolean {
  return database.query(sql).get(values) !== null;
}
