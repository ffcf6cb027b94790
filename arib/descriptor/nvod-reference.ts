import type { NetworkId, ServiceId, TransportStreamId } from '../ids.ts';
import type { Reader } from '../reader.ts';

/** Near video on demand reference descriptor, tag 0x4B. ARIB STD-B10 Part 2, 6.2.10. */
export interface NvodReferenceDescriptor {
  readonly kind: 'nvod_reference';
  /** Services with the same events at other times. */
  readonly services: readonly ServiceReference[];
}

interface ServiceReference {
  readonly transportStreamId: TransportStreamId;
  readonly originalNetworkId: NetworkId;
  readonly serviceId: ServiceId;
}

export function parseNvodReference(r: Reader): NvodReferenceDescriptor {
  const services: ServiceReference[] = [];
  while (r.remaining > 0) {
    services.push({
      transportStreamId: r.u16() as TransportStreamId,
      originalNetworkId: r.u16() as NetworkId,
      serviceId: r.u16() as ServiceId,
    });
  }
  return { kind: 'nvod_reference', services };
}
