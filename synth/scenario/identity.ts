/** Identifiers computed according to the operating rules, ARIB TR-B14 vol. 7 and TR-B15. */
import {
  type NetworkId,
  networkId,
  type ServiceId,
  serviceId,
  type TransportStreamId,
  transportStreamId,
} from '../../lib/arib/ids.ts';

/** A terrestrial region without broadcasters: its number is not assigned. */
export const INVENTED_REGION = 9;
/** Another one, from which some receivers get a station too. */
export const NEIGHBOUR_REGION = 8;

/** network_id, original_network_id and transport_stream_id of a terrestrial broadcaster (0..15) of a region. */
export function terrestrialNetwork(region: number, broadcaster: number): NetworkId {
  return networkId(0x7ff0 - 0x10 * region + broadcaster);
}

export function terrestrialStream(network: NetworkId): TransportStreamId {
  return transportStreamId(network);
}

type TerrestrialKind = 'tv' | 'data' | 'partial';

const KIND_BITS = { tv: 0, data: 1, partial: 3 } as const;

/** service_id: region 6 bits, prefecture flag 1, kind 2, broadcaster 4, number 3. */
export function terrestrialService(
  region: number,
  broadcaster: number,
  kind: TerrestrialKind,
  number: number,
): ServiceId {
  return serviceId((region << 10) | (KIND_BITS[kind] << 7) | (broadcaster << 3) | number);
}

/** transport_stream_id of a satellite: network 4 bits, era 3, transponder 5, reserved 1, slot 3. */
export function satelliteStream(network: NetworkId, transponder: number, slot: number): TransportStreamId {
  return transportStreamId(((network & 0xf) << 12) | (transponder << 4) | slot);
}

export const BS_NETWORK = networkId(4);
export const CS1_NETWORK = networkId(6);
export const CS2_NETWORK = networkId(7);
