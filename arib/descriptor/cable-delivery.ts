import type { Reader } from '../reader.ts';

/** Cable distribution system delivery descriptor, tag 0x44. JCTEA STD-003; ARIB STD-B10 Part 2, table 6-1. */
export interface CableDeliveryDescriptor {
  readonly kind: 'cable_delivery';
  /** Hz. */
  readonly frequency: number;
  /** frame_type, 4 bits. */
  readonly frameType: number;
  /** FEC_outer, 4 bits. */
  readonly fecOuter: number;
  /** 8 bits: 3 64-QAM, 5 256-QAM. */
  readonly modulation: number;
  /** Symbols a second. */
  readonly symbolRate: number;
  /** FEC_inner, 4 bits. */
  readonly fecInner: number;
}

/** Undefined if a number is not BCD. */
export function parseCableDelivery(r: Reader): CableDeliveryDescriptor | undefined {
  const frequency = r.bcd(4);
  r.skip(1); // reserved_future_use 8 of 12
  const fec = r.u8();
  const modulation = r.u8();
  const rateHigh = r.bcd(3);
  const last = r.u8();
  // The seventh digit shares its octet with FEC_inner.
  const rateLow = last >> 4;
  if (frequency === undefined || rateHigh === undefined || rateLow > 9) return undefined;
  return {
    kind: 'cable_delivery',
    frequency: frequency * 100,
    frameType: fec >> 4,
    fecOuter: fec & 0x0f,
    modulation,
    symbolRate: (rateHigh * 10 + rateLow) * 100,
    fecInner: last & 0x0f,
  };
}
