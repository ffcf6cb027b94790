/**
 * One user of a tuning: its queue and the HTTP body that drains it. Chunks are shared with the other users by
 * reference. A slow connection does not delay the others; beyond the bound, only this consumer is disconnected.
 */

interface ConsumerOptions {
  readonly id: number;
  readonly use: string;
  readonly priority: number;
  /** Limit of bytes waiting for the connection, 64 MB: half a minute of the fastest broadcast. */
  readonly lagLimitBytes: number;
  /** Time limit for an ended user to fetch its queued data, ms. */
  readonly drainMs: number;
  /** Time for sending the last chunks before an abort, ms. */
  readonly flushMs: number;
  /** Called once, when the connection was closed, lagged too far, or the user was ended. */
  readonly onLeave: (consumer: Consumer, why: LeaveReason) => void;
}

/** `gone`: disconnected. `lagged`: queue over the bound. `ended`: handed over, or failed by the tuning. */
export type LeaveReason = 'gone' | 'lagged' | 'ended';

/** Why a stream was ended other than by its reader. The message can be shown to the user. */
export class StreamFailure extends Error {
  override readonly name = 'StreamFailure';
  constructor(
    message: string,
    /** The tuner was taken away, and did not fail. */
    readonly isTaken = false,
  ) {
    super(message);
  }
}

type Ending =
  | { readonly kind: 'open' }
  | { readonly kind: 'clean' }
  | { readonly kind: 'failed'; error: Error };

export class Consumer {
  readonly id: number;
  readonly use: string;
  readonly priority: number;
  readonly body: ReadableStream<Uint8Array>;
  /**
   * Resolves with the first bytes (or with a clean end before them), rejects with a `StreamFailure` if the tuning
   * failed before them.
   */
  readonly started: Promise<void>;

  /** Resolves once, when the user no longer belongs to its tuning. Never rejects. */
  readonly left: Promise<LeaveReason>;

  readonly #start = Promise.withResolvers<void>();
  readonly #leaving = Promise.withResolvers<LeaveReason>();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #queue: Uint8Array[] = [];
  /** Index of the first chunk not yet taken; the array is compacted when many were taken. */
  #head = 0;
  #lagBytes = 0;
  #wanted = false;
  #left = false;
  #finished = false;
  #ending: Ending = { kind: 'open' };
  #drainTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: ConsumerOptions) {
    this.id = options.id;
    this.use = options.use;
    this.priority = options.priority;
    this.started = this.#start.promise;
    this.left = this.#leaving.promise;
    // Avoids an unhandled rejection if the connection that would await it is closed.
    this.started.catch(() => {});
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#pull(),
        cancel: () => this.leave(),
      },
      { highWaterMark: 0 },
    );
  }

  /** Bytes queued for this user and not yet taken by its connection. */
  get lagBytes(): number {
    return this.#lagBytes;
  }

  push(chunk: Uint8Array): void {
    if (this.#left || chunk.length === 0) return;
    this.#start.resolve();
    if (this.#wanted) {
      this.#wanted = false;
      this.#send(chunk);
      return;
    }
    this.#queue.push(chunk);
    this.#lagBytes += chunk.length;
    if (this.#lagBytes > this.options.lagLimitBytes) this.#cut();
  }

  /** Ends normally after all queued data: only for a handover. */
  end(): void {
    this.#finish({ kind: 'clean' });
  }

  /** Aborts the connection after all queued data, or rejects `started` if there was none. */
  fail(reason: string, isTaken = false): void {
    this.#finish({ kind: 'failed', error: new StreamFailure(reason, isTaken) });
  }

  /** The connection was closed. */
  leave(): void {
    const failure = new StreamFailure('接続が切れました');
    this.#leave('gone');
    this.#start.reject(failure);
    if (this.#finished) return;
    this.#drop();
    // So that a reader of the body does not wait forever; has no effect after a cancel.
    this.#controller?.error(failure);
  }

  #pull(): void {
    const chunk = this.#queue[this.#head];
    if (chunk !== undefined) {
      this.#head += 1;
      this.#lagBytes -= chunk.length;
      this.#compact();
      this.#send(chunk);
      if (this.#lagBytes === 0 && this.#ending.kind !== 'open') this.#drained();
      return;
    }
    this.#wanted = true;
    // What was sent before has been written.
    if (this.#ending.kind !== 'open' && !this.#finished) this.#drained();
  }

  /** Handles a body closed by the runtime, which must not detach a chunk shared with other users. */
  #send(chunk: Uint8Array): void {
    try {
      this.#controller?.enqueue(chunk);
    } catch {
      this.leave();
    }
  }

  #compact(): void {
    if (this.#head < this.#queue.length && this.#head < 256) return;
    this.#queue = this.#queue.slice(this.#head);
    this.#head = 0;
  }

  #cut(): void {
    const error = new StreamFailure('受信が遅れすぎたため、この接続だけを切りました');
    this.#leave('lagged');
    this.#ending = { kind: 'failed', error };
    this.#settle();
  }

  #finish(ending: Ending): void {
    if (this.#left) return;
    this.#ending = ending;
    this.#leave('ended');
    if (ending.kind === 'failed') this.#start.reject(ending.error);
    else this.#start.resolve();
    if (this.#lagBytes === 0) this.#drained();
    else this.#drainTimer = setTimeout(() => this.#settle(), this.options.drainMs);
  }

  /**
   * Delays an abort, which discards data that the runtime has not written yet, until it wants more and the last chunks
   * are sent.
   */
  #drained(): void {
    clearTimeout(this.#drainTimer);
    if (this.#ending.kind === 'clean') this.#settle();
    else {
      const { flushMs, drainMs } = this.options;
      this.#drainTimer = setTimeout(() => this.#settle(), this.#wanted ? flushMs : drainMs);
    }
  }

  /** Ends the body. If it was not drained in time, a clean end becomes a failure, so that no data is lost silently. */
  #settle(): void {
    if (this.#finished) return;
    const lost = this.#lagBytes > 0;
    const ending = this.#ending;
    this.#drop();
    if (ending.kind === 'failed') this.#controller?.error(ending.error);
    else if (lost) this.#controller?.error(new StreamFailure('終了までに送りきれませんでした'));
    else {
      try {
        this.#controller?.close();
      } catch {
        // Already closed by the runtime.
      }
    }
  }

  #drop(): void {
    this.#finished = true;
    clearTimeout(this.#drainTimer);
    this.#queue = [];
    this.#head = 0;
    this.#lagBytes = 0;
  }

  #leave(why: LeaveReason): void {
    if (this.#left) return;
    this.#left = true;
    this.#leaving.resolve(why);
    this.options.onLeave(this, why);
  }
}
