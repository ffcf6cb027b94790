import type { Reader } from '../reader.ts';
import { readText } from '../text/text.ts';

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
