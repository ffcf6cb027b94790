import type { Reader } from '../reader.ts';

/** Partial transport stream descriptor, tag 0x63, of a SIT. ARIB STD-B21, 9.1.8.3. */
export interface PartialTransportStreamDescriptor {
  readonly kind: 'partial_transport_stream';
  /** Bits a second. */
  readonly peakRate: number;
  /** minimum_overall_smoothing_rate in bits a second; undefined: all ones. */
  readonly smoothingRate: number | undefined;
  /** maximum_overall_smoothing_buffer in octets; undefined: all ones. */
  readonly smoothingBuffer: number | undefined;
}

const RATE_UNIT = 400;
const NO_RATE = 0x3fffff;
const NO_BUFFER = 0x3fff;

export function parsePartialTransportStream(r: Reader): PartialTransportStreamDescriptor {
  // reserved 2, peak_rate 22; reserved 2, smoothing_rate 22; reserved 2, smoothing_buffer 14
  const peak = r.u24() & NO_RATE;
  const smoothing = r.u24() & NO_RATE;
  const buffer = r.u16() & NO_BUFFER;
  return {
    kind: 'partial_transport_stream',
    peakRate: peak * RATE_UNIT,
    smoothingRate: smoothing === NO_RATE ? undefined : smoothing * RATE_UNIT,
    smoothingBuffer: buffer === NO_BUFFER ? undefined : buffer,
  };
}
