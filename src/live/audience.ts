/** The viewers of one session and the requests about to become viewers: while there are any, it goes on. */
import { Viewer } from './viewer.ts';

export class Audience {
  readonly #viewers = new Set<Viewer>();
  #holds = 0;

  constructor(
    readonly maxQueuedBytes: number,
    /** Nobody is left. */
    readonly onEmpty: () => void,
  ) {}

  /** Keeps the session for a request on its way; the result ends that, once. */
  hold(): () => void {
    this.#holds += 1;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holds -= 1;
      this.#check();
    };
  }

  admit(signal: AbortSignal): Viewer {
    const viewer: Viewer = new Viewer({
      maxQueuedBytes: this.maxQueuedBytes,
      signal,
      left: () => {
        this.#viewers.delete(viewer);
        this.#check();
      },
    });
    this.#viewers.add(viewer);
    return viewer;
  }

  get size(): number {
    return this.#viewers.size;
  }

  /** One piece of memory for all of them. */
  push(bytes: Uint8Array): void {
    for (const viewer of [...this.#viewers]) viewer.push(bytes);
  }

  /** Everybody goes: after what was pushed, or at once with the reason why the stream broke. */
  dismiss(reason: Error | undefined): void {
    for (const viewer of [...this.#viewers]) {
      if (reason === undefined) viewer.end();
      else viewer.fail(reason);
    }
  }

  #check(): void {
    if (this.#viewers.size === 0 && this.#holds === 0) this.onEmpty();
  }
}
