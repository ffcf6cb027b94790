/** The viewers of one session and the requests about to become viewers: the session lasts as long as there are any. */
import type { Frame } from './frame.ts';
import { ViewerQueue } from './viewer-queue.ts';

interface AudienceOptions {
  /** Of each viewer's queue, octets. */
  readonly maxBytes: number;
  /** The last viewer or request is gone. */
  readonly onEmpty: () => void;
  /** The queue of some viewer became half full, or that of every viewer has room again. */
  readonly onCrowded?: ((isCrowded: boolean) => void) | undefined;
}

/** After what was pushed, or at once with the reason why the stream broke. */
export function dismiss(viewer: ViewerQueue, reason: Error | undefined): void {
  if (reason === undefined) viewer.end();
  else viewer.fail(reason);
}

export class Audience {
  readonly #viewers = new Set<ViewerQueue>();
  #holds = 0;
  /** How many viewers' queues are half full. */
  #crowded = 0;

  constructor(private readonly options: AudienceOptions) {}

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

  admit(signal: AbortSignal): ViewerQueue {
    const viewer: ViewerQueue = new ViewerQueue({
      maxBytes: this.options.maxBytes,
      signal,
      onLeft: () => {
        this.#viewers.delete(viewer);
        this.#check();
      },
      onCrowded: (isCrowded) => this.#countCrowded(isCrowded),
    });
    this.#viewers.add(viewer);
    return viewer;
  }

  get size(): number {
    return this.#viewers.size;
  }

  /** The same frame for all of them. */
  push(frame: Frame): void {
    for (const viewer of [...this.#viewers]) viewer.push(frame);
  }

  /** Ends every viewer. */
  dismiss(reason: Error | undefined): void {
    for (const viewer of [...this.#viewers]) dismiss(viewer, reason);
  }

  #countCrowded(isCrowded: boolean): void {
    const before = this.#crowded > 0;
    this.#crowded += isCrowded ? 1 : -1;
    if (this.#crowded > 0 !== before) this.options.onCrowded?.(isCrowded);
  }

  #check(): void {
    if (this.#viewers.size === 0 && this.#holds === 0) this.options.onEmpty();
  }
}
