/** Orders of lists of recordings, and cursors: places in an order that stay while rows come, go or move. */
import type { Database } from 'bun:sqlite';
import type { RecordingShow, RecordingSort } from '../../lib/wire/api.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import { RECORDING_SORTS } from '../../lib/wire/vocabulary.ts';
import { titleOrder } from '../model/search-text.ts';
import { troubleOf } from './database-error.ts';
import { storedText } from './stored-json.ts';
import { atomically } from './transaction.ts';

interface Order {
  readonly index: string;
  /** Compared before the rest. */
  readonly head?: { readonly column: string; readonly descending: boolean };
  /** The columns that follow, all in one direction; never null. */
  readonly rest: readonly string[];
  readonly descending: boolean;
}

/** `resumed`: last watched first. */
type OrderName = RecordingSort | 'resumed';

const BY_TIME = { rest: ['start_at', 'id'], descending: true };
const ORDERS: Readonly<Record<OrderName, Order>> = {
  newest: { index: 'recordings_newest', ...BY_TIME },
  oldest: { index: 'recordings_newest', ...BY_TIME, descending: false },
  title: {
    index: 'recordings_by_title',
    head: { column: 'title_key', descending: false },
    ...BY_TIME,
    descending: false,
  },
  unwatched: { index: 'recordings_unwatched', head: { column: 'watched', descending: false }, ...BY_TIME },
  longest: { index: 'recordings_longest', head: { column: 'duration_ms', descending: true }, ...BY_TIME },
  largest: { index: 'recordings_largest', head: { column: 'bytes', descending: true }, ...BY_TIME },
  resumed: {
    index: 'recordings_resumed',
    head: { column: 'resumed_at', descending: true },
    rest: ['id'],
    descending: true,
  },
};

/** The order of a list: those with a position to continue from come last watched first, unless another is requested. */
export function orderName(show: RecordingShow | null, sort: RecordingSort): OrderName {
  return show === 'resume' && sort === 'newest' ? 'resumed' : sort;
}

/** The index of an order. */
export const orderIndex = (name: OrderName): string => ORDERS[name].index;

/** The terms of ORDER BY. @param backwards the opposite order */
export function orderTerms(name: OrderName, backwards = false): string {
  const { head, rest, descending } = ORDERS[name];
  const columns = [...(head === undefined ? [] : [head]), ...rest.map((column) => ({ column, descending }))];
  return columns.map((one) => (one.descending === backwards ? one.column : `${one.column} DESC`)).join(', ');
}

/** The place of a recording in an order: what is behind it follows. */
export interface RecordingCursor {
  readonly order: OrderName;
  /** The value of the head; null also without one. */
  readonly head: string | number | null;
  /** Epoch ms. */
  readonly startAt: number;
  readonly id: number;
}

/** SQL: the values of a recording's cursor, of the row `id`. */
export function cursorColumns(name: OrderName): string {
  return `${ORDERS[name].head?.column ?? 'NULL'} AS head, start_at AS startAt, id`;
}

interface Segment {
  readonly where: string;
  readonly values: Record<string, string | number | null>;
}

/**
 * Conditions of the rows behind a cursor, in as many ranges of the order's index as they are: one comparison of all
 * columns could not be looked up, because their directions differ and some are null (last in descending orders).
 */
export function segmentsBehind({ order, head: value, startAt, id }: RecordingCursor): Segment[] {
  const { head, rest, descending } = ORDERS[order];
  const values = rest.length > 1 ? { startAt, id } : { id };
  const places = rest.length > 1 ? '$startAt, $id' : '$id';
  const behind = `(${rest.join(', ')}) ${descending ? '<' : '>'} (${places})`;
  if (head === undefined) return [{ where: behind, values }];
  const { column } = head;
  const same = value === null ? `${column} IS NULL` : `${column} = $head`;
  const first = {
    where: `${same} AND ${behind}`,
    values: value === null ? values : { ...values, head: value },
  };
  if (value === null)
    return head.descending ? [first] : [first, { where: `${column} IS NOT NULL`, values: {} }];
  const further = { where: `${column} ${head.descending ? '<' : '>'} $head`, values: { head: value } };
  return head.descending ? [first, further, { where: `${column} IS NULL`, values: {} }] : [first, further];
}

/** Opaque to clients. */
export function writeCursor({ order, head, startAt, id }: RecordingCursor): string {
  return Buffer.from(JSON.stringify([order, head, startAt, id])).toString('base64url');
}

/** Undefined: not one of `writeCursor`. */
export function readCursor(text: string): RecordingCursor | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts) || parts.length !== 4) return undefined;
  const [name, head, startAt, id] = parts;
  const order = [...RECORDING_SORTS, 'resumed' as const].find((one) => one === name);
  const isValue = head === null || typeof head === 'string' || Number.isSafeInteger(head);
  if (order === undefined || !isValue || !Number.isSafeInteger(startAt) || !Number.isSafeInteger(id)) {
    return undefined;
  }
  return { order, head, startAt, id };
}

/** The elements of a list that are among the given ids, in the list's order. */
export function among(list: Int32Array, ids: Iterable<number>): Int32Array {
  const found = new Uint8Array(list.reduce((most, id) => Math.max(most, id), 0) + 1);
  // Larger ids are not in this list.
  for (const id of ids) found[id] = 1;
  return list.filter((id) => found[id] === 1);
}

/**
 * Writes missing sort keys of titles, so that code that stores recordings need not know of them. A read-only or full
 * database can still be read.
 */
export function keyTitles(database: Database): void {
  try {
    putTitleKeys(database);
  } catch (error) {
    if (troubleOf(error) === undefined) throw error;
  }
}

function putTitleKeys(database: Database): void {
  const rows = database
    .query<{ id: RecordingId; name: string }, []>(
      'SELECT id, name FROM recordings INDEXED BY recordings_untitled WHERE title_key IS NULL',
    )
    .all();
  if (rows.length === 0) return;
  const put = database.query('UPDATE recordings SET title_key = $key WHERE id = $id');
  atomically(database, () => {
    for (const { id, name } of rows) put.run({ id, key: titleOrder(storedText(name)) });
  });
}
