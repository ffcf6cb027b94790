import type { ServiceId } from '../ids.ts';
import type { Reader } from '../reader.ts';

/** Partial reception descriptor, tag 0xFB: the one-segment services. ARIB STD-B10 Part 2, 6.2.32. */
export interface PartialReceptionDescriptor {
  readonly kind: 'partial_reception';
  readonly serviceIds: readonly ServiceId[];
}

export function parsePartialReception(r: Reader): PartialReceptionDescriptor {
  const serviceIds: ServiceId[] = [];
  while (r.remaining > 0) serviceIds.push(r.u16() as ServiceId);
  return { kind: 'partial_reception', serviceIds };
}
