import type { ServiceId } from '../ids.ts';
import type { Reader } from '../reader.ts';

/** Service list descriptor, tag 0x41. ARIB STD-B10 Part 2, 6.2.14. */
export interface ServiceListDescriptor {
  readonly kind: 'service_list';
  readonly services: readonly ListedService[];
}

interface ListedService {
  readonly serviceId: ServiceId;
  /** service_type, see `ServiceDescriptor`. */
  readonly serviceType: number;
}

export function parseServiceList(r: Reader): ServiceListDescriptor {
  const services: ListedService[] = [];
  while (r.remaining > 0) services.push({ serviceId: r.u16() as ServiceId, serviceType: r.u8() });
  return { kind: 'service_list', services };
}
