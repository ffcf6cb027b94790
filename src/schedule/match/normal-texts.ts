/** Texts of programmes in normal form, as rules compare them. Recent ones are kept, others made again. */
import type { ProgramId } from '../../../arib/ids.ts';
import { matchText } from '../../model/search-text.ts';
import type { GuideProgram } from './guide-program.ts';
import { LruCache } from './lru-cache.ts';

/** Frequent candidates of rules: 300 rules have some ten thousand. Up to 5 MB. */
const RECENT_TEXTS = 4096;
/** Rarely asked for, and long. */
const RECENT_DETAILS = 1024;

/** Headings and bodies of the extended text, in normal form, a line each. */
export function detailText({ extended }: GuideProgram): string {
  return Object.entries(extended ?? {})
    .flat()
    .map(matchText)
    .join('\n');
}

export class NormalTexts {
  readonly #titles = new LruCache<ProgramId, string>(RECENT_TEXTS);
  readonly #descriptions = new LruCache<ProgramId, string>(RECENT_TEXTS);
  readonly #details = new LruCache<ProgramId, string>(RECENT_DETAILS);

  title(program: GuideProgram): string {
    return this.#titles.of(program.id, () => matchText(program.name));
  }

  description(program: GuideProgram): string {
    return this.#descriptions.of(program.id, () => matchText(program.description));
  }

  detail(program: GuideProgram): string {
    return this.#details.of(program.id, () => detailText(program));
  }

  /** It has changed, or is gone. */
  forget(id: ProgramId): void {
    this.#titles.delete(id);
    this.#descriptions.delete(id);
    this.#details.delete(id);
  }
}
