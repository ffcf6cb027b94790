/** The narrowed stream on its way to the main thread, in batches, with a bound on what was not taken yet. */
import { joinBytes } from './join-bytes.ts';

/** 10 ms of a full terrestrial station: a message costs more than its bytes. */
const BATCH_BYTES = 16 * 1024;
const BATCH_MS = 20;
/** 15 s of a full terrestrial station; the main thread never stands still that long. */
const MAX_UNTAKEN = 32 * 1024 * 1024;

export interface RawOutputHandlers {
  batch(bytes: Uint8Array<ArrayBuffer>): void;
  burst(viewer: number, bytes: Uint8Array<ArrayBuffer>): void;
  /** The main thread took nothing for too long; nothing is sent any more. */
  behind(): void;
}

export class RawOutput {
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #untaken = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ended = false;

  constructor(readonly handlers: RawOutputHandlers) {}

  /** The bytes are copied when they are sent, not before. */
  feed(bytes: Uint8Array): void {
    if (this.#ended) return;
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes >= BATCH_BYTES) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), BATCH_MS);
  }

  /** A viewer starts with `burst`, which ends where the next batch begins. */
  join(viewer: number, burst: readonly Uint8Array[]): void {
    if (this.#ended) return;
    this.#flush();
    const bytes = joinBytes(burst);
    this.#untaken += bytes.length;
    this.handlers.burst(viewer, bytes);
  }

  taken(bytes: number): void {
    this.#untaken -= bytes;
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#pending = [];
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pendingBytes === 0) return;
    const bytes = joinBytes(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#untaken += bytes.length;
    if (this.#untaken > MAX_UNTAKEN) {
      this.end();
      this.handlers.behind();
      return;
    }
    this.handlers.batch(bytes);
  }
}
