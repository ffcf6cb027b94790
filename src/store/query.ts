/** Common statements of one line. */
import type { Database } from 'bun:sqlite';
import { atomically } from './transaction.ts';

/** What is passed over: as many as there are recordings, while a disk is absent. */
export interface Excluded<Id> {
  has(id: Id): boolean;
}

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

/**
 * The same of long lists, by one row of text, in the same order (SQLite keeps the order of a subquery for
 * `group_concat`): 40,000 rows of one number each take three times as long.
 */
export function idListOf(database: Database, sql: string, values: Values = {}): number[] {
  const list = database
    .query<{ ids: string | null }, Values>(`SELECT group_concat(id) AS ids FROM (${sql})`)
    .get(values);
  return JSON.parse(`[${list?.ids ?? ''}]`);
}

/** Whether there is a row. */
export function exists(database: Database, sql: string, values: Values = {}): boolean {
  return database.query(sql).get(values) !== null;
}
