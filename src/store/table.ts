/**
 * A table declared once: which columns hold an entity's fields, and their conversions. Statements stay handwritten;
 * their lists of columns, assignments and parameters, and the reading of rows come from the declaration.
 *
 *     const THINGS = defineTable<Thing>({
 *       id: plain(),                         // as stored; `Thing` gives the brand or the union of codes, null included
 *       stationId: plain(),                  // column `station_id`, parameter `$stationId`
 *       name: textColumn(),                        // survives damaged text
 *       isFree: flagColumn(),                      // 0 and 1; `nullableColumn(flagColumn())` if it may be null
 *       groups: json(readIds<GroupId>),      // written by JSON.stringify unless told otherwise
 *       reason: named('message', json(readReason, storedReason)),
 *       tuner: joined(['tuner_type', 'tuner_rank'], tunerOf, tunerColumns),
 *     });
 *     const LISTED = THINGS.with<ListedThing>({ serviceName: selected('s.name', textColumn()) });
 *
 *     database.query<Row, Values>(`SELECT ${THINGS.columns('t')} FROM things AS t`).all({}).map(THINGS.read)
 *     database.query(`INSERT INTO things ${THINGS.inserted(['name', 'isFree'], { created_at: '$now' })}`)
 *       .run({ ...THINGS.parameters(thing, ['name', 'isFree']), now })
 *     database.query(`UPDATE things SET ${THINGS.assigned(['name'])}, updated_at = $now WHERE id = $id`)
 *       .run({ id, ...THINGS.parameters({ name }), now })
 *
 * The compiler demands a column for every field of the entity, and the right conversion for its type.
 */
import { type Fields, type ValuesOf, type ValueType, valuesBy } from '../../lib/wire/fields.ts';
import { storedText } from './stored-json.ts';

type SqlValue = string | number | null;
export type Row = Readonly<Record<string, SqlValue>>;
/** Parameters of a statement by name, without `$`. */
export type Values = Record<string, SqlValue>;

/** Where a field is stored, and how. */
interface Column<T> {
  /** Absent: one, the field's name in snake case. */
  readonly names?: readonly string[];
  /** What a SELECT reads instead of the column; it cannot be written. */
  readonly expression?: string;
  /** @param name of the first column in the row */
  read(row: Row, name: string): T;
  /** In the order of the names. */
  write(value: T): readonly SqlValue[];
}

type Columns<T> = { readonly [K in keyof T]-?: Column<Exclude<T[K], undefined>> };

function asStored<T>(row: Row, name: string): T {
  return row[name] as T;
}

/** Without conversion: numbers, ids, times, codes, and null where the entity has it. */
export function plain<T extends SqlValue>(): Column<T> {
  return { read: asStored, write: (value) => [value] };
}

export function textColumn(): Column<string> {
  return { read: (row, name) => storedText(row[name]), write: (value) => [value] };
}

export function flagColumn(): Column<boolean> {
  return { read: (row, name) => row[name] === 1, write: (value) => [value ? 1 : 0] };
}

/** @param read gets whatever a damaged row contains */
export function json<T>(
  read: (text: string | null) => T,
  write: (value: T) => string | null = JSON.stringify,
): Column<T> {
  return { read: (row, name) => read(row[name] as string | null), write: (value) => [write(value)] };
}

/** A column that may be null, of a field that may be null. */
export function nullableColumn<T>(column: Column<T>): Column<T | null> {
  return {
    ...column,
    read: (row, name) => (row[name] === null ? null : column.read(row, name)),
    write: (value) => (value === null ? [null] : column.write(value)),
  };
}

/** A column that is not called like its field. */
export function named<T>(name: string, column: Column<T>): Column<T> {
  return { ...column, names: [name] };
}

/** A field in several columns; its parameters are called like them, in camel case. */
export function joined<T>(
  names: readonly string[],
  read: (row: Row) => T,
  write: (value: T) => readonly SqlValue[],
): Column<T> {
  return { names, read, write };
}

/** A field that a SELECT computes or takes from another table. */
export function selected<T>(expression: string, column: Column<T>): Column<T> {
  return { ...column, expression };
}

type Names<T> = readonly (keyof T)[];

interface Entry {
  readonly field: string;
  readonly names: readonly string[];
  readonly parameters: readonly string[];
  readonly column: Column<unknown>;
}

function entryOf([field, column]: [string, Column<unknown>]): Entry {
  const names = column.names ?? [field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
  const parameters =
    names.length === 1
      ? [field]
      : names.map((name) => name.replace(/_(\w)/g, (_, next) => next.toUpperCase()));
  return { field, names, parameters, column };
}

/**
 * How rows are read: they are many, and a copy of an object that has every field is faster than one that grows.
 * Column by column in arrays; no function: as stored.
 */
interface Reader {
  readonly blank: Readonly<Record<string, unknown>>;
  readonly fields: readonly string[];
  readonly names: readonly string[];
  readonly reads: readonly (Column<unknown>['read'] | undefined)[];
}

function readerOf(entries: readonly Entry[]): Reader {
  return {
    blank: Object.fromEntries(entries.map(({ field }) => [field, null])),
    fields: entries.map(({ field }) => field),
    names: entries.map(({ names }) => names[0] as string),
    reads: entries.map(({ column: { read } }) => (read === asStored ? undefined : read)),
  };
}

class Table<T extends object> {
  /** All of them; the default of what follows. */
  readonly fields: readonly (keyof T & string)[];
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #reader: Reader;

  constructor(private readonly declared: Columns<T>) {
    const columns = Object.entries(declared) as [string, Column<unknown>][];
    this.fields = columns.map(([field]) => field as keyof T & string);
    this.#entries = new Map(columns.map((one) => [one[0], entryOf(one)]));
    this.#reader = readerOf([...this.#entries.values()]);
  }

  /** The entity of a row that was selected with `columns`. */
  readonly read = (row: Row): T => {
    const { blank, fields, names, reads } = this.#reader;
    const entity: Record<string, unknown> = { ...blank };
    for (let index = 0; index < fields.length; index++) {
      const read = reads[index];
      const name = names[index] as string;
      entity[fields[index] as string] = read === undefined ? row[name] : read(row, name);
    }
    return entity as T;
  };

  /** What to select. @param alias of the table, for all fields that are not `selected` */
  columns(alias?: string): string {
    const prefix = alias === undefined ? '' : `${alias}.`;
    return [...this.#entries.values()]
      .map(({ names, column: { expression } }) =>
        expression === undefined
          ? names.map((name) => `${prefix}${name}`).join(', ')
          : `${expression} AS ${names[0]}`,
      )
      .join(', ');
  }

  /** `name, is_free`, like the next ones without the alias of a table. */
  names(fields: Names<T> = this.fields): string {
    return this.#columns(fields, (name) => name).join(', ');
  }

  /** `$name, $isFree` */
  placeholders(fields: Names<T> = this.fields): string {
    return this.#columns(fields, (_, parameter) => `$${parameter}`).join(', ');
  }

  /** `name = $name, is_free = $isFree` */
  assigned(fields: Names<T> = this.fields): string {
    return this.#columns(fields, (name, parameter) => `${name} = $${parameter}`).join(', ');
  }

  /** `name = excluded.name, is_free = excluded.is_free`, for ON CONFLICT. */
  excluded(fields: Names<T> = this.fields): string {
    return this.#columns(fields, (name) => `${name} = excluded.${name}`).join(', ');
  }

  /** `(name, created_at) VALUES ($name, $now)`. @param more further columns and their SQL expressions */
  inserted(fields: Names<T> = this.fields, more: Readonly<Record<string, string>> = {}): string {
    const names = [this.names(fields), ...Object.keys(more)].join(', ');
    return `(${names}) VALUES (${[this.placeholders(fields), ...Object.values(more)].join(', ')})`;
  }

  /** Of a statement that uses these fields. @param fields default: those that the entity has */
  parameters(entity: Partial<T>, fields: Names<T> = this.fields.filter((field) => field in entity)): Values {
    const values: Values = {};
    for (const field of fields) {
      const { column, parameters } = this.#writable(field);
      for (const [index, value] of column.write(entity[field] ?? null).entries())
        values[parameters[index] as string] = value;
    }
    return values;
  }

  /** The same columns, of some fields. */
  pick<K extends keyof T>(fields: readonly K[]): Table<Pick<T, K>> {
    const columns = Object.fromEntries(fields.map((field) => [field, this.declared[field]]));
    return new Table(columns as unknown as Columns<Pick<T, K>>);
  }

  /** With fields of other tables, for lists. */
  with<E extends T>(more: Columns<Omit<E, keyof T>>): Table<E> {
    return new Table({ ...this.declared, ...more } as unknown as Columns<E>);
  }

  #columns(fields: Names<T>, text: (name: string, parameter: string) => string): string[] {
    return fields.flatMap((field) => {
      const { names, parameters } = this.#writable(field);
      return names.map((name, index) => text(name, parameters[index] as string));
    });
  }

  /** @throws for a field that only a SELECT computes */
  #writable(field: keyof T): Entry {
    const entry = this.#entries.get(String(field));
    if (entry === undefined || entry.column.expression !== undefined)
      throw new Error(`no column of ${String(field)} can be written`);
    return entry;
  }
}

export function defineTable<T extends object>(columns: Columns<T>): Table<T> {
  return new Table(columns);
}

function columnOf(type: ValueType): Column<unknown> {
  if (type.kind === 'nullable') return nullableColumn(columnOf(type.of));
  if (type.kind === 'list' || type.kind === 'object') throw new Error(`no column for a ${type.kind}`);
  if (type.kind === 'text') return textColumn();
  return type.kind === 'flag' ? flagColumn() : plain<string | number>();
}

/** Columns of declared fields (`lib/wire/fields.ts`). */
export function columnsOf<F extends Fields>(fields: F): Columns<ValuesOf<F>> {
  return valuesBy(fields, (_, { type }) => columnOf(type)) as unknown as Columns<ValuesOf<F>>;
}
