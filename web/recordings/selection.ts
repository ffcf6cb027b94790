/** The recordings selected for an action on several at once. */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { Recording } from '../../wire/api.ts';
import type { RecordingId } from '../../wire/ids.ts';

export class Selection {
  /** In selection mode a press on a recording selects it instead of opening it. */
  readonly #choosing = signal(false);
  readonly #items = signal<ReadonlyMap<RecordingId, Recording>>(new Map());
  /** Where a range selected with Shift begins. */
  #anchor = 0;

  get choosing(): ReadonlySignal<boolean> {
    return this.#choosing;
  }

  get items(): ReadonlySignal<ReadonlyMap<RecordingId, Recording>> {
    return this.#items;
  }

  begin(): void {
    this.#choosing.value = true;
  }

  clear(): void {
    this.#choosing.value = false;
    this.#items.value = new Map();
  }

  toggle(recording: Recording, index: number): void {
    const next = new Map(this.#items.peek());
    if (!next.delete(recording.id)) next.set(recording.id, recording);
    this.#anchor = index;
    this.#choosing.value = true;
    this.#items.value = next;
  }

  /** Selects the range from the last selected item to `index`, both included. */
  stretchTo(index: number): readonly [first: number, last: number] {
    return this.#anchor <= index ? [this.#anchor, index] : [index, this.#anchor];
  }

  /** Sets the start of a Shift range while nothing is selected. */
  anchorAt(index: number): void {
    if (this.#items.peek().size === 0) this.#anchor = index;
  }

  add(recordings: readonly Recording[]): void {
    const next = new Map(this.#items.peek());
    for (const recording of recordings) next.set(recording.id, recording);
    this.#choosing.value = true;
    this.#items.value = next;
  }

  /** Replaces the selected recordings by their latest answers. */
  renew(find: (id: RecordingId) => Recording | undefined): void {
    const held = this.#items.peek();
    if (held.size === 0) return;
    this.#items.value = new Map([...held].map(([id, recording]) => [id, find(id) ?? recording]));
  }
}
