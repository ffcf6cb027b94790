/**
 * One viewer: a bounded queue of frames between a session and its sender. A viewer that does not take its frames is
 * dropped, without delaying other viewers.
 *
 * Side data on demand wait in a lane of their own and are sent while no other frame waits, so that megabytes of them
 * drop no viewer. A viewer that lags behind in them by MAX_LANE_BYTES gets the current state instead.
 */
import { type Frame, frameBytes, type SideFrame } from './frame.ts';

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

/** The state itself is not counted: it is shared by all viewers. */
const MAX_LANE_BYTES = 8 * 1024 * 1024;

interface ViewerOptions {
  /** Octets that may be queued for this viewer, in addition to the system's socket buffers (4 to 8 MB). */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Called once, when the viewer leaves for any reason. */
  readonly onLeft: () => void;
  /** Called when the queue became half full, or has room again. */
  readonly onCrowded?: (isCrowded: boolean) => void;
  /** Called when the viewer asks for side data on demand, or no longer. */
  readonly onDemand?: (on: boolean) => void;
  /** The current state of the side data on demand. */
  readonly demanded?: () => SideFrame[];
}

export class ViewerQueue {
  readonly #frames: Frame[] = [];
  #bytes = 0;
  #isCrowded = false;
  #isDemanding = false;
  /** Side data on demand: the state when they were asked for, and later ones. */
  #replay: SideFrame[] = [];
  #lane: SideFrame[] = [];
  #laneBytes = 0;
  #wake: (() => void) | undefined;
  #state: 'open' | 'ending' | 'over' = 'open';
  #reason: Error | undefined;
  #onFailure: ((reason: Error) => void) | undefined;
  readonly #onAbort = (): void => this.leave();
  readonly #left = Promise.withResolvers<void>();

  constructor(private readonly options: ViewerOptions) {
    if (options.signal.aborted) queueMicrotask(this.#onAbort);
    else options.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Resolves when the viewer has left for any reason. */
  get left(): Promise<void> {
    return this.#left.promise;
  }

  push(frame: Frame): void {
    if (this.#state !== 'open') return;
    const size = frameBytes(frame);
    if (frame.kind === 'side' && frame.row.when === 'demand') {
      this.#pushDemanded(frame, size);
      return;
    }
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

  /** Asks for side data on demand, beginning with their current state; or no longer. */
  demand(on: boolean): void {
    if (this.#state !== 'open' || on === this.#isDemanding) return;
    this.#isDemanding = on;
    this.options.onDemand?.(on);
    this.#refill();
  }

  /**
   * Waits for the next frame; undefined after the regular end and after `leave`. One call at a time.
   * @param takesDemanded side data on demand may be next @throws the reason of `fail`
   */
  async next(takesDemanded = true): Promise<Frame | undefined> {
    let frame = this.#take(takesDemanded);
    while (frame === undefined && this.#state === 'open') {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
      frame = this.#take(takesDemanded);
    }
    if (frame === undefined) this.leave();
    if (this.#reason !== undefined) throw this.#reason;
    return frame;
  }

  #take(takesDemanded: boolean): Frame | undefined {
    const frame = this.#frames.shift();
    if (frame !== undefined) {
      this.#count(-frameBytes(frame));
      return frame;
    }
    if (!takesDemanded) return undefined;
    const replayed = this.#replay.shift();
    if (replayed !== undefined) return replayed;
    const demanded = this.#lane.shift();
    if (demanded !== undefined) this.#laneBytes -= frameBytes(demanded);
    return demanded;
  }

  #pushDemanded(frame: SideFrame, size: number): void {
    if (!this.#isDemanding) return;
    if (this.#laneBytes + size > MAX_LANE_BYTES) {
      this.#refill();
      return;
    }
    this.#lane.push(frame);
    this.#laneBytes += size;
    this.#wake?.();
  }

  #refill(): void {
    this.#lane = [];
    this.#laneBytes = 0;
    this.#replay = this.#isDemanding ? (this.options.demanded?.() ?? []) : [];
    this.#wake?.();
  }

  /** The client has disconnected. Idempotent. */
  leave(): void {
    if (this.#state === 'over') return;
    if (this.#isDemanding) this.options.onDemand?.(false);
    this.#isDemanding = false;
    this.#state = 'over';
    this.#refill();
    this.#frames.length = 0;
    this.#count(-this.#bytes);
    this.options.signal.removeEventListener('abort', this.#onAbort);
    this.#wake?.();
    this.options.onLeft();
    this.#left.resolve();
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
