/**
 * One viewer: a bounded queue of frames between a session and its sender. A viewer that does not take its frames is
 * dropped, without delaying other viewers.
 */
import { type Frame, frameBytes } from './frame.ts';

/** The viewer took its frames too slowly and was dropped. */
export class SlowViewer extends Error {
  override readonly name = 'SlowViewer';
}

/** The stream of a session broke. `lost`: its source; `encoder`: its encoder; `behind`: this program was too slow. */
export class StreamBroken extends Error {
  override readonly name = 'StreamBroken';
  constructor(readonly by: 'lost' | 'encoder' | 'behind') {
    super(`the stream ended: ${by}`);
  }
}

interface ViewerOptions {
  /** Octets that may be queued for this viewer, in addition to the system's socket buffers (4 to 8 MB). */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Called once, when the viewer leaves for any reason. */
  readonly onLeft: () => void;
  /** Called when the queue became half full, or has room again. */
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

  /** Ends regularly, after all pushed frames. */
  end(): void {
    if (this.#state !== 'open') return;
    this.#state = 'ending';
    this.#wake?.();
  }

  /** Ends at once with an error, so that the client knows that its data is incomplete. */
  fail(reason: Error): void {
    if (this.#state === 'over') return;
    this.#reason = reason;
    this.#onFailure?.(reason);
    this.leave();
  }

  /** Registers a listener, which is called when the viewer fails, also if no frames are read. */
  onFailure(listener: (reason: Error) => void): void {
    this.#onFailure = listener;
    if (this.#reason !== undefined) listener(this.#reason);
  }

  /**
   * Waits for the next frame; undefined after the regular end and after `leave`. One call at a time.
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

  /** The client has disconnected. Idempotent. */
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
    // Hysteresis: released at a quarter, so that the source is not paused and resumed with every frame.
    const isCrowded = this.#bytes > maxBytes / (this.#isCrowded ? 4 : 2);
    if (isCrowded === this.#isCrowded) return;
    this.#isCrowded = isCrowded;
    onCrowded?.(isCrowded);
  }
}
