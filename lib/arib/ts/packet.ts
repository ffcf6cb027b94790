/**
 * The transport packet: its four header octets and its adaptation field, read in place at (bytes, offset). ISO/IEC
 * 13818-1 2.4.3.2 (transport packet) and 2.4.3.4 (adaptation field). The caller guarantees that PACKET_SIZE bytes are
 * available; nothing here allocates.
 */
import { type Pid, pid } from '../ids.ts';

export const PACKET_SIZE = 188;
export const SYNC_BYTE = 0x47;
export const HEADER_SIZE = 4;
export const PID_COUNT = 0x2000;

export const PAT_PID = pid(0x0000);
/** Null packets contain no data; their continuity counter is undefined. */
export const NULL_PID = pid(0x1fff);

/** transport_error_indicator: at least one bit of the packet is wrong. */
export function hasTransportError(bytes: Uint8Array, offset: number): boolean {
  return ((bytes[offset + 1] as number) & 0x80) !== 0;
}

/** payload_unit_start_indicator: a PES packet starts, or a pointer_field leads to the start of a section. */
export function startsUnit(bytes: Uint8Array, offset: number): boolean {
  return ((bytes[offset + 1] as number) & 0x40) !== 0;
}

export function packetPid(bytes: Uint8Array, offset: number): Pid {
  return ((((bytes[offset + 1] as number) & 0x1f) << 8) | (bytes[offset + 2] as number)) as Pid;
}

/** transport_scrambling_control: 0 clear, 1 reserved, 2 even key, 3 odd key (ARIB STD-B25). */
export function scramblingControl(bytes: Uint8Array, offset: number): number {
  return (bytes[offset + 3] as number) >> 6;
}

export function hasAdaptationField(bytes: Uint8Array, offset: number): boolean {
  return ((bytes[offset + 3] as number) & 0x20) !== 0;
}

export function hasPayload(bytes: Uint8Array, offset: number): boolean {
  return ((bytes[offset + 3] as number) & 0x10) !== 0;
}

export function continuityCounter(bytes: Uint8Array, offset: number): number {
  return (bytes[offset + 3] as number) & 0x0f;
}

/**
 * Start of the payload, as an absolute index. `offset + PACKET_SIZE` if the packet has none, also if its adaptation
 * field is longer than the packet.
 */
export function payloadStart(bytes: Uint8Array, offset: number): number {
  const end = offset + PACKET_SIZE;
  const control = bytes[offset + 3] as number;
  if ((control & 0x10) === 0) return end;
  if ((control & 0x20) === 0) return offset + HEADER_SIZE;
  const start = offset + HEADER_SIZE + 1 + (bytes[offset + HEADER_SIZE] as number);
  return Math.min(start, end);
}

/** discontinuity_indicator of the adaptation field; false if there is no field or it is empty. */
export function isDiscontinuity(bytes: Uint8Array, offset: number): boolean {
  return (
    hasAdaptationField(bytes, offset) &&
    (bytes[offset + HEADER_SIZE] as number) > 0 &&
    ((bytes[offset + HEADER_SIZE + 1] as number) & 0x80) !== 0
  );
}

/** program_clock_reference in 27 MHz ticks; undefined if the packet has none. */
export function packetPcr(bytes: Uint8Array, offset: number): number | undefined {
  if (!hasAdaptationField(bytes, offset)) return undefined;
  const field = offset + HEADER_SIZE;
  const length = bytes[field] as number;
  // One octet of flags and six of PCR; a field that ends beyond the packet is damaged.
  if (length < 7 || length > PACKET_SIZE - HEADER_SIZE - 1) return undefined;
  if (((bytes[field + 1] as number) & 0x10) === 0) return undefined;
  const high = ((bytes[field + 2] as number) << 24) | ((bytes[field + 3] as number) << 16);
  const low = ((bytes[field + 4] as number) << 8) | (bytes[field + 5] as number);
  const tail = bytes[field + 6] as number;
  const base = ((high | low) >>> 0) * 2 + (tail >> 7);
  const extension = ((tail & 0x01) << 8) | (bytes[field + 7] as number);
  return base * 300 + extension;
}

/** `again`: the next packet has the payload of the last one: a repeated table. */
type Continuity = 'first' | 'next' | 'again' | 'duplicate' | 'gap';

/**
 * The continuity_counter of one PID for a reassembler: whether a packet follows the last one, repeats it, or packets
 * were lost. ISO/IEC 13818-1 2.4.3.3. `StreamStatistics` counts the same for a complete stream.
 */
export class ContinuityCheck {
  /** The last packet, to distinguish a duplicate from a loss of 15 packets. */
  readonly #last = new Uint8Array(PACKET_SIZE);
  #counter = -1;
  #duplicated = false;

  reset(): void {
    this.#counter = -1;
  }

  /** Classifies the next packet with payload; those without do not advance the counter and must be skipped. */
  next(bytes: Uint8Array, offset: number): Continuity {
    const counter = continuityCounter(bytes, offset);
    const previous = this.#counter;
    const repeats = this.#repeats(bytes, offset);
    if (repeats && counter === previous && !this.#duplicated) {
      this.#duplicated = true;
      return 'duplicate';
    }
    this.#counter = counter;
    this.#duplicated = false;
    if (!repeats) this.#last.set(bytes.subarray(offset, offset + PACKET_SIZE));
    if (previous < 0) return 'first';
    if (counter !== ((previous + 1) & 0x0f)) return 'gap';
    return repeats ? 'again' : 'next';
  }

  /** Whether the payload repeats that of the last packet. A PCR before it may differ, the counter will. */
  #repeats(bytes: Uint8Array, offset: number): boolean {
    const last = this.#last;
    // The start of a unit, scrambling and the kind of packet must be the same.
    if (bytes[offset + 1] !== last[1] || ((bytes[offset + 3] as number) ^ (last[3] as number)) > 0x0f)
      return false;
    const start = payloadStart(bytes, offset) - offset;
    if (payloadStart(last, 0) !== start) return false;
    for (let at = start; at < PACKET_SIZE; at++) {
      if (last[at] !== bytes[offset + at]) return false;
    }
    return true;
  }
}

/**
 * Bytes with one owner. Whoever holds them may read them, until they are handed over to an owner who may alter them:
 * a reader that comes too late gets an error instead of altered bytes.
 */
export class OwnedBytes {
  #bytes: Uint8Array | undefined;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** For reading, before they are handed over. @throws Error afterwards */
  get readable(): Uint8Array {
    if (this.#bytes === undefined) throw new Error('the bytes were handed over');
    return this.#bytes;
  }

  /** To their next owner, who may alter them. @throws Error if they were handed over before */
  handOver(): Uint8Array {
    const bytes = this.readable;
    this.#bytes = undefined;
    return bytes;
  }
}
