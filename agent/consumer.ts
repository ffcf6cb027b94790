/**
 * One user of a tuning: its queue and the HTTP body that drains it. Chunks are shared with the other users by
 * reference; a slow connection delays no other, and beyond the bound only this consumer is cut.
 */

interface ConsumerOptions {
  readonly id: number;
  readonly use: string;
  readonly priority: number;
  /** Limit of bytes waiting for the connection, 64 MB: half a minute of the fastest broadcast. */
  readonly lagLimitBytes: number;
  /** How long an ended user may take to fetch what is still queued, in ms. */
  readonly drainMs: number;
  /** Called once, when the connection has gone, has lagged too far or the user was ended. */
  readonly onLeave: (consumer: Consumer, why: LeaveReason) => void;
}

/** Enough for a reader that keeps up, also on a busy machine. */
const FLUSH_MS = 100;

/** `gone`: the connection. `lagged`: past the bound. `ended`: handed over or failed by the tuning. */
export type LeaveReason = 'gone' | 'lagged' | 'ended';

/** Why a stream ended other than by its reader. The message is displayable. */
export class StreamFailure extends Error {
  override readonly name = 'StreamFailure';
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
   * Resolves with the first bytes (or with a clean end before them), rejects with a `StreamFailure` when the
   * tuning failed before them.
   */
  readonly started: Promise<void>;

  /** Resolves once, when the user no longer belongs to its tuning. Never rejects. */
  readonly left: Promise<LeaveReason>;

  readonly #start = Promise.withResolvers<void>();
  readonly #leaving = Promise.withResolvers<LeaveReason>();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #queue: Uint8Array[] = [];
  /** Chunks before it were taken; the array is compacted when they are many. */
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
    // Not an unhandled rejection: the connection that would await it is gone.
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

  /** Bytes received for this user and not yet taken by its connection. */
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
  fail(reason: string): void {
    this.#finish({ kind: 'failed', error: new StreamFailure(reason) });
  }

  /** The connection has gone. */
  leave(): void {
    const failure = new StreamFailure('接続が切れました');
    this.#leave('gone');
    this.#start.reject(failure);
    if (this.#finished) return;
    this.#drop();
    // A reader of the body must not wait for ever; after a cancel this has no effect.
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
  }

  /** A body closed by the runtime must not detach the chunk that other users share. */
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

  /** An abort discards data that the runtime has not written yet: gives the last chunks time to be sent. */
  #drained(): void {
    clearTimeout(this.#drainTimer);
    if (this.#ending.kind === 'clean') this.#settle();
    else this.#drainTimer = setTimeout(() => this.#settle(), FLUSH_MS);
  }

  /** Ends the body. If it could not be drained in time, a clean end becomes a failure: nothing is lost silently. */
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
        // Closed already by the runtime.
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
