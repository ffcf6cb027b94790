import type { EventId, ServiceId } from '../ids.ts';
import type { Reader } from '../reader.ts';

/** Time shifted event descriptor, tag 0x4F: a later copy of another event. ARIB STD-B10 Part 2, 6.2.18. */
export interface TimeShiftedEventDescriptor {
  readonly kind: 'time_shifted_event';
  readonly referenceServiceId: ServiceId;
  readonly referenceEventId: EventId;
}

export function parseTimeShiftedEvent(r: Reader): TimeShiftedEventDescriptor {
  return {
    kind: 'time_shifted_event',
    referenceServiceId: r.u16() as ServiceId,
    referenceEventId: r.u16() as EventId,
  };
}
