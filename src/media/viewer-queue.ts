/**
 * One viewer: a bounded queue of frames between a session and whatever sends them. A viewer that does not take its
 * frames is dropped alone; no other viewer waits for it.
 */
import { type Frame, frameBytes } from './frame.ts';

/** The viewer took its frames too slowly and was dropped. */
export class SlowViewer extends Error {
  override readonly name = 'SlowViewer';
}

/** The stream of a session broke. `lost`: its source; `encoder`: what encodes it; `behind`: this program was too slow. */
export class StreamBroken extends Error {
  override readonly name = 'StreamBroken';
  constructor(readonly by: 'lost' | 'encoder' | 'behind') {
    super(`the stream ended: ${by}`);
  }
}

interface ViewerOptions {
  /** Octets that may wait for this viewer, in addition to the system's socket buffers (4 to 8 MB). */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Called once, however the viewer goes. */
  readonly onLeft: () => void;
  /** The queue became half full, or has room again. */
  readonly onCrowded?: (isCrowded: boolean) => void;
}

export class ViewerQueue {
  readonly #frames: Frame[] = [];
  #bytes = 0;
  #isCrowded = false;
  #wake: (() => void) | undefined;
  #state: 'open' | 'ending' | 'over' = 'open';
  #reason: Error | undefined;
  #onFailure: ((reason: Error) => void) | undefined;
  readonly #onAbort = (): void => this.leave();

  constructor(private readonly options: ViewerOptions) {
    if (options.signal.aborted) queueMicrotask(this.#onAbort);
    else options.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  push(frame: Frame): void {
    if (this.#state !== 'open') return;
    const size = frameBytes(frame);
    if (this.#bytes + size > this.options.maxBytes) {
      this.fail(new SlowViewer('the viewer reads too slowly'));
      return;
    }
    this.#frames.push(frame);
    this.#count(size);
    this.#wake?.();
  }

  /** A regular end, after everything that was pushed. */
  end(): void {
    if (this.#state !== 'open') return;
    this.#state = 'ending';
    this.#wake?.();
  }

  /** Ends at once with an error, so that no client takes what it received for the whole. */
  fail(reason: Error): void {
    if (this.#state === 'over') return;
    this.#reason = reason;
    this.#onFailure?.(reason);
    this.leave();
  }

  /** Called when the viewer fails, also while nothing is taken from it. */
  onFailure(listener: (reason: Error) => void): void {
    this.#onFailure = listener;
    if (this.#reason !== undefined) listener(this.#reason);
  }

  /**
   * The next frame, when there is one; undefined after the regular end and after `leave`. One call at a time.
   * @throws the reason of `fail`
   */
  async next(): Promise<Frame | undefined> {
    while (this.#frames.length === 0 && this.#state === 'open') {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
    const frame = this.#frames.shift();
    if (frame !== undefined) this.#count(-frameBytes(frame));
    else this.leave();
    if (this.#reason !== undefined) throw this.#reason;
    return frame;
  }

  /** The client is gone. Idempotent. */
  leave(): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#frames.length = 0;
    this.#count(-this.#bytes);
    this.options.signal.removeEventListener('abort', this.#onAbort);
    this.#wake?.();
    this.options.onLeft();
  }

  #count(octets: number): void {
    this.#bytes += octets;
    const { maxBytes, onCrowded } = this.options;
    // Room again at a quarter, so that a reader at its limit does not switch the source with every frame.
    const isCrowded = this.#bytes > maxBytes / (this.#isCrowded ? 4 : 2);
    if (isCrowded === this.#isCrowded) return;
    this.#isCrowded = isCrowded;
    onCrowded?.(isCrowded);
  }
}
