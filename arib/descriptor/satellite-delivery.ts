import type { Reader } from '../reader.ts';

/** Satellite delivery system descriptor, tag 0x43. ARIB STD-B10 Part 2, 6.2.6. */
export interface SatelliteDeliveryDescriptor {
  readonly kind: 'satellite_delivery';
  /** Hz, as received (11.7 to 12.75 GHz). */
  readonly frequency: number;
  /** Degrees, in steps of 0.1. */
  readonly orbitalPosition: number;
  readonly east: boolean;
  readonly polarisation: (typeof POLARISATIONS)[number];
  /** 5 bits; 8 = ISDB-S, the rest is in the TMCC. */
  readonly modulation: number;
  /** Symbols a second. */
  readonly symbolRate: number;
  /** 4 bits; 8 = ISDB-S, the rest is in the TMCC. */
  readonly fecInner: number;
}

const POLARISATIONS = ['horizontal', 'vertical', 'left', 'right'] as const;

/** Undefined if a number is not BCD. */
export function parseSatelliteDelivery(r: Reader): SatelliteDeliveryDescriptor | undefined {
  const frequency = r.bcd(4);
  const orbit = r.bcd(2);
  const flags = r.u8();
  const east = (flags & 0x80) !== 0;
  const polarisation = POLARISATIONS[(flags >> 5) & 0x03] ?? 'horizontal';
  const modulation = flags & 0x1f;
  const rateHigh = r.bcd(3);
  const last = r.u8();
  // The seventh digit shares its octet with FEC_inner.
  const rateLow = last >> 4;
  if (frequency === undefined || orbit === undefined || rateHigh === undefined || rateLow > 9)
    return undefined;
  return {
    kind: 'satellite_delivery',
    frequency: frequency * 10_000,
    orbitalPosition: orbit / 10,
    east,
    polarisation,
    modulation,
    symbolRate: (rateHigh * 10 + rateLow) * 100,
    fecInner: last & 0x0f,
  };
}
