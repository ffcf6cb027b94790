/** Descriptors of services and bouquets: names, lists, logos, and links to other services. */
import type { NetworkId, ServiceId, TransportStreamId } from '../ids.ts';
import type { Reader } from '../reader.ts';
import { readText } from '../text/text.ts';

/** Service descriptor, tag 0x48. ARIB STD-B10 Part 2, 6.2.13. */
interface ServiceDescriptor {
  readonly kind: 'service';
  /** service_type: 0x01 television, 0xA1 temporary video, 0xA4 engineering, 0xC0 data (and one-segment). */
  readonly serviceType: number;
  readonly providerName: string;
  readonly name: string;
}

export function parseService(r: Reader): ServiceDescriptor {
  return {
    kind: 'service',
    serviceType: r.u8(),
    providerName: readText(r, r.u8()),
    name: readText(r, r.u8()),
  };
}

/** Service list descriptor, tag 0x41. ARIB STD-B10 Part 2, 6.2.14. */
interface ServiceListDescriptor {
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

/** Service group descriptor, tag 0xE0: related services. ARIB STD-B10 Part 2, 6.2.49. */
interface ServiceGroupDescriptor {
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

/** Bouquet name descriptor, tag 0x47. ARIB STD-B10 Part 2, 6.2.1. */
interface BouquetNameDescriptor {
  readonly kind: 'bouquet_name';
  readonly name: string;
}

export function parseBouquetName(r: Reader): BouquetNameDescriptor {
  return { kind: 'bouquet_name', name: readText(r, r.remaining) };
}

/** Country availability descriptor, tag 0x49. ARIB STD-B10 Part 2, 6.2.5. */
interface CountryAvailabilityDescriptor {
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

/** Logo transmission descriptor, tag 0xCF: where the logo of a service is sent. ARIB STD-B10 Part 2, 6.2.44. */
export type LogoTransmissionDescriptor = CdtLogo | SharedLogo | TextLogo | UnknownLogo;

/** Type 1: in the CDT of this download_data_id. */
interface CdtLogo {
  readonly kind: 'logo_transmission';
  readonly type: 1;
  /** 9 bits, unique in the network. */
  readonly logoId: number;
  /** 12 bits. */
  readonly logoVersion: number;
  readonly downloadDataId: number;
}

/** Type 2: the logo of another service of the network that has the same logo_id with type 1. */
interface SharedLogo {
  readonly kind: 'logo_transmission';
  readonly type: 2;
  readonly logoId: number;
}

/** Type 3: letters instead of a picture. */
interface TextLogo {
  readonly kind: 'logo_transmission';
  readonly type: 3;
  readonly text: string;
}

interface UnknownLogo {
  readonly kind: 'logo_transmission';
  readonly type: 'unknown';
  /** logo_transmission_type as sent. */
  readonly transmissionType: number;
}

export function parseLogoTransmission(r: Reader): LogoTransmissionDescriptor {
  const kind = 'logo_transmission';
  const type = r.u8();
  switch (type) {
    case 1:
      // reserved 7, logo_id 9; reserved 4, logo_version 12
      return {
        kind,
        type,
        logoId: r.u16() & 0x01ff,
        logoVersion: r.u16() & 0x0fff,
        downloadDataId: r.u16(),
      };
    case 2:
      return { kind, type, logoId: r.u16() & 0x01ff };
    case 3:
      return { kind, type, text: readText(r, r.remaining) };
    default:
      return { kind, type: 'unknown', transmissionType: type };
  }
}

/** Near video on demand reference descriptor, tag 0x4B. ARIB STD-B10 Part 2, 6.2.10. */
interface NvodReferenceDescriptor {
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

/** Time shifted service descriptor, tag 0x4C: a later copy of another service. ARIB STD-B10 Part 2, 6.2.19. */
interface TimeShiftedServiceDescriptor {
  readonly kind: 'time_shifted_service';
  /** The service that describes the events. */
  readonly referenceServiceId: ServiceId;
}

export function parseTimeShiftedService(r: Reader): TimeShiftedServiceDescriptor {
  return { kind: 'time_shifted_service', referenceServiceId: r.u16() as ServiceId };
}

/** Linkage descriptor, tag 0x4A: another service that provides what `type` specifies. ARIB STD-B10 Part 2, 6.2.8. */
interface LinkageDescriptor {
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

/** LDT linkage descriptor, tag 0xDC: descriptions in an LDT. ARIB STD-B10 Part 2, 6.2.40. */
interface LdtLinkageDescriptor {
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
