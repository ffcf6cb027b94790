/**
 * The modules of a satellite network's logos: ARIB STD-B21 12.2.2 and Annex 1, TR-B15 vol. 4. One module holds one
 * size of all logos: logo_type 8, number_of_loop 16, then for each logo reserved 7, logo_id 9,
 * number_of_services 8 with original_network_id, transport_stream_id and service_id of each, data_size 16, PNG.
 */
import type { BroadcastType } from '../../lib/arib/ids.ts';
import { LOGO_VERSION, type NetworkLogo } from '../logo/assignment.ts';
import { LOGO_TYPES, logoPicture } from '../logo/picture.ts';
import { ByteWriter, concat } from '../si/bytes.ts';
import { type CarouselPlan, type Module, moduleCrc, moduleName } from '../si/dsmcc.ts';

const PREFIX = { BS: 'LOGO-', CS: 'CS_LOGO-' } as const;
/** download_id of all logos of a network; receivers use another one for another list. */
export const LOGO_DOWNLOAD = 0x0001_0000;

/** Names of modules by logo_type. */
function logoModuleName(type: Exclude<BroadcastType, 'GR'>, logoType: number): string {
  return `${PREFIX[type]}0${logoType}`;
}

function logoModule(type: Exclude<BroadcastType, 'GR'>, logoType: number, logos: NetworkLogo[]): Module {
  const body = new ByteWriter().u8(logoType).u16(logos.length);
  for (const { logoId, owner, channel, stations } of logos) {
    body.u16(0xfe00 | logoId).u8(stations.length);
    for (const each of stations) {
      body.u16(each.channel.networkId).u16(each.channel.transportStreamId).u16(each.station.serviceId);
    }
    const picture = logoPicture(channel, owner, logoType);
    body.u16(picture.length).bytes(picture);
  }
  const bytes = body.done();
  const info = concat([moduleName(logoModuleName(type, logoType)), moduleCrc(bytes)]);
  return { id: logoType, version: LOGO_VERSION, bytes, info };
}

export function logoCarousel(type: Exclude<BroadcastType, 'GR'>, logos: NetworkLogo[]): CarouselPlan {
  const modules = Array.from({ length: LOGO_TYPES }, (_, logoType) => logoModule(type, logoType, logos));
  return { downloadId: LOGO_DOWNLOAD, transaction: LOGO_VERSION, modules };
}
