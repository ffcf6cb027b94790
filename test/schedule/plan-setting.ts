/** Time and place of the homes in tests of the plan. */
import {
  type BroadcastType,
  networkId,
  serviceId,
  stationId,
  transportStreamId,
} from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { StationRecord } from '../../src/model/station.ts';

export const MINUTE = 60_000;
/** 2026-11-21 12:00 JST, a Saturday. */
export const NOON = broadcastMs(Date.parse('2026-11-21T12:00:00+09:00'));

const NETWORKS: Readonly<Record<BroadcastType, number>> = { GR: 0x7f00, BS: 4, CS: 6 };

/** `T27` is terrestrial, `BS01_0` is BS and `CS02` is CS. */
export function stationOn(
  channel: string,
  service: number,
  over: Pick<StationRecord, 'name'> & Partial<StationRecord>,
): StationRecord {
  const type: BroadcastType = channel.startsWith('T') ? 'GR' : channel.startsWith('BS') ? 'BS' : 'CS';
  const network = networkId(NETWORKS[type] + (type === 'GR' ? Number(channel.slice(1)) : 0));
  return {
    id: stationId(network, serviceId(service)),
    type,
    networkId: network,
    serviceId: serviceId(service),
    transportStreamId: transportStreamId(1),
    channel,
    serviceType: 1,
    remoteControlKey: 1,
    ...over,
  };
}
