/** Texts of programmes in normal form, for comparison with rules. Recent ones are cached. */
import type { ProgramId } from '../../../lib/arib/ids.ts';
import { matchText } from '../../model/search-text.ts';
import { LruCache } from './lru-cache.ts';
import type { IndexedProgram } from './program-rows.ts';

/** Cache size for frequent candidates of rules: 300 rules have some ten thousand. Up to 5 MB. */
const RECENT_TEXTS = 4096;
/** Rarely needed, and long. */
const RECENT_DETAILS = 1024;

/** Headings and bodies of the extended text in normal form, one per line. */
export function detailText({ extended }: IndexedProgram): string {
  return Object.entries(extended ?? {})
    .flat()
    .map(matchText)
    .join('\n');
}

export class NormalTexts {
  readonly #titles = new LruCache<ProgramId, string>(RECENT_TEXTS);
  readonly #descriptions = new LruCache<ProgramId, string>(RECENT_TEXTS);
  readonly #details = new LruCache<ProgramId, string>(RECENT_DETAILS);

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
