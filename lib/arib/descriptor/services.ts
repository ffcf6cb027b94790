/** Descriptors of services: names, lists, logos. */
import type { ServiceId } from '../ids.ts';
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
