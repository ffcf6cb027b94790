/**
 * The state of a search: requests are debounced, outdated responses are dropped, and the last result stays on the
 * screen until the next one arrives.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { SearchResult } from '../../lib/wire/api.ts';
import { type ApiFailure, asFailure, getSearch, previewRule } from '../query/api.ts';
import { bodyOf, countFilters, type Filters, isEnough, NO_FILTERS, resultOf } from './filters.ts';
import { type Sizes, searchAll } from './sections.ts';

type SearchState =
  | { readonly kind: 'empty' }
  | { readonly kind: 'waiting'; readonly before: SearchResult | undefined }
  | { readonly kind: 'ready'; readonly result: SearchResult }
  | { readonly kind: 'failed'; readonly failure: ApiFailure };

/** Longer than the pause between two letters of one word, shorter than the pause to look up. */
const PAUSE_MS = 140;

export class SearchRun {
  readonly #state = signal<SearchState>({ kind: 'empty' });
  #abort: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = '';

  constructor(private readonly ask: typeof getSearch = getSearch) {}

  get state(): ReadonlySignal<SearchState> {
    return this.#state;
  }

  /**
   * @param atOnce without waiting for more letters
   * @param filters narrow it to programmes: what a rule with them would find
   */
  search(words: string, sizes: Sizes, atOnce: boolean, filters: Filters = NO_FILTERS): void {
    const key = `${Object.values(sizes).join(' ')} ${JSON.stringify(filters)} ${words.trim()}`;
    if (key === this.#asked && !atOnce) return;
    this.#asked = key;
    this.#stop();
    if (words.trim() === '' && !isEnough(filters)) {
      this.#state.value = { kind: 'empty' };
      return;
    }
    const before = this.#state.value;
    this.#state.value = {
      kind: 'waiting',
      before: before.kind === 'ready' ? before.result : before.kind === 'waiting' ? before.before : undefined,
    };
    this.#timer = setTimeout(() => void this.#run(words, sizes, filters), atOnce ? 0 : PAUSE_MS);
  }

  close(): void {
    this.#stop();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#abort?.abort();
    this.#abort = undefined;
  }

  async #run(words: string, sizes: Sizes, filters: Filters): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    try {
      const result =
        countFilters(filters) === 0
          ? await searchAll(this.ask, words, sizes, abort.signal)
          : resultOf(
              words.trim(),
              await previewRule(bodyOf(words, filters), undefined, abort.signal),
              sizes.programs,
            );
      if (!abort.signal.aborted) this.#state.value = { kind: 'ready', result };
    } catch (error) {
      if (abort.signal.aborted) return;
      this.#state.value = {
        kind: 'failed',
        failure: asFailure(error),
      };
    }
  }
}
