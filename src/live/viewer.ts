/**
 * One viewer's way out: a bounded queue behind an HTTP body. A viewer that does not take its bytes is cut
 * alone; nobody else waits for it.
 */

export interface ViewerOptions {
  /** Octets that may wait for this viewer, beside what the system's sockets hold (4 to 8 MB). */
  maxQueuedBytes: number;
  signal: AbortSignal;
  /** Called once, however the viewer goes. */
  left: () => void;
}

export class Viewer {
  readonly body: ReadableStream<Uint8Array>;
  readonly #queue: Uint8Array[] = [];
  #queued = 0;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #wanted: (() => void) | undefined;
  #state: 'open' | 'ending' | 'over' = 'open';
  readonly #onAbort = (): void => this.#leave();

  constructor(readonly options: ViewerOptions) {
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#pull(),
        cancel: () => this.#leave(),
      },
      { highWaterMark: 0 },
    );
    if (options.signal.aborted) queueMicrotask(this.#onAbort);
    else options.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  push(bytes: Uint8Array): void {
    if (this.#state !== 'open') return;
    if (this.#queued + bytes.length > this.options.maxQueuedBytes) {
      this.fail(new Error('the viewer takes its bytes too slowly'));
      return;
    }
    this.#queue.push(bytes);
    this.#queued += bytes.length;
    this.#wanted?.();
  }

  /** A regular end, after everything that was pushed. */
  end(): void {
    if (this.#state !== 'open') return;
    this.#state = 'ending';
    this.#wanted?.();
  }

  /** Breaks the connection, so that nobody takes what came for the whole. */
  fail(reason: Error): void {
    if (this.#state === 'over') return;
    this.#controller?.error(reason);
    this.#leave();
  }

  async #pull(): Promise<void> {
    while (this.#queue.length === 0 && this.#state === 'open') {
      await new Promise<void>((resolve) => {
        this.#wanted = resolve;
      });
      this.#wanted = undefined;
    }
    const next = this.#queue.shift();
    if (next !== undefined) {
      this.#queued -= next.length;
      this.#controller?.enqueue(next);
    } else if (this.#state === 'ending') {
      this.#controller?.close();
      this.#leave();
    }
  }

  #leave(): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#queue.length = 0;
    this.#queued = 0;
    this.options.signal.removeEventListener('abort', this.#onAbort);
    this.#wanted?.();
    this.options.left();
  }
}
