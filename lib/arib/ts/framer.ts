/**
 * Finds packets in bytes that arrive in any pieces, and resynchronises after bytes were lost or damaged. ISO/IEC
 * 13818-1 2.4.3.3 (sync_byte), Annex G.1. It only looks at sync bytes, never into a packet.
 *
 * Packets of 188 octets, at distances of 188, 192 or 204: with a time stamp before each (recordings on disc) or with
 * parity after it. The octets between them are dropped; the output always has 188.
 */
import { joinBytes } from '../join-bytes.ts';
import { PACKET_SIZE, SYNC_BYTE } from './packet.ts';

/**
 * Further sync bytes that must follow one at packet distance before it is accepted. A random byte passes with 1 in
 * 256^4 for each of three distances, and a resynchronisation tries at most 204 of them: one false lock in 7 million.
 */
const CONFIRMATIONS = 3;
/** Distances between sync bytes, the most likely first, which is used if several match. */
const STRIDES: readonly number[] = [PACKET_SIZE, 192, 204];
/** Number of octets within which any of them is confirmed or refuted. */
const WINDOW = CONFIRMATIONS * Math.max(...STRIDES) + 1;

/** Receives the complete, aligned packets of `bytes[from, to)`. */
type PacketSink = (bytes: Uint8Array, from: number, to: number) => void;

export class PacketFramer {
  /** Number of missing sync bytes at expected positions. The search at the start does not count. */
  syncErrors = 0;
  /** Number of octets that belonged to no packet, including those between packets. */
  skippedBytes = 0;

  /** Distance between sync bytes; 0 while searching. */
  #stride = 0;
  /** Undecided octets: less than a stride when locked, less than WINDOW otherwise. */
  readonly #carry = new Uint8Array(WINDOW);
  #carried = 0;

  /** Complete packets in order, as one array: a view of `chunk` if possible. */
  feed(chunk: Uint8Array): Uint8Array {
    const runs: Uint8Array[] = [];
    this.scan(chunk, (bytes, from, to) => runs.push(bytes.subarray(from, to)));
    return join(runs);
  }

  /**
   * Passes complete packets to `sink`, in order and without copying: most are in `chunk` itself, one that began in an
   * earlier chunk is in a separate array. The framer reuses no array.
   */
  scan(chunk: Uint8Array, sink: PacketSink): void {
    if (this.#carried === 0) {
      this.#scan(chunk, 0, sink);
      return;
    }
    const wanted = (this.#stride || WINDOW) - this.#carried;
    if (chunk.length < wanted) {
      this.#carry.set(chunk, this.#carried);
      this.#carried += chunk.length;
      return;
    }
    const carried = this.#carried;
    this.#carried = 0;
    if (this.#stride === 0) {
      this.#scan(join([this.#carry.subarray(0, carried), chunk]), 0, sink);
      return;
    }
    // Octet by octet: for so few this is cheaper than the views that `set` would need.
    const packet = new Uint8Array(this.#stride);
    for (let at = 0; at < carried; at++) packet[at] = this.#carry[at] as number;
    for (let at = 0; at < wanted; at++) packet[carried + at] = chunk[at] as number;
    sink(packet, 0, PACKET_SIZE);
    this.skippedBytes += this.#stride - PACKET_SIZE;
    this.#scan(chunk, wanted, sink);
  }

  /**
   * The end of the stream: returns packets that were still waiting for confirmation. The rest is dropped; the next
   * bytes start a new stream.
   */
  flush(): Uint8Array {
    const rest = this.#carry.slice(0, this.#carried);
    // The distance between packets cannot be confirmed any more: with padding, at most one packet is left.
    const padded = this.#stride > PACKET_SIZE;
    let at = 0;
    while (!padded && at < rest.length && (rest[at] !== SYNC_BYTE || refuted(rest, at, PACKET_SIZE))) at++;
    const end = at + Math.floor((rest.length - at) / PACKET_SIZE) * PACKET_SIZE;
    this.skippedBytes += rest.length - (end - at);
    this.#stride = 0;
    this.#carried = 0;
    return rest.subarray(at, end);
  }

  #scan(bytes: Uint8Array, start: number, sink: PacketSink): void {
    let at = start;
    while (at < bytes.length) {
      if (this.#stride !== 0) {
        at = this.#run(bytes, at, sink);
        if (this.#stride !== 0) break;
      }
      const from = at;
      while (
        at < bytes.length &&
        (bytes[at] !== SYNC_BYTE || STRIDES.every((each) => refuted(bytes, at, each)))
      ) {
        at++;
      }
      this.skippedBytes += at - from;
      const stride = STRIDES.find(
        (each) => at + CONFIRMATIONS * each < bytes.length && !refuted(bytes, at, each),
      );
      if (stride === undefined) break;
      this.#stride = stride;
    }
    this.#carried = bytes.length - at;
    for (let octet = 0; octet < this.#carried; octet++) this.#carry[octet] = bytes[at + octet] as number;
  }

  /** Passes on the packets from `from` on; sync may be lost at their end. Returns the position of the rest. */
  #run(bytes: Uint8Array, from: number, sink: PacketSink): number {
    let at = from;
    if (this.#stride === PACKET_SIZE) {
      at = runEnd(bytes, from);
      // The sink may modify its packets: checks the following byte first.
      if (at < bytes.length && bytes[at] !== SYNC_BYTE) this.#lose();
      if (at > from) sink(bytes, from, at);
      return at;
    }
    for (; at + this.#stride <= bytes.length && bytes[at] === SYNC_BYTE; at += this.#stride) {
      sink(bytes, at, at + PACKET_SIZE);
      this.skippedBytes += this.#stride - PACKET_SIZE;
    }
    if (at < bytes.length && bytes[at] !== SYNC_BYTE) this.#lose();
    return at;
  }

  #lose(): void {
    this.#stride = 0;
    this.syncErrors++;
  }
}

/** End of the complete packets with a correct sync byte. */
function runEnd(bytes: Uint8Array, start: number): number {
  const last = bytes.length - PACKET_SIZE;
  let at = start;
  while (at <= last && bytes[at] === SYNC_BYTE) at += PACKET_SIZE;
  return at;
}

/** True if one of the bytes that must confirm the sync byte at `at`, as far as received, does not. */
function refuted(bytes: Uint8Array, at: number, stride: number): boolean {
  for (let step = 1; step <= CONFIRMATIONS; step++) {
    const next = at + step * stride;
    if (next >= bytes.length) return false;
    if (bytes[next] !== SYNC_BYTE) return true;
  }
  return false;
}

function join(runs: readonly Uint8Array[]): Uint8Array {
  const [only] = runs;
  return only !== undefined && runs.length === 1 ? only : joinBytes(runs);
}
