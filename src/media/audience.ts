/** The viewers of one session and the pending requests for it. The session lasts as long as there are any. */
import type { Frame } from './frame.ts';
import type { SideFeed } from './source.ts';
import { ViewerQueue } from './viewer-queue.ts';

interface AudienceOptions {
  /** Limit of each viewer's queue, octets. */
  readonly maxBytes: number;
  /** Called when the last viewer or request has left. */
  readonly onEmpty: () => void;
  /** Called when any viewer's queue became half full, or all queues have room again. */
  readonly onCrowded?: ((isCrowded: boolean) => void) | undefined;
  /** Side data of the session's current output. */
  readonly side?: (() => SideFeed | undefined) | undefined;
}

/** Ends a viewer after its pushed frames, or at once if there is a reason why the stream broke. */
export function dismiss(viewer: ViewerQueue, reason: Error | undefined): void {
  if (reason === undefined) viewer.end();
  else viewer.fail(reason);
}

export class Audience {
  readonly #viewers = new Set<ViewerQueue>();
  #holds = 0;
  /** Number of viewers whose queue is half full. */
  #crowded = 0;
  /** Number of viewers that ask for side data on demand. */
  #demanding = 0;

  constructor(private readonly options: AudienceOptions) {}

  /** Keeps the session for a pending request, until the returned function is called. */
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
      onDemand: (on) => this.#countDemanding(on),
      demanded: () => this.options.side?.()?.current('demand') ?? [],
    });
    this.#viewers.add(viewer);
    return viewer;
  }

  get size(): number {
    return this.#viewers.size;
  }

  push(frame: Frame): void {
    for (const viewer of [...this.#viewers]) viewer.push(frame);
  }

  dismiss(reason: Error | undefined): void {
    for (const viewer of [...this.#viewers]) dismiss(viewer, reason);
  }

  #countCrowded(isCrowded: boolean): void {
    const before = this.#crowded > 0;
    this.#crowded += isCrowded ? 1 : -1;
    if (this.#crowded > 0 !== before) this.options.onCrowded?.(isCrowded);
  }

  #countDemanding(on: boolean): void {
    const before = this.#demanding > 0;
    this.#demanding += on ? 1 : -1;
    if (this.#demanding > 0 !== before) this.options.side?.()?.demand(on);
  }

  #check(): void {
    if (this.#viewers.size === 0 && this.#holds === 0) this.options.onEmpty();
  }
}
