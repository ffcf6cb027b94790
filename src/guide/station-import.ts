/** Which of the agent's stations the service lists: a pure function of its channel definitions. */
import {
  type BroadcastType,
  networkId,
  type ServiceId,
  serviceId,
  stationId,
  transportStreamId,
} from '../../arib/ids.ts';
import type { Channel } from '../../wire/agent.ts';
import type { StationRecord } from '../model/station.ts';

/**
 * service_type values that carry something to watch or hear, ARIB STD-B10 Part 2, Table 6-24: digital TV (0x01),
 * digital audio (0x02), temporary video and audio (0xA1, 0xA2), promotion video and audio (0xA5, 0xA6),
 * 4K TV (0xAD). Data (0xC0 and others) and engineering services are not listed.
 */
const LISTED_SERVICE_TYPES: ReadonlySet<number> = new Set([0x01, 0x02, 0xa1, 0xa2, 0xa5, 0xa6, 0xad]);

/** The two service type bits of a terrestrial service_id: 3 is partial reception (one-segment), ARIB TR-B14 Vol. 5. */
function isOneSegment(service: ServiceId): boolean {
  return ((service >> 7) & 0x03) === 3;
}

/** Whether a service has something to watch or hear on a television: not one-segment, not data alone. */
export function isWorthListing(type: BroadcastType, service: ServiceId, serviceType: number): boolean {
  return LISTED_SERVICE_TYPES.has(serviceType) && (type !== 'GR' || !isOneSegment(service));
}

/**
 * The stations to list, in the order of the channels. A station that stands on several channels (relay
 * transmitters) is taken from the first. The remote-control key of satellite stations is their service id, and
 * so is that of a terrestrial station whose key nobody knows: it sorts last.
 */
export function stationsOfChannels(channels: readonly Channel[]): StationRecord[] {
  const stations = new Map<number, StationRecord>();
  for (const channel of channels) {
    for (const station of channel.stations) {
      const service = serviceId(station.serviceId);
      if (channel.networkId === null || !isWorthListing(channel.type, service, station.serviceType)) continue;
      const network = networkId(channel.networkId);
      const id = stationId(network, service);
      if (stations.has(id)) continue;
      const key = channel.type === 'GR' ? (station.remoteControlKey ?? service) : service;
      stations.set(id, {
        id,
        type: channel.type,
        networkId: network,
        serviceId: service,
        transportStreamId: channel.tsid === null ? null : transportStreamId(channel.tsid),
        channel: channel.channel,
        name: station.name,
        serviceType: station.serviceType,
        remoteControlKey: key,
      });
    }
  }
  return [...stations.values()];
}
