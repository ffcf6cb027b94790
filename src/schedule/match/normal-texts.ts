/** Texts of programmes in normal form, for comparison with rules. Recent ones are cached. */
import type { ProgramId } from '../../../lib/arib/ids.ts';
import type { KeywordField } from '../../../lib/wire/vocabulary.ts';
import { matchText } from '../../model/search-text.ts';
import { LruCache } from './lru-cache.ts';
import type { IndexedProgram } from './program-rows.ts';

/** Cache size for frequent candidates of rules: 300 rules have some ten thousand. Up to 5 MB. */
const RECENT_TEXTS = 4096;
/** Rarely needed, and long. */
const RECENT_DETAILS = 1024;

/** Programmes whose texts are read at once; fewer than are cached. */
export const READ_AT_ONCE = 500;

/** Reads texts of many programmes at once: one by one, each takes a query. */
export interface TextReader {
  /** Names and descriptions, which the programmes return without a query from then on. */
  readShort(ids: readonly ProgramId[]): void;
  /** Headings and bodies of extended texts, without programmes that no longer exist. */
  details(ids: readonly ProgramId[]): Iterable<readonly [id: ProgramId, parts: readonly string[]]>;
}

function normalDetail(parts: readonly string[]): string {
  return parts.map((part) => matchText(part)).join('\n');
}

/** Headings and bodies of the extended text in normal form, one per line. */
export function detailText({ extended }: IndexedProgram): string {
  return normalDetail(Object.entries(extended ?? {}).flat());
}

export class NormalTexts {
  readonly #titles = new LruCache<ProgramId, string>(RECENT_TEXTS);
  readonly #descriptions = new LruCache<ProgramId, string>(RECENT_TEXTS);
  readonly #details = new LruCache<ProgramId, string>(RECENT_DETAILS);

  /** @param reader undefined: programmes have their texts */
  constructor(private readonly reader?: TextReader) {}

  /** At most `READ_AT_ONCE` programmes, whose names or descriptions are requested next. */
  readShort(programs: readonly IndexedProgram[], fields: readonly KeywordField[]): void {
    if (this.reader === undefined) return;
    const [inTitle, inDescription] = [fields.includes('title'), fields.includes('description')];
    const isUnknown = ({ id }: IndexedProgram): boolean =>
      (inTitle && !this.#titles.has(id)) || (inDescription && !this.#descriptions.has(id));
    this.reader.readShort(programs.filter(isUnknown).map(({ id }) => id));
  }

  /** The same for extended texts. */
  readDetails(programs: readonly IndexedProgram[]): void {
    if (this.reader === undefined) return;
    const unknown = programs.filter(({ id }) => !this.#details.has(id)).map(({ id }) => id);
    for (const [id, parts] of this.reader.details(unknown)) this.#details.set(id, normalDetail(parts));
  }

  title(program: IndexedProgram): string {
    return this.#titles.of(program.id, () => matchText(program.name));
  }

  description(program: IndexedProgram): string {
    return this.#descriptions.of(program.id, () => matchText(program.description));
  }

  detail(program: IndexedProgram): string {
    return this.#details.of(program.id, () => detailText(program));
  }

  /** It was changed or removed. */
  forget(id: ProgramId): void {
    this.#titles.delete(id);
    this.#descriptions.delete(id);
    this.#details.delete(id);
  }
}
