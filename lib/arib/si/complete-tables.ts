/**
 * Complete NIT and SDT: sections are collected until all of one version were received, then parsed and joined. ARIB
 * STD-B10 Part 2, 5.1: sub-tables are identified by table_id, extension and, for an SDT, the original network.
 */
import type { Section } from '../ts/section.ts';
import { SubTable } from '../ts/sub-table.ts';
import {
  NIT_ACTUAL_TABLE_ID,
  NIT_OTHER_TABLE_ID,
  type Nit,
  parseNit,
  parseSdt,
  SDT_ACTUAL_TABLE_ID,
  SDT_OTHER_TABLE_ID,
  type Sdt,
} from './service-tables.ts';

/** Its section number is 0, its loops are joined from all sections. */
type CompleteTable =
  | { readonly kind: 'nit'; readonly table: Nit }
  | { readonly kind: 'sdt'; readonly table: Sdt };

/** Limit of stored sub-tables; the NIT and SDT of all BS and CS streams are under a hundred. */
const LIMIT = 256;

export class CompleteTables {
  readonly #tables = new Map<string, SubTable>();

  /**
   * The table that this section completed: once per version. Undefined for sections that complete nothing or are of
   * other tables, and for tables with an invalid section.
   */
  add(section: Section): CompleteTable | undefined {
    const read = READERS.get(section.tableId);
    if (read === undefined || !section.long || !section.current) return undefined;
    const sections = this.#table(section).add(section);
    return sections === undefined ? undefined : read(sections);
  }

  #table(section: Section): SubTable {
    const key = keyOf(section);
    let table = this.#tables.get(key);
    if (table !== undefined) return table;
    if (this.#tables.size >= LIMIT) {
      const [oldest] = this.#tables.keys();
      if (oldest !== undefined) this.#tables.delete(oldest);
    }
    table = new SubTable();
    this.#tables.set(key, table);
    return table;
  }
}

function keyOf({ pid, tableId, extension, body }: Section): string {
  const isSdt = tableId === SDT_ACTUAL_TABLE_ID || tableId === SDT_OTHER_TABLE_ID;
  const originalNetworkId = isSdt ? (body[0] ?? 0) * 256 + (body[1] ?? 0) : 0;
  return `${pid ?? 0}/${tableId}/${extension}/${originalNetworkId}`;
}

type TableReader = (sections: readonly Section[]) => CompleteTable | undefined;

const READERS: ReadonlyMap<number, TableReader> = new Map<number, TableReader>([
  [NIT_ACTUAL_TABLE_ID, completeNit],
  [NIT_OTHER_TABLE_ID, completeNit],
  [SDT_ACTUAL_TABLE_ID, completeSdt],
  [SDT_OTHER_TABLE_ID, completeSdt],
]);

/** Undefined if one of them cannot be parsed. */
function readAll<T>(
  sections: readonly Section[],
  parse: (section: Section) => T | undefined,
): T[] | undefined {
  const read: T[] = [];
  for (const section of sections) {
    const table = parse(section);
    if (table === undefined) return undefined;
    read.push(table);
  }
  return read;
}

function completeNit(sections: readonly Section[]): CompleteTable | undefined {
  const parts = readAll(sections, parseNit);
  const [first] = parts ?? [];
  if (parts === undefined || first === undefined) return undefined;
  const descriptors = parts.flatMap((part) => part.descriptors);
  const transportStreams = parts.flatMap((part) => part.transportStreams);
  return { kind: 'nit', table: { ...first, descriptors, transportStreams } };
}

function completeSdt(sections: readonly Section[]): CompleteTable | undefined {
  const parts = readAll(sections, parseSdt);
  const [first] = parts ?? [];
  if (parts === undefined || first === undefined) return undefined;
  return { kind: 'sdt', table: { ...first, services: parts.flatMap((part) => part.services) } };
}
