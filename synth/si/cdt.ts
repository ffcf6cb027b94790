/** CDT: ARIB STD-B21 12.2.2.2, with the logo data of TR-B14 vol. 4: one section for each size of a logo. */
import { LOGO_VERSION, type NetworkLogo } from '../logo/assignment.ts';
import { LOGO_TYPES, logoPicture } from '../logo/picture.ts';
import { ByteWriter } from './bytes.ts';
import { longSection } from './section.ts';

const VERSION = 1;
/** data_type of logos. */
const LOGO = 0x01;

/** The section of one size of a logo. @throws RangeError for an invalid size */
function cdtSection({ logoId, channel, owner }: NetworkLogo, type: number): Uint8Array {
  const picture = logoPicture(channel, owner, type);
  const body = new ByteWriter()
    .u16(channel.networkId)
    .u8(LOGO)
    .counted12(0xf, new Uint8Array(0))
    .u8(type)
    .u16(0xfe00 | logoId)
    .u16(0xf000 | LOGO_VERSION)
    .u16(picture.length)
    .bytes(picture);
  const header = { tableId: 0xc8, extension: owner.serviceId, version: VERSION, number: type };
  return longSection({ ...header, lastNumber: LOGO_TYPES - 1 }, body.done());
}

/** In order of their sizes, drawn on first use and cached: most tunings end before all are due. */
export function cdtSections(logo: NetworkLogo): (() => Uint8Array)[] {
  return Array.from({ length: LOGO_TYPES }, (_, type) => {
    let made: Uint8Array | undefined;
    return () => {
      made ??= cdtSection(logo, type);
      return made;
    };
  });
}
