/** `BinaryTable` (ARIB STD-B24 Vol. 2, 7.5.1): a table of a module, read as a whole when it is constructed. */
import type { HostClass } from '../script/host.ts';
import type { Machine } from '../script/machine.ts';
import { ArrayObject, type Value } from '../script/values.ts';
import {
  type Charset,
  type Field,
  type FieldValue,
  hasPostcode,
  parseStructure,
  readFields,
} from './binary-fields.ts';
import type { ScriptTasks } from './script-tasks.ts';

/** What a script sees of a column; postal codes only as the result of a search. */
type TableCell = boolean | number | string | null;

interface Condition {
  readonly column: number;
  readonly value: unknown;
  readonly operator: number;
}

interface SearchResult {
  /** The last row that was compared, −1 at the end of the table, NaN for an impossible search. */
  readonly row: number;
  readonly rows: readonly (readonly TableCell[])[];
}

/** A table of one module has at most 256 kB, compressed; this bounds rows without an octet of their own. */
const MAX_ROWS = 65_536;
const MAX_CELLS = 1 << 19;
const IMPOSSIBLE: SearchResult = { row: Number.NaN, rows: [] };

type Comparison = (cell: number, value: number, mask: number) => boolean;

/** Operators 0 to 11; those of bits are limited to the width of the column. */
const OF_NUMBERS: readonly Comparison[] = [
  (cell, value) => cell === value,
  (cell, value) => cell !== value,
  (cell, value) => cell < value,
  (cell, value) => cell <= value,
  (cell, value) => cell > value,
  (cell, value) => cell >= value,
  (cell, value, mask) => (cell & value & mask) !== 0,
  (cell, value, mask) => ((cell | value) & mask) !== 0,
  (cell, value, mask) => ((cell ^ value) & mask) !== 0,
  (cell, value, mask) => (~(cell & value) & mask) !== 0,
  (cell, value, mask) => (~(cell | value) & mask) !== 0,
  (cell, value, mask) => (~(cell ^ value) & mask) !== 0,
];
/** Operators 32 to 37. */
const OF_TEXTS: readonly ((cell: string, value: string) => boolean)[] = [
  (cell, value) => cell === value,
  (cell, value) => cell.includes(value),
  (cell, value) => cell.startsWith(value),
  (cell, value) => cell.endsWith(value),
  (cell, value) => cell !== value,
  (cell, value) => !cell.includes(value),
];
const [FIRST_TEXT, FIRST_BOOLEAN, FIRST_POSTCODE] = [32, 64, 96];

/** The test of one column; undefined if operator and column do not fit. */
function tester(
  field: Field | undefined,
  { operator, value }: Condition,
): ((cell: FieldValue) => boolean) | undefined {
  if (field === undefined) return undefined;
  if (field.type === 'U' || field.type === 'I') {
    const compare = OF_NUMBERS[operator];
    const mask = field.bits === 32 ? -1 : 2 ** field.bits - 1;
    return compare && ((cell) => compare(Number(cell), Number(value), mask));
  }
  if (field.type === 'S') {
    const compare = OF_TEXTS[operator - FIRST_TEXT];
    return compare && ((cell) => compare(String(cell), String(value)));
  }
  const isNegated = (operator & 1) === 1;
  const first = field.type === 'B' ? FIRST_BOOLEAN : FIRST_POSTCODE;
  if (operator !== first && operator !== first + 1) return undefined;
  if (field.type === 'B') return (cell) => (cell === Boolean(value)) !== isNegated;
  return (cell) => typeof cell === 'object' && hasPostcode(cell, Number(value)) !== isNegated;
}

export class BinaryTable {
  readonly #rows: readonly (readonly FieldValue[])[];
  readonly #columns: readonly Field[];

  private constructor(rows: readonly (readonly FieldValue[])[], columns: readonly Field[]) {
    this.#rows = rows;
    this.#columns = columns;
  }

  /** @param structure length in octets of each row's length (0: rows have none), then the fields. Undefined: wrong */
  static read(bytes: Uint8Array, structure: string, charset: Charset): BinaryTable | undefined {
    const comma = structure.indexOf(',');
    const prefix = Number(structure.slice(0, comma).trim());
    const fields = comma < 0 ? undefined : parseStructure(structure.slice(comma + 1));
    if (fields === undefined || !Number.isInteger(prefix) || prefix < 0 || prefix > 4) return undefined;
    const columns = fields.filter(({ type }) => type !== 'P');
    const rows: FieldValue[][] = [];
    const maximum = Math.min(MAX_ROWS, Math.floor(MAX_CELLS / fields.length));
    for (let at = 0; at < bytes.length && rows.length < maximum; ) {
      let length: number | undefined;
      if (prefix > 0) {
        length = bytes.subarray(at, at + prefix).reduce((sum, octet) => sum * 256 + octet, 0);
        at += prefix;
      }
      const row = bytes.subarray(at, length === undefined ? undefined : at + length);
      const read = readFields(row, fields, charset);
      // Without a length, a row that the table does not have as a whole is none.
      if (length === undefined && (read.length > row.length || read.length === 0)) break;
      rows.push(read.values);
      at += length ?? read.length;
    }
    return new BinaryTable(rows, columns);
  }

  get nrow(): number {
    return this.#rows.length;
  }

  get ncolumn(): number {
    return this.#columns.length;
  }

  #cell(row: number, column: number): TableCell | undefined {
    const value = this.#rows[row]?.[column];
    return typeof value === 'object' ? null : value;
  }

  toNumber(row: number, column: number): number {
    const cell = this.#cell(row, column);
    return cell === undefined || cell === null || cell === '' ? Number.NaN : Number(cell);
  }

  toString(row: number, column: number): string | null {
    const cell = this.#cell(row, column);
    return cell === undefined || cell === null ? null : String(cell);
  }

  /** Rows from `start`; null if there is no such row. */
  toArray(start: number, count: number): TableCell[][] | null {
    if (!(start >= 0 && start < this.nrow && count > 0)) return null;
    return this.#rows
      .slice(start, start + count)
      .map((row) => row.map((cell) => (typeof cell === 'object' ? null : cell)));
  }

  /** @param isAny whether one true condition suffices @param limit number of rows after which the search ends */
  search(start: number, conditions: readonly Condition[], isAny: boolean, limit: number): SearchResult {
    if (conditions.length < 1 || conditions.length > 4 || !(start >= 0) || !(limit > 0)) return IMPOSSIBLE;
    const testers = conditions.map((condition) => tester(this.#columns[condition.column], condition));
    const tests = testers.filter((one) => one !== undefined);
    if (tests.length < testers.length) return IMPOSSIBLE;
    const found: TableCell[][] = [];
    for (let index = start; index < this.nrow; index++) {
      const row = this.#rows[index] ?? [];
      const results = conditions.map(({ column }, at) => tests[at]?.(row[column] ?? '') === true);
      if (!(isAny ? results.includes(true) : !results.includes(false))) continue;
      found.push(
        row.map((cell, column) => {
          if (typeof cell !== 'object') return cell;
          const own = results.filter((_, at) => conditions[at]?.column === column);
          return own.length === 0 ? null : own.includes(true);
        }),
      );
      if (found.length >= limit) return { row: index, rows: found };
    }
    return { row: -1, rows: found };
  }
}

interface TableContext {
  readonly machine: Machine;
  readonly tasks: ScriptTasks;
  readonly charset: Charset;
  /** The file of an address, when it has been received; undefined: there is none, or it takes too long. */
  fetchSoon(address: string): Promise<Uint8Array | undefined>;
}

/** `search(start, column, value, operator, …, logic, limit, result)`. */
const FIXED_ARGUMENTS = 3;

function conditionsOf(args: readonly Value[]): Condition[] {
  const conditions: Condition[] = [];
  for (let at = 0; at + 2 < args.length; at += 3)
    conditions.push({ column: Number(args[at]), value: args[at + 1], operator: Number(args[at + 2]) });
  return conditions;
}

function tableClass(machine: Machine): HostClass<BinaryTable> {
  const row = (cells: readonly Value[]): Value => machine.array(cells);
  const toText: NonNullable<HostClass<BinaryTable>['methods']>[string] = {
    params: ['number', 'number'],
    call: (table, [at, column]) => table.toString(Number(at), Number(column)),
  };
  return {
    name: 'BinaryTable',
    properties: { nrow: { get: ({ nrow }) => nrow }, ncolumn: { get: ({ ncolumn }) => ncolumn } },
    methods: {
      close: { call: () => 1 },
      toNumber: {
        params: ['number', 'number'],
        call: (table, [at, column]) => table.toNumber(Number(at), Number(column)),
      },
      toString: toText,
      toArray: {
        params: ['number', 'number'],
        call: (table, [start, count]) => {
          const rows = table.toArray(Number(start), Number(count));
          return rows === null ? null : machine.array(rows.map(row));
        },
      },
      search: {
        params: ['number'],
        call: (table, [start, ...args]) => {
          const [logic, limit, result] = args.slice(-FIXED_ARGUMENTS);
          const given = args.slice(0, -FIXED_ARGUMENTS);
          if (!(result instanceof ArrayObject) || given.length % 3 !== 0) return Number.NaN;
          const found = table.search(Number(start), conditionsOf(given), Boolean(logic), Number(limit));
          if (Number.isNaN(found.row)) return Number.NaN;
          result.setLength(0);
          for (const [index, cells] of found.rows.entries())
            machine.allocate(result.putAt(index, row(cells)));
          return found.row;
        },
      },
    },
  };
}

/** `new BinaryTable(address, structure)` for scripts (ARIB STD-B24 Vol. 2, 7.5.1). */
export function defineBinaryTable(context: TableContext): void {
  const { machine, tasks, charset } = context;
  const made = tableClass(machine);
  const construct = async (address: string, structure: string): Promise<Value> => {
    const file = await context.fetchSoon(address);
    const table =
      file === undefined ? undefined : tasks.spend(() => BinaryTable.read(file, structure, charset));
    return table === undefined ? null : machine.wrap(made, table);
  };
  machine.defineFunction('BinaryTable', {
    params: ['string', 'string'],
    constructs: true,
    call: ([address, structure], isConstruction) =>
      isConstruction ? tasks.suspend(construct(String(address), String(structure))) : null,
  });
}
