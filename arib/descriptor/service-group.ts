import type { ServiceId } from '../ids.ts';
import type { Reader } from '../reader.ts';

/** Service group descriptor, tag 0xE0: related services. ARIB STD-B10 Part 2, 6.2.49. */
export interface ServiceGroupDescriptor {
  readonly kind: 'service_group';
  /** service_group_type, 4 bits: 1 server services at the same time. */
  readonly type: number;
  /** For type 1; empty for others. */
  readonly pairs: readonly ServicePair[];
  /** Data of other types. */
  readonly privateData: Uint8Array;
}

interface ServicePair {
  readonly primary: ServiceId;
  readonly secondary: ServiceId;
}

export function parseServiceGroup(r: Reader): ServiceGroupDescriptor {
  // service_group_type 4, reserved 4
  const type = r.u8() >> 4;
  const pairs: ServicePair[] = [];
  if (type === 1) {
    while (r.remaining > 0) pairs.push({ primary: r.u16() as ServiceId, secondary: r.u16() as ServiceId });
  }
  return { kind: 'service_group', type, pairs, privateData: r.rest() };
}
