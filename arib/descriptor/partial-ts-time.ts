import type { Reader } from '../reader.ts';
import type { BroadcastMs } from '../time.ts';

/** Partial transport stream time descriptor, tag 0xC3, of a SIT. ARIB STD-B21, 9.1.8.3. */
export interface PartialTsTimeDescriptor {
  readonly kind: 'partial_ts_time';
  /** event_version_number, 8 bits. */
  readonly eventVersion: number;
  readonly startAt: BroadcastMs | undefined;
  /** Seconds. */
  readonly duration: number | undefined;
  /** Seconds from the time of broadcast to the time of this stream, signed; undefined: none, or not BCD. */
  readonly offset: number | undefined;
  /** other_descriptor_status: the other descriptors of the SIT changed. */
  readonly othersChanged: boolean;
  /** JST of this section's output. */
  readonly time: BroadcastMs | undefined;
}

export function parsePartialTsTime(r: Reader): PartialTsTimeDescriptor {
  const eventVersion = r.u8();
  const startAt = r.mjdTime();
  const duration = r.bcdDuration();
  const offset = r.bcdDuration();
  // reserved 5, offset_flag 1, other_descriptor_status 1, jst_time_flag 1
  const flags = r.u8();
  return {
    kind: 'partial_ts_time',
    eventVersion,
    startAt,
    duration,
    offset: offset === undefined || (flags & 0x04) === 0 ? offset : -offset,
    othersChanged: (flags & 0x02) !== 0,
    time: (flags & 0x01) !== 0 ? r.mjdTime() : undefined,
  };
}
