/**
 * Reads a recording from a place on, in whole packets, and reports where its parts begin. Reads on demand
 * (backpressure); at the end of a recording in progress it waits for more.
 */
import { type Media90k, TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import { PACKET_SIZE } from '../../lib/arib/ts/packet.ts';
import type { MonotonicClock, MonotonicMs } from '../../lib/host/clock.ts';
import { sleepUnlessAborted } from '../../lib/host/deadline.ts';
import type { RecordingBytes } from './recording-bytes.ts';
import type { IndexPiece, RecordingIndex } from './recording-index.ts';
import { alignedStart } from './stream-stamps.ts';

/** State of a recording in progress. */
export interface FollowedRecording {
  /** Whether it is still being written. */
  isGrowing(): boolean;
  /** Increases when writing was interrupted or continues in another file. */
  breakCount(): number;
  /** Returns an index of the current contents. */
  renew(): Promise<RecordingIndex>;
  readonly clock: MonotonicClock;
}

/** The part of an index that is needed for reading, also in a worker. */
type FeedIndex = Pick<RecordingIndex, 'pieces' | 'size' | 'pieceAt'>;

interface FeedOptions {
  readonly bytes: Pick<RecordingBytes, 'read' | 'size' | 'refresh'>;
  readonly index: FeedIndex;
  /** Start, octets. */
  readonly from: number;
  /** Undefined for a finished recording, which is read without a speed limit. */
  readonly follow?: FollowedRecording | undefined;
  /** Media time reached by the output so far; only used with `follow`. */
  readonly position?: (() => Media90k) | undefined;
  readonly signal: AbortSignal;
  /** For tests. */
  readonly sleep?: typeof sleepUnlessAborted;
}

export type FeedBlock =
  /** The next packets belong to this part of the recording. */
  | { readonly kind: 'piece'; readonly piece: IndexPiece }
  /** Whole packets; `at`: octets of the recording before them. */
  | { readonly kind: 'packets'; readonly at: number; readonly bytes: Uint8Array<ArrayBuffer> };

const BLOCK_BYTES = 256 * 1024;
/** A recorder writes twice a second. */
const POLL_MS = 200;
/** Sent without speed limit at the start, and at most this much at once after a pause: the buffer of a player. */
const BURST_TICKS = 20 * TICKS_PER_SECOND;
/** Speed limit for a recording in progress, from the specification. */
const MAX_SPEED = 2;

export async function* recordingFeed(options: FeedOptions): AsyncGenerator<FeedBlock, void, void> {
  const { bytes, follow, signal, sleep = sleepUnlessAborted } = options;
  let { index } = options;
  let at = options.from;
  let piece: IndexPiece | undefined;
  let breaks = follow?.breakCount();
  let carried: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  const pace = new Pace(options);
  while (!signal.aborted) {
    if (follow !== undefined) {
      // An interruption is known only once data after it is written, which the index does not cover yet.
      if (at >= index.size && bytes.size > at && follow.breakCount() !== breaks) {
        breaks = follow.breakCount();
        index = await follow.renew();
      }
      await pace.wait();
    }
    const here = index.pieceAt(at);
    if (here !== undefined && here.from !== piece?.from) {
      piece = here;
      // An incomplete packet is not continued in another part.
      carried = new Uint8Array(0);
      yield { kind: 'piece', piece };
    }
    const next = index.pieces.find(({ from }) => from > at);
    const limit = next?.from ?? (at < index.size ? index.size : Number.POSITIVE_INFINITY);
    const block = await bytes.read(at, Math.min(BLOCK_BYTES, limit - at));
    if (signal.aborted) return;
    if (block.length === 0) {
      if (next !== undefined || follow === undefined) return;
      // The state is read before the size, so that the size includes everything written before the end.
      const isGrowing = follow.isGrowing();
      if (await bytes.refresh()) continue;
      if (!isGrowing) return;
      await sleep(POLL_MS, signal);
      continue;
    }
    const begin = at - carried.length;
    at += block.length;
    const { packets, rest } = wholePackets(carried, block);
    carried = rest;
    if (packets.length > 0) yield { kind: 'packets', at: begin, bytes: packets };
  }
}

/** Resynchronises misaligned data of a damaged file; incomplete packets are dropped. */
function wholePackets(
  carried: Uint8Array<ArrayBuffer>,
  block: Uint8Array<ArrayBuffer>,
): { packets: Uint8Array<ArrayBuffer>; rest: Uint8Array<ArrayBuffer> } {
  let joined = block;
  if (carried.length > 0) {
    joined = new Uint8Array(carried.length + block.length);
    joined.set(carried);
    joined.set(block, carried.length);
  }
  if (isAligned(joined)) {
    const whole = joined.length - (joined.length % PACKET_SIZE);
    return { packets: joined.subarray(0, whole), rest: joined.slice(whole) };
  }
  const out = new Uint8Array(joined.length);
  let filled = 0;
  let at = 0;
  while (at + PACKET_SIZE <= joined.length) {
    if (joined[at] === 0x47) {
      out.set(joined.subarray(at, at + PACKET_SIZE), filled);
      filled += PACKET_SIZE;
      at += PACKET_SIZE;
      continue;
    }
    const skip = alignedStart(joined.subarray(at));
    at += skip > 0 ? skip : PACKET_SIZE;
  }
  return { packets: out.subarray(0, filled), rest: joined.slice(Math.min(at, joined.length)) };
}

function isAligned(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at += PACKET_SIZE) if (bytes[at] !== 0x47) return false;
  return true;
}

class Pace {
  /** Media time up to which the output may be, at the time of `#at`. */
  #limit: number | undefined;
  #at = 0;

  constructor(private readonly options: FeedOptions) {}

  /** Waits until the output is within the allowed speed. */
  async wait(): Promise<void> {
    const { follow, position, signal, sleep = sleepUnlessAborted } = this.options;
    if (follow === undefined || position === undefined) return;
    while (!signal.aborted) {
      const ahead = position() - this.#limitAt(follow.clock(), position());
      if (ahead <= 0) return;
      await sleep(Math.min(1_000, Math.max(20, ahead / (MAX_SPEED * 90))), signal);
    }
  }

  /** What a client did not take while it paused does not accumulate. */
  #limitAt(now: MonotonicMs, position: Media90k): number {
    const most = position + BURST_TICKS;
    const grown = ((now - this.#at) / 1000) * MAX_SPEED * TICKS_PER_SECOND;
    this.#limit = this.#limit === undefined ? most : Math.min(this.#limit + grown, most);
    this.#at = now;
    return this.#limit;
  }
}
