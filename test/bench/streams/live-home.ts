/**
 * A data folder for which nothing is left to collect, so that live viewing has all tuners: every station has
 * a current logo, and the collection of the guide is disabled.
 */
import { join } from 'node:path';
import { networkId, serviceId, stationId, transportStreamId } from '../../../lib/arib/ids.ts';
import { broadcastMs } from '../../../lib/arib/time.ts';
import { wallMs } from '../../../lib/host/clock.ts';
import type { Channel } from '../../../lib/wire/agent.ts';
import { LARGEST_TYPE } from '../../../src/model/logo.ts';
import type { StationRecord } from '../../../src/model/station.ts';
import { DATABASE_FILE } from '../../../src/service.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { LogoStore } from '../../../src/store/logo-store.ts';
import { SettingStore } from '../../../src/store/setting-store.ts';
import { StationStore } from '../../../src/store/station-store.ts';

function stationsOf(channel: Channel): StationRecord[] {
  const network = channel.networkId;
  if (network === null) return [];
  return channel.stations.map((station) => ({
    id: stationId(networkId(network), serviceId(station.serviceId)),
    type: channel.type,
    networkId: networkId(network),
    serviceId: serviceId(station.serviceId),
    transportStreamId: channel.tsid === null ? null : transportStreamId(channel.tsid),
    channel: channel.channel,
    name: station.name,
    serviceType: station.serviceType,
    remoteControlKey: station.remoteControlKey ?? 0,
  }));
}

/** @returns the stations, in the order of the channels */
export function fillLiveHome(dataDir: string, channels: readonly Channel[], now: number): StationRecord[] {
  const stations = channels.flatMap(stationsOf);
  const database = openDatabase(join(dataDir, DATABASE_FILE));
  try {
    new StationStore(database).apply({ put: stations, hide: [], retype: [] }, broadcastMs(now));
    const logos = stations.map(({ id }) => ({
      stationId: id,
      type: LARGEST_TYPE,
      version: 0,
      png: Uint8Array.of(0x89, 0x50, 0x4e, 0x47),
    }));
    new LogoStore(database).put(logos, wallMs(now));
    new SettingStore(database).put(new Map([['collectGuide', false]]), wallMs(now));
  } finally {
    database.close();
  }
  return stations;
}
