import type { Reader } from '../reader.ts';
import { type BroadcastMs, fromBcd } from '../time.ts';

/**
 * Local time offset descriptor, tag 0x58: daylight saving time, only sent if there is any. ARIB STD-B10 Part 2,
 * 6.2.25.
 */
export interface LocalTimeOffsetDescriptor {
  readonly kind: 'local_time_offset';
  readonly offsets: readonly LocalTimeOffset[];
}

interface LocalTimeOffset {
  /** ISO 3166 code of three letters. */
  readonly country: string;
  /** country_region_id, 6 bits. */
  readonly region: number;
  /** Minutes to add to JST. */
  readonly offset: number;
  readonly changeAt: BroadcastMs | undefined;
  /** Minutes to add to JST after `changeAt`. */
  readonly nextOffset: number;
}

/** Undefined if an offset is not BCD. */
export function parseLocalTimeOffset(r: Reader): LocalTimeOffsetDescriptor | undefined {
  const offsets: LocalTimeOffset[] = [];
  while (r.remaining > 0) {
    const country = r.language();
    const region = r.u8();
    const sign = (region & 0x01) === 0 ? 1 : -1;
    const offset = minutes(r);
    const changeAt = r.mjdTime();
    const nextOffset = minutes(r);
    if (offset === undefined || nextOffset === undefined) return undefined;
    // country_region_id 6, reserved 1, local_time_offset_polarity 1
    offsets.push({
      country,
      region: region >> 2,
      offset: sign * offset,
      changeAt,
      nextOffset: sign * nextOffset,
    });
  }
  return { kind: 'local_time_offset', offsets };
}

function minutes(r: Reader): number | undefined {
  const hours = fromBcd(r.u8());
  const rest = fromBcd(r.u8());
  return hours === undefined || rest === undefined ? undefined : hours * 60 + rest;
}
