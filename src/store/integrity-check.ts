/**
 * Finds rows with damaged content. A start checks and logs the rows that it resumes with; the database worker checks
 * the complete database once a day.
 */
import type { Database } from 'bun:sqlite';

export interface DamagedField {
  table: string;
  /** The row's key. */
  row: string | number;
  field: string;
}

/** JSON columns of a table by their type. */
interface Fields {
  readonly table: string;
  readonly key: string;
  readonly where: string;
  readonly arrays?: readonly string[];
  readonly objects?: readonly string[];
}

/** Fields that determine how a start proceeds. */
const FIELDS: readonly Fields[] = [
  {
    ...{ table: 'recordings', key: 'id', where: `state = 'recording'` },
    ...{ objects: ['extended'], arrays: ['genres', 'audios'] },
  },
  {
    ...{ table: 'recording_measurements', key: 'recording_id', objects: ['measured'] },
    where: `recording_id IN (SELECT id FROM recordings WHERE state = 'recording')`,
  },
  { table: 'reservations', key: 'id', where: 'TRUE', arrays: ['blockers', 'alternatives'] },
  { table: 'rules', key: 'id', where: 'TRUE', objects: ['conditions'] },
];

/** All other JSON. */
const FURTHER: readonly Fields[] = [
  {
    ...{ table: 'programs', key: 'id', where: 'TRUE' },
    ...{ objects: ['extended', 'series'], arrays: ['genres', 'audios', 'groups'] },
  },
  {
    ...{ table: 'recordings', key: 'id', where: `state <> 'recording'` },
    ...{ objects: ['extended', 'verdict'], arrays: ['genres', 'audios'] },
  },
  {
    ...{ table: 'recording_chapters', key: 'recording_id', where: 'TRUE' },
    arrays: ['detected', 'corrected', 'changes'],
  },
];

/** Limit of reported rows: if there are more, the file itself is damaged. */
const MAX_REPORTED = 100;

/** @throws the database's error if the file itself cannot be read */
export function damagedFields(database: Database): DamagedField[] {
  const wrong = [
    ...misread(FIELDS),
    `SELECT 'settings', key, 'value' FROM settings WHERE NOT json_valid(value)`,
  ];
  return described(database, wrong);
}

/** Selects values that are not JSON, or of another type. */
function misread(tables: readonly Fields[]): string[] {
  return tables.flatMap(({ table, key, where, arrays = [], objects = [] }) =>
    [...objects.map((field) => [field, 'object']), ...arrays.map((field) => [field, 'array'])].map(
      ([field, kind]) => `
        SELECT '${table}' AS "table", ${key} AS "row", '${field}' AS field FROM ${table}
        WHERE ${where} AND CASE WHEN json_valid(${field}) THEN json_type(${field}) <> '${kind}' ELSE ${field} IS NOT NULL END`,
    ),
  );
}

function described(database: Database, wrong: readonly string[]): DamagedField[] {
  return database.query<DamagedField, []>(`${wrong.join(' UNION ALL ')} LIMIT ${MAX_REPORTED}`).all();
}

interface Column {
  name: string;
  type: string;
  notnull: number;
  pk: number;
}

/** Checks all stored data, table by table, and yields to other readers in between. */
export class IntegrityCheck {
  readonly found: { fields: DamagedField[]; problems: string[] } = { fields: [], problems: [] };

  constructor(private readonly database: Database) {}

  /** Must be called in order; none throws. */
  *steps(): Generator<() => void> {
    let tables: string[] = [];
    yield this.#step(() => {
      tables = this.#tables();
    });
    for (const table of tables) {
      yield this.#step(() => this.#lookAtPages(table));
      yield this.#step(() => this.#add(this.#mistyped(table)));
    }
    for (const wrong of [...misread(FIELDS), ...misread(FURTHER)]) yield this.#step(() => this.#add([wrong]));
  }

  /** Damage of the file itself ends a step. */
  #step(act: () => void): () => void {
    return () => {
      try {
        act();
      } catch (error) {
        this.#problem(String(error));
      }
    };
  }

  #problem(problem: string): void {
    const { problems } = this.found;
    if (problems.length < MAX_REPORTED && !problems.includes(problem)) problems.push(problem);
  }

  #add(wrong: readonly string[]): void {
    const { fields } = this.found;
    if (wrong.length === 0 || fields.length >= MAX_REPORTED) return;
    for (const one of described(this.database, wrong)) {
      const isKnown = fields.some(
        ({ table, row, field }) => table === one.table && row === one.row && field === one.field,
      );
      if (!isKnown) fields.push(one);
    }
  }

  #tables(): string[] {
    return this.database
      .query<{ name: string }, []>(
        `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name <> 'sqlite_schema' ORDER BY name`,
      )
      .all()
      .map(({ name }) => name);
  }

  #lookAtPages(table: string): void {
    const rows = this.database.query<{ quick_check: string }, []>(`PRAGMA quick_check("${table}")`).all();
    for (const { quick_check: problem } of rows) {
      if (problem !== 'ok') this.#problem(`${table}: ${problem.replaceAll(/\s*\n\s*/g, ' ')}`);
    }
  }

  /** Selects values whose type differs from their column's, which the schema would refuse. */
  #mistyped(table: string): string[] {
    const columns = this.database.query<Column, []>(`PRAGMA table_info("${table}")`).all();
    const [key, ...others] = columns.filter(({ pk }) => pk > 0).map(({ name }) => `"${name}"`);
    const row = key === undefined ? 'rowid' : [key, ...others].join(` || ' ' || `);
    return columns
      .filter(({ type }) => type === 'TEXT' || type === 'INTEGER')
      .map(
        ({ name, type, notnull }) => `
          SELECT '${table}' AS "table", ${row} AS "row", '${name}' AS field FROM "${table}"
          WHERE typeof("${name}") <> '${type.toLowerCase()}' ${notnull === 1 ? '' : `AND "${name}" IS NOT NULL`}`,
      );
  }
}
