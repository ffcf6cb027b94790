/**
 * Logos of stations: the data module of the CDT, the module of the common data carousel of BS and CS, and the
 * pictures in both. ARIB STD-B21, Annex 1 (logo data); TR-B14 Vol. 4, TR-B15 Vol. 4.
 */
import type { NetworkId, ServiceId, TransportStreamId } from '../ids.ts';
import { Reader } from '../reader.ts';

export interface Logo {
  /** logo_type: index of `LOGO_SIZES`. */
  readonly type: number;
  /** 9 bits, unique in the network. */
  readonly logoId: number;
  /** 12 bits. */
  readonly logoVersion: number;
  /** As broadcast: a PNG without its palette, see `completeLogo`. */
  readonly picture: Uint8Array;
}

/** Width and height by logo_type: small 4:3, 16:9 and HD, large 4:3, 16:9 and HD. */
export const LOGO_SIZES: readonly (readonly [width: number, height: number])[] = [
  [48, 24],
  [36, 24],
  [48, 27],
  [72, 36],
  [54, 36],
  [64, 36],
];

/** Maximum size of the empty pictures that are sent instead of a logo. */
const LARGEST_DUMMY = 93;

/** The logo of a CDT with data_type 1; undefined if it is truncated. */
export function parseLogo(data: Uint8Array): Logo | undefined {
  const r = new Reader(data);
  const type = r.u8();
  // reserved 7, logo_id 9; reserved 4, logo_version 12
  const logoId = r.u16() & 0x01ff;
  const logoVersion = r.u16() & 0x0fff;
  const picture = r.take(r.u16());
  return r.exhausted ? undefined : { type, logoId, logoVersion, picture };
}

/** A fully transparent picture, sent by stations without a logo of the size. */
export function isDummyLogo(picture: Uint8Array): boolean {
  return picture.length <= LARGEST_DUMMY;
}

/** A module `LOGO-00` to `LOGO-05` or `CS_LOGO-00` to `CS_LOGO-05`: one size of the logos of a network. */
interface LogoModule {
  readonly type: number;
  readonly logos: readonly ModuleLogo[];
}

interface ModuleLogo {
  readonly logoId: number;
  readonly services: readonly LogoService[];
  readonly picture: Uint8Array;
}

interface LogoService {
  readonly originalNetworkId: NetworkId;
  readonly transportStreamId: TransportStreamId;
  readonly serviceId: ServiceId;
}

/** Undefined if the module is truncated. Logos without services or without a picture are left out. */
export function parseLogoModule(module: Uint8Array): LogoModule | undefined {
  const r = new Reader(module);
  const type = r.u8();
  const logos: ModuleLogo[] = [];
  for (let left = r.u16(); left > 0 && !r.exhausted; left--) {
    // reserved 7, logo_id 9
    const logoId = r.u16() & 0x01ff;
    const services = readServices(r);
    const picture = r.take(r.u16());
    if (services.length > 0 && picture.length > 0) logos.push({ logoId, services, picture });
  }
  return r.exhausted ? undefined : { type, logos };
}

function readServices(r: Reader): LogoService[] {
  const services: LogoService[] = [];
  for (let left = r.u8(); left > 0 && !r.exhausted; left--) {
    services.push({
      originalNetworkId: r.u16() as NetworkId,
      transportStreamId: r.u16() as TransportStreamId,
      serviceId: r.u16() as ServiceId,
    });
  }
  return services;
}
