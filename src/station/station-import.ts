/** Which of the agent's stations the service lists: a pure function of its channel definitions. */
import { networkId, serviceId, stationId, transportStreamId } from '../../arib/ids.ts';
import { plainName } from '../../host/plain-name.ts';
import type { Channel } from '../../wire/agent.ts';
import { isWorthListing, type StationRecord } from '../model/station.ts';

/**
 * The stations to list, in the order of the channels. A station on several channels (relay transmitters) is taken
 * from the first. The remote-control key of satellite stations is their service id, and so is that of a terrestrial
 * station whose key is unknown: it sorts last.
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
        name: plainName(station.name),
        serviceType: station.serviceType,
        remoteControlKey: key,
      });
    }
  }
  return [...stations.values()];
}
