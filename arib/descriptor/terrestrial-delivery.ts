import type { Reader } from '../reader.ts';

/** Terrestrial delivery system descriptor, tag 0xFA. ARIB STD-B10 Part 2, 6.2.31. */
export interface TerrestrialDeliveryDescriptor {
  readonly kind: 'terrestrial_delivery';
  /** 12 bits, as in emergency information. */
  readonly areaCode: number;
  /** Guard interval as a part of the symbol: 1/32 to 1/4. */
  readonly guardInterval: number;
  /** ISDB-T mode 1 to 3; undefined for the reserved code. */
  readonly mode: 1 | 2 | 3 | undefined;
  /** Centre frequencies in Hz, rounded: the unit is 1/7 MHz. */
  readonly frequencies: readonly number[];
}

const GUARD_INTERVALS = [1 / 32, 1 / 16, 1 / 8, 1 / 4] as const;
const MODES = [1, 2, 3, undefined] as const;

export function parseTerrestrialDelivery(r: Reader): TerrestrialDeliveryDescriptor {
  // area_code 12, guard_interval 2, transmission_mode 2
  const head = r.u16();
  const frequencies: number[] = [];
  while (r.remaining > 0) frequencies.push(Math.floor((r.u16() * 1_000_000) / 7));
  return {
    kind: 'terrestrial_delivery',
    areaCode: head >> 4,
    guardInterval: GUARD_INTERVALS[(head >> 2) & 0x03] ?? 0,
    mode: MODES[head & 0x03],
    frequencies,
  };
}
