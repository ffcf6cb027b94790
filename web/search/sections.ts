/** Paging of the sections, and the requests for it. */
import type { SearchResult, SearchSection } from '../../lib/wire/api.ts';
import type { getSearch } from '../query/api.ts';

/** Number of rows in the first response. */
const FIRST_ROWS = 10;
/** A press of 'more' adds this many rows, up to the end. */
const MORE_ROWS = 2 * FIRST_ROWS;
const MOST_ROWS = 200;

/** Rows wanted of each section. */
export type Sizes = Readonly<Record<SearchSection, number>>;

export const FIRST_SIZES: Sizes = {
  programs: FIRST_ROWS,
  recordings: FIRST_ROWS,
  reservations: FIRST_ROWS,
  rules: FIRST_ROWS,
};

/** Undefined when the section may not grow any more. */
export function grown(sizes: Sizes, section: SearchSection): Sizes | undefined {
  const size = Math.min(sizes[section] + MORE_ROWS, MOST_ROWS);
  return size === sizes[section] ? undefined : { ...sizes, [section]: size };
}

/** The shown rows of a section. */
interface Rows {
  readonly more: boolean;
  readonly rows: readonly unknown[];
}

function joined<S extends Rows>(one: S, other: S): S {
  return { ...other, rows: [...one.rows, ...other.rows] };
}

/** The first rows of every section, then as many more as are wanted of each. */
export async function searchAll(
  ask: typeof getSearch,
  words: string,
  sizes: Sizes,
  signal: AbortSignal,
): Promise<SearchResult> {
  let result = await ask(words, signal);
  for (const section of Object.keys(sizes) as SearchSection[]) {
    if (sizes[section] <= FIRST_ROWS) continue;
    while (result[section].more && result[section].rows.length < sizes[section]) {
      const offset = result[section].rows.length;
      const rest = await ask(words, signal, { section, offset });
      result = { ...result, [section]: joined<Rows>(result[section], rest[section]) };
      if (rest[section].rows.length === 0) break;
    }
  }
  return result;
}
