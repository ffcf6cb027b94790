/** A station as stored by the service: the row that recordings and reservations refer to. */
import type {
  BroadcastType,
  NetworkId,
  ServiceId,
  StationId,
  TransportStreamId,
} from '../../lib/arib/ids.ts';

export interface StationRecord {
  id: StationId;
  type: BroadcastType;
  networkId: NetworkId;
  serviceId: ServiceId;
  /** Unknown until a scan or a tuning reported it. */
  transportStreamId: TransportStreamId | null;
  /** Physical channel, as the agent spells it (`T27`, `BS01_0`, `CS02`). */
  channel: string;
  name: string;
  /** service_type of ARIB STD-B10; 0x01 is digital television. */
  serviceType: number;
  remoteControlKey: number;
}

/** A station that was listed at some time, with its current state. */
export interface KnownStation extends StationRecord {
  /** Not in lists: the last import did not have it, or it is no longer a watchable service. */
  hidden: boolean;
  /** Absent for so long that its guide and its reservations were deleted. */
  forgotten: boolean;
}

/**
 * service_type values with video or audio, ARIB STD-B10 Part 2, Table 6-24: digital TV (0x01), digital audio (0x02),
 * temporary video and audio (0xA1, 0xA2), promotion video and audio (0xA5, 0xA6), 4K TV (0xAD). Data (0xC0 and
 * others) and engineering services are not listed.
 */
const LISTED_SERVICE_TYPES: ReadonlySet<number> = new Set([0x01, 0x02, 0xa1, 0xa2, 0xa5, 0xa6, 0xad]);

/** The two service type bits of a terrestrial service_id: 3 is partial reception (one-segment), ARIB TR-B14 Vol. 5. */
function isOneSegment(service: ServiceId): boolean {
  return ((service >> 7) & 0x03) === 3;
}

/** Whether a service has something to watch or hear on a television: neither one-segment nor data only. */
export function isWorthListing(type: BroadcastType, service: ServiceId, serviceType: number): boolean {
  return LISTED_SERVICE_TYPES.has(serviceType) && (type !== 'GR' || !isOneSegment(service));
}
