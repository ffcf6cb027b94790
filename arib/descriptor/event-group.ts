import type { EventId, NetworkId, ServiceId, TransportStreamId } from '../ids.ts';
import type { Reader } from '../reader.ts';

/** Event group descriptor, tag 0xD6. ARIB STD-B10 Part 2, 6.2.34. */
export interface EventGroupDescriptor {
  readonly kind: 'event_group';
  readonly group: EventGroupType;
  /** Events of this transport stream (of this network for relay and movement). */
  readonly events: readonly GroupedEvent[];
  /** Events of other networks, in the types to and from another network. */
  readonly otherNetworkEvents: readonly OtherNetworkEvent[];
}

/**
 * group_type, 4 bits. 'shared': one programme on several services; 'relay': it continues there; 'movement': it moved
 * from there; the last two to and from another network.
 */
type EventGroupType = (typeof GROUP_TYPES)[number] | 'unknown';

const GROUP_TYPES = ['shared', 'relay', 'movement', 'relay-network', 'movement-network'] as const;

interface GroupedEvent {
  readonly serviceId: ServiceId;
  readonly eventId: EventId;
}

interface OtherNetworkEvent extends GroupedEvent {
  readonly originalNetworkId: NetworkId;
  readonly transportStreamId: TransportStreamId;
}

export function parseEventGroup(r: Reader): EventGroupDescriptor {
  const header = r.u8();
  const group = GROUP_TYPES[(header >> 4) - 1] ?? 'unknown';
  const events: GroupedEvent[] = [];
  for (let left = header & 0x0f; left > 0; left--) {
    events.push({ serviceId: r.u16() as ServiceId, eventId: r.u16() as EventId });
  }
  const otherNetworkEvents: OtherNetworkEvent[] = [];
  if (group === 'relay-network' || group === 'movement-network') {
    while (r.remaining > 0) {
      otherNetworkEvents.push({
        originalNetworkId: r.u16() as NetworkId,
        transportStreamId: r.u16() as TransportStreamId,
        serviceId: r.u16() as ServiceId,
        eventId: r.u16() as EventId,
      });
    }
  }
  // The other types end with private data.
  return { kind: 'event_group', group, events, otherNetworkEvents };
}
