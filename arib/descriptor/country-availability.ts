import type { Reader } from '../reader.ts';

/** Country availability descriptor, tag 0x49. ARIB STD-B10 Part 2, 6.2.5. */
export interface CountryAvailabilityDescriptor {
  readonly kind: 'country_availability';
  /** Whether the service is intended for these countries, or not. */
  readonly available: boolean;
  /** ISO 3166 codes of three letters. */
  readonly countries: readonly string[];
}

export function parseCountryAvailability(r: Reader): CountryAvailabilityDescriptor {
  // country_availability_flag 1, reserved_future_use 7
  const available = (r.u8() & 0x80) !== 0;
  const countries: string[] = [];
  while (r.remaining > 0) countries.push(r.language());
  return { kind: 'country_availability', available, countries };
}
