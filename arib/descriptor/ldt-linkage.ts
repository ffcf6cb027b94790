import type { NetworkId, ServiceId, TransportStreamId } from '../ids.ts';
import type { Reader } from '../reader.ts';

/** LDT linkage descriptor, tag 0xDC: descriptions in an LDT. ARIB STD-B10 Part 2, 6.2.40. */
export interface LdtLinkageDescriptor {
  readonly kind: 'ldt_linkage';
  readonly serviceId: ServiceId;
  readonly transportStreamId: TransportStreamId;
  readonly originalNetworkId: NetworkId;
  readonly descriptions: readonly LinkedDescription[];
}

interface LinkedDescription {
  /** description_id, 16 bits. */
  readonly id: number;
  /** description_type, 4 bits: 1 short event, 2 items of an extended event, 3 extended event, 15 others. */
  readonly type: number;
  /** user_defined, 8 bits. */
  readonly userDefined: number;
}

export function parseLdtLinkage(r: Reader): LdtLinkageDescriptor {
  const serviceId = r.u16() as ServiceId;
  const transportStreamId = r.u16() as TransportStreamId;
  const originalNetworkId = r.u16() as NetworkId;
  const descriptions: LinkedDescription[] = [];
  while (r.remaining > 0) {
    // description_id 16; reserved 4, description_type 4; user_defined 8
    descriptions.push({ id: r.u16(), type: r.u8() & 0x0f, userDefined: r.u8() });
  }
  return { kind: 'ldt_linkage', serviceId, transportStreamId, originalNetworkId, descriptions };
}
