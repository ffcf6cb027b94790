import type { NetworkId, ServiceId, TransportStreamId } from '../ids.ts';
import type { Reader } from '../reader.ts';

/** Linkage descriptor, tag 0x4A: another service that provides what `type` specifies. ARIB STD-B10 Part 2, 6.2.8. */
export interface LinkageDescriptor {
  readonly kind: 'linkage';
  readonly transportStreamId: TransportStreamId;
  readonly originalNetworkId: NetworkId;
  readonly serviceId: ServiceId;
  readonly type: LinkageType;
  /** linkage_type as sent. */
  readonly linkageType: number;
  readonly privateData: Uint8Array;
}

/** linkage_type, ARIB STD-B10 Part 2, 6.2.8. */
const LINKAGE_TYPES = [
  [0x01, 'information'],
  [0x02, 'guide'],
  [0x03, 'ca-replacement'],
  [0x04, 'all-si'],
  [0x05, 'service-replacement'],
  [0x06, 'data'],
  [0xfe, 'retransmission'],
] as const;

type LinkageType = (typeof LINKAGE_TYPES)[number][1] | 'unknown';

const BY_CODE = new Map<number, LinkageType>(LINKAGE_TYPES);

export function parseLinkage(r: Reader): LinkageDescriptor {
  const transportStreamId = r.u16() as TransportStreamId;
  const originalNetworkId = r.u16() as NetworkId;
  const serviceId = r.u16() as ServiceId;
  const linkageType = r.u8();
  return {
    kind: 'linkage',
    transportStreamId,
    originalNetworkId,
    serviceId,
    type: BY_CODE.get(linkageType) ?? 'unknown',
    linkageType,
    privateData: r.rest(),
  };
}
