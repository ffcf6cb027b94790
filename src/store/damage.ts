/** Rows that are not what they should be. A start looks for them among what it goes on with, and tells. */
import type { Database } from 'bun:sqlite';

export interface DamagedField {
  table: string;
  /** The row's key. */
  row: string | number;
  field: string;
}

type Kind = 'array' | 'object';

const FIELDS: [table: string, key: string, where: string, fields: [name: string, kind: Kind][]][] = [
  [
    'recordings',
    'id',
    `state = 'recording'`,
    [
      ['extended', 'object'],
      ['genres', 'array'],
      ['audios', 'array'],
    ],
  ],
  [
    'recording_measurements',
    'recording_id',
    `recording_id IN (SELECT id FROM recordings WHERE state = 'recording')`,
    [['measured', 'object']],
  ],
  [
    'reservations',
    'id',
    'TRUE',
    [
      ['blockers', 'array'],
      ['alternatives', 'array'],
    ],
  ],
  ['rules', 'id', 'TRUE', [['conditions', 'object']]],
];

/** More of them say no more: then it is the file that is damaged. */
const MAX_TOLD = 100;

/** @throws the database's error, when the file itself cannot be read */
export function damagedFields(database: Database): DamagedField[] {
  const wrong = FIELDS.flatMap(([table, key, where, fields]) =>
    fields.map(
      ([field, kind]) => `
        SELECT '${table}' AS "table", ${key} AS "row", '${field}' AS field FROM ${table}
        WHERE ${where} AND CASE WHEN json_valid(${field}) THEN json_type(${field}) <> '${kind}' ELSE ${field} IS NOT NULL END`,
    ),
  );
  wrong.push(`SELECT 'settings', key, 'value' FROM settings WHERE NOT json_valid(value)`);
  return database.query<DamagedField, []>(`${wrong.join(' UNION ALL ')} LIMIT ${MAX_TOLD}`).all();
}
