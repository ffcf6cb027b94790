import type { Reader } from '../../reader.ts';
import type { BroadcastMs } from '../../time.ts';

/**
 * Randomized latency descriptor, tag 0x33 of an AIT: receivers spread their requests. ARIB STD-B24 Vol. 4;
 * IPTVFJ STD-0010.
 */
export interface RandomizedLatencyDescriptor {
  readonly kind: 'randomized_latency';
  /** range, 16 bits: the longest delay. */
  readonly range: number;
  /** rate, 8 bits: steps of the delay. */
  readonly rate: number;
  /** randomization_end_time; undefined: always. */
  readonly endAt: BroadcastMs | undefined;
}

export function parseRandomizedLatency(r: Reader): RandomizedLatencyDescriptor {
  const range = r.u16();
  const rate = r.u8();
  // randomization_end_time_flag 1, reserved 7
  const ends = (r.u8() & 0x80) !== 0;
  return { kind: 'randomized_latency', range, rate, endAt: ends ? r.mjdTime() : undefined };
}
