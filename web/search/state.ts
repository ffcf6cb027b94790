/**
 * The search as it goes: asks a moment after the last letter, lets an answer that is no longer wanted go, and keeps
 * the last result on the screen until the next one is there.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { SearchResult } from '../../wire/api.ts';
import { ApiFailure, getSearch, networkFailure } from '../query/api.ts';
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

  constructor(readonly ask: typeof getSearch = getSearch) {}

  get state(): ReadonlySignal<SearchState> {
    return this.#state;
  }

  /** @param at once, without waiting for more letters */
  search(words: string, sizes: Sizes, atOnce: boolean): void {
    const key = `${Object.values(sizes).join(' ')} ${words.trim()}`;
    if (key === this.#asked && !atOnce) return;
    this.#asked = key;
    this.#stop();
    if (words.trim() === '') {
      this.#state.value = { kind: 'empty' };
      return;
    }
    const before = this.#state.value;
    this.#state.value = {
      kind: 'waiting',
      before: before.kind === 'ready' ? before.result : before.kind === 'waiting' ? before.before : undefined,
    };
    this.#timer = setTimeout(() => void this.#run(words, sizes), atOnce ? 0 : PAUSE_MS);
  }

  close(): void {
    this.#stop();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#abort?.abort();
    this.#abort = undefined;
  }

  async #run(words: string, sizes: Sizes): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    try {
      const result = await searchAll(this.ask, words, sizes, abort.signal);
      if (!abort.signal.aborted) this.#state.value = { kind: 'ready', result };
    } catch (error) {
      if (abort.signal.aborted) return;
      this.#state.value = {
        kind: 'failed',
        failure: error instanceof ApiFailure ? error : networkFailure(error),
      };
    }
  }
}
