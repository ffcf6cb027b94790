/**
 * Preview requests of the rule editor: debounced after the last change, stale requests are aborted, and the last
 * answer stays visible until the next has arrived.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { RulePreview } from '../../lib/wire/api.ts';
import type { RuleId } from '../../lib/wire/ids.ts';
import { type ApiFailure, asFailure, type previewRule } from '../query/api.ts';
import type { CompleteBody } from './form.ts';

export type PreviewState =
  /** No condition is set yet. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'waiting'; readonly before: RulePreview | undefined }
  | { readonly kind: 'ready'; readonly preview: RulePreview }
  | { readonly kind: 'failed'; readonly failure: ApiFailure; readonly before: RulePreview | undefined };

/** Debounce: longer than the pause between two letters of a word. */
const PAUSE_MS = 300;

export function previewOf(state: PreviewState): RulePreview | undefined {
  switch (state.kind) {
    case 'empty':
      return undefined;
    case 'ready':
      return state.preview;
    case 'waiting':
    case 'failed':
      return state.before;
  }
}

export class PreviewRun {
  readonly #state = signal<PreviewState>({ kind: 'empty' });
  #abort: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly ask: typeof previewRule,
    readonly ruleId: RuleId | undefined,
    readonly pauseMs: number = PAUSE_MS,
  ) {}

  get state(): ReadonlySignal<PreviewState> {
    return this.#state;
  }

  /** @param atOnce without the debounce */
  show(body: CompleteBody, atOnce = false): void {
    this.close();
    this.#state.value = { kind: 'waiting', before: previewOf(this.#state.peek()) };
    this.#timer = setTimeout(() => void this.#run(body), atOnce ? 0 : this.pauseMs);
  }

  clear(): void {
    this.close();
    this.#state.value = { kind: 'empty' };
  }

  /** Stops all requests. */
  close(): void {
    clearTimeout(this.#timer);
    this.#abort?.abort();
    this.#abort = undefined;
  }

  async #run(body: CompleteBody): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    const before = previewOf(this.#state.peek());
    try {
      const preview = await this.ask(body, this.ruleId, abort.signal);
      if (!abort.signal.aborted) this.#state.value = { kind: 'ready', preview };
    } catch (error) {
      if (abort.signal.aborted) return;
      const failure = asFailure(error);
      this.#state.value = { kind: 'failed', failure, before };
    }
  }
}
