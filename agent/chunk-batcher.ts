/**
 * Joins the small reads of a device into batches: each write to a connection, and each wake-up of its reader, costs
 * more than the bytes. For a while after a consumer has joined, every chunk passes at once, so that its stream starts
 * early.
 */
import type { MonotonicClock, MonotonicMs } from '../host/clock.ts';
import { untilSharedTick } from '../host/shared-tick.ts';

/** Longest delay of a batch, ms. Small compared to the buffer of any player (200 ms and more). */
const BATCH_MS = 50;
/** 50 ms of the fastest transponder (24 Mbit/s). */
const BATCH_BYTES = 160 * 1024;
/** A chunk of this size is a batch of its own and is not copied. */
const LARGE_CHUNK_BYTES = 64 * 1024;
/** Duration without batching after `passAtOnce`, ms. */
const STARTING_MS = 2_000;

export class ChunkBatcher {
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #startedAt: MonotonicMs;

  /** @param output receives the chunks in order, joined but otherwise unchanged */
  constructor(
    private readonly output: (bytes: Uint8Array) => void,
    private readonly clock: MonotonicClock,
  ) {
    this.#startedAt = clock();
  }

  push(chunk: Uint8Array): void {
    if (this.#pendingBytes === 0 && (chunk.length >= LARGE_CHUNK_BYTES || this.#isStarting())) {
      this.output(chunk);
      return;
    }
    this.#pending.push(chunk);
    this.#pendingBytes += chunk.length;
    if (this.#pendingBytes >= BATCH_BYTES) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), untilSharedTick(this.clock(), BATCH_MS));
  }

  /** Passes pending chunks, and every chunk of the next STARTING_MS at once. */
  passAtOnce(): void {
    this.flush();
    this.#startedAt = this.clock();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const pending = this.#pending;
    const [only] = pending;
    if (only === undefined) return;
    const bytes = pending.length === 1 ? only : Buffer.concat(pending, this.#pendingBytes);
    this.#pending = [];
    this.#pendingBytes = 0;
    this.output(bytes);
  }

  #isStarting(): boolean {
    return this.clock() - this.#startedAt < STARTING_MS;
  }

  /** Drops pending chunks, because there is no consumer. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}
