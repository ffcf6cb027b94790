/**
 * The preview of a rule as it is written: asks a moment after the last change, lets an answer that is no longer wanted
 * go, and keeps the last one on the screen until the next is there.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { RulePreview } from '../../wire/api.ts';
import type { RuleId } from '../../wire/ids.ts';
import { ApiFailure, networkFailure, type previewRule } from '../query/api.ts';
import type { CompleteBody } from './form.ts';

export type PreviewState =
  /** Nothing chooses among programmes yet. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'waiting'; readonly before: RulePreview | undefined }
  | { readonly kind: 'ready'; readonly preview: RulePreview }
  | { readonly kind: 'failed'; readonly failure: ApiFailure; readonly before: RulePreview | undefined };

/** Longer than the pause between two letters of a word. */
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

  /** @param atOnce without waiting for more changes */
  show(body: CompleteBody, atOnce = false): void {
    this.close();
    this.#state.value = { kind: 'waiting', before: previewOf(this.#state.peek()) };
    this.#timer = setTimeout(() => void this.#run(body), atOnce ? 0 : this.pauseMs);
  }

  clear(): void {
    this.close();
    this.#state.value = { kind: 'empty' };
  }

  /** Nothing more comes. */
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
      const failure = error instanceof ApiFailure ? error : networkFailure(error);
      this.#state.value = { kind: 'failed', failure, before };
    }
  }
}
