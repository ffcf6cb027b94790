/** What a viewer who joins later gets of one kind of side data: the last frame of each key (`SideItem.key`). */
import { frameBytes, type SideFrame } from './frame.ts';

/** Against a broadcast that invents keys; data broadcast has at most some hundred modules. */
const MAX_FRAMES = 4_096;

export class SideState {
  /** By key, the earliest first. */
  readonly #frames = new Map<string, SideFrame>();
  #bytes = 0;

  /** @param maxBytes a frame beyond this bound is not kept */
  constructor(private readonly maxBytes: number) {}

  keep(frame: SideFrame): void {
    const { key, clears } = frame.item;
    if (clears !== undefined) {
      for (const known of this.#frames.keys()) if (known.startsWith(clears)) this.#drop(known);
    }
    if (key === null) return;
    this.#drop(key);
    const size = frameBytes(frame);
    if (this.#bytes + size > this.maxBytes || this.#frames.size >= MAX_FRAMES) return;
    this.#frames.set(key, frame);
    this.#bytes += size;
  }

  frames(): SideFrame[] {
    return [...this.#frames.values()].sort(({ item: one }, { item: other }) => rankOf(one) - rankOf(other));
  }

  #drop(key: string): void {
    const known = this.#frames.get(key);
    if (known === undefined) return;
    this.#bytes -= frameBytes(known);
    this.#frames.delete(key);
  }
}

function rankOf({ rank = 0 }: SideFrame['item']): number {
  return rank;
}
