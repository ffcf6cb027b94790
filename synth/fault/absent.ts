/**
 * Streams that are absent while the clock continues, without a sign in the continuity counters. Clock references in
 * packets of the stream are still sent, without payload.
 */
import { PACKET_SIZE } from '../media/loop.ts';
import type { FaultOf } from './model.ts';
import { carriesReference, pidAt } from './packets.ts';

const PAYLOAD_FLAG = 0x10;
const ADAPTATION_FLAG = 0x20;

interface AbsentStream {
  counters: FaultOf<'absent'>['counters'];
  /** Counter of the last received packet with payload. */
  last: number;
  isAbsent: boolean;
  /** Added to the counters sent. */
  shift: number;
}

export class AbsentStreams {
  readonly #streams = new Map<number, AbsentStream>();

  /** Counters may have to be changed although no fault is active any more. */
  get isNeeded(): boolean {
    return this.#streams.size > 0;
  }

  /** @param fault for the stream of this packet, if there is one @returns whether the packet is lost */
  isLost(
    bytes: Uint8Array,
    at: number,
    fault: FaultOf<'absent'> | undefined,
    isFaultActive: boolean,
  ): boolean {
    const pid = pidAt(bytes, at);
    const known = this.#streams.get(pid);
    if (fault === undefined && known === undefined) return false;
    const counter = (bytes[at + 3] as number) & 0x0f;
    const hasPayload = ((bytes[at + 3] as number) & PAYLOAD_FLAG) !== 0;
    const last = (counter + (hasPayload ? 15 : 0)) & 0x0f;
    const stream = known ?? { counters: 'continued', last, isAbsent: false, shift: 0 };
    this.#streams.set(pid, stream);
    if (fault !== undefined) stream.counters = fault.counters;
    const next = (stream.last + 1) & 0x0f;
    const isReturning = stream.isAbsent && !isFaultActive && hasPayload;
    stream.isAbsent =
      isFaultActive ||
      (stream.isAbsent && (!hasPayload || (stream.counters === 'matching' && counter !== next)));
    if (isReturning && stream.counters === 'continued') stream.shift = next - counter;
    if (stream.isAbsent) {
      if (hasPayload && !carriesReference(bytes, at)) return true;
      if (hasPayload) stripPayload(bytes, at);
      setCounter(bytes, at, stream.last);
    } else {
      setCounter(bytes, at, counter + stream.shift);
      if (hasPayload) stream.last = (counter + stream.shift) & 0x0f;
    }
    return false;
  }
}

function setCounter(bytes: Uint8Array, at: number, counter: number): void {
  bytes[at + 3] = ((bytes[at + 3] as number) & 0xf0) | (counter & 0x0f);
}

/** Leaves the adaptation field, with stuffing. */
function stripPayload(bytes: Uint8Array, at: number): void {
  const end = at + 5 + (bytes[at + 4] as number);
  bytes[at + 3] = ((bytes[at + 3] as number) & ~PAYLOAD_FLAG) | ADAPTATION_FLAG;
  bytes[at + 4] = PACKET_SIZE - 5;
  bytes.fill(0xff, end, at + PACKET_SIZE);
}
