/** A station as the service knows it: the row that recordings and reservations refer to. */
import type { BroadcastType, NetworkId, ServiceId, StationId, TransportStreamId } from '../../arib/ids.ts';

export interface StationRecord {
  id: StationId;
  type: BroadcastType;
  networkId: NetworkId;
  serviceId: ServiceId;
  /** Unknown until a scan or a tuning told it. */
  transportStreamId: TransportStreamId | null;
  /** Physical channel, as the agent spells it (`T27`, `BS01_0`, `CS02`). */
  channel: string;
  name: string;
  /** service_type of ARIB STD-B10; 0x01 is digital television. */
  serviceType: number;
  remoteControlKey: number;
}

/** A station that was listed once, with where it stands now. */
export interface KnownStation extends StationRecord {
  /** Not in lists: the last import did not have it, or it is nothing to watch any more. */
  hidden: boolean;
  /** Absent for so long that its guide and its bookings were given up. */
  forgotten: boolean;
}
