import { type Descriptor, readDescriptors } from '../descriptor/index.ts';
import { type EventId, type NetworkId, pid, type ServiceId, type TransportStreamId } from '../ids.ts';
import { Reader } from '../reader.ts';
import type { BroadcastMs } from '../time.ts';
import type { Section } from '../ts/section.ts';

/** A section of the event information table, ARIB STD-B10 Part 2, 5.2.7: all kinds have the same layout. */
export interface Eit {
  readonly tableId: number;
  readonly kind: EitKind;
  /** False: for another transport stream. */
  readonly actual: boolean;
  readonly serviceId: ServiceId;
  readonly transportStreamId: TransportStreamId;
  readonly originalNetworkId: NetworkId;
  readonly version: number;
  /** Present/following: 0 is the present event, 1 the following. Schedule: segment * 8 + position in the segment. */
  readonly sectionNumber: number;
  readonly lastSectionNumber: number;
  readonly segmentLastSectionNumber: number;
  readonly lastTableId: number;
  readonly events: readonly EitEvent[];
}

/** Basic schedules have all descriptors except extended_event, extended schedules only that one (TR-B14, TR-B15). */
type EitKind = 'present-following' | 'schedule-basic' | 'schedule-extended';

export interface EitEvent {
  readonly eventId: EventId;
  /** Undefined: undecided (all ones). Only permitted in present/following. */
  readonly startAt: BroadcastMs | undefined;
  /** Seconds; undefined: undecided. Only permitted in present/following. */
  readonly duration: number | undefined;
  /** 3 bits; 0 (not defined) in operation: the section number identifies the present event. */
  readonly runningStatus: number;
  /** free_CA_mode: true = pay. */
  readonly pay: boolean;
  readonly descriptors: readonly Descriptor[];
}

/** H-EIT (terrestrial) and all EIT of BS and CS; M-EIT is on 0x26, L-EIT (one-segment) on 0x27. ARIB TR-B14 Vol. 4. */
export const EIT_PID = pid(0x0012);

interface TableIds {
  readonly first: number;
  readonly last: number;
  readonly kind: EitKind;
  readonly actual: boolean;
}

/** The table_ids of all kinds, ARIB STD-B10 Part 2, 5.2.7. */
const TABLE_IDS: readonly TableIds[] = [
  { first: 0x4e, last: 0x4e, kind: 'present-following', actual: true },
  { first: 0x4f, last: 0x4f, kind: 'present-following', actual: false },
  { first: 0x50, last: 0x57, kind: 'schedule-basic', actual: true },
  { first: 0x58, last: 0x5f, kind: 'schedule-extended', actual: true },
  { first: 0x60, last: 0x67, kind: 'schedule-basic', actual: false },
  { first: 0x68, last: 0x6f, kind: 'schedule-extended', actual: false },
];

const BY_TABLE_ID: readonly (TableIds | undefined)[] = Array.from({ length: 256 }, (_, tableId) =>
  TABLE_IDS.find((ids) => tableId >= ids.first && tableId <= ids.last),
);

/** Undefined if the section is not an EIT, is not current yet, or has a wrong length. */
export function parseEit(section: Section): Eit | undefined {
  const ids = BY_TABLE_ID[section.tableId];
  if (ids === undefined || !section.long || !section.current) return undefined;
  const r = new Reader(section.body);
  const transportStreamId = r.u16() as TransportStreamId;
  const originalNetworkId = r.u16() as NetworkId;
  const segmentLastSectionNumber = r.u8();
  const lastTableId = r.u8();
  const events: EitEvent[] = [];
  while (r.remaining > 0) events.push(readEvent(r));
  if (r.exhausted) return undefined;
  return {
    tableId: section.tableId,
    kind: ids.kind,
    actual: ids.actual,
    serviceId: section.extension as ServiceId,
    transportStreamId,
    originalNetworkId,
    version: section.version,
    sectionNumber: section.number,
    lastSectionNumber: section.lastNumber,
    segmentLastSectionNumber,
    lastTableId,
    events,
  };
}

function readEvent(r: Reader): EitEvent {
  const eventId = r.u16() as EventId;
  const startAt = r.mjdTime();
  const duration = r.bcdDuration();
  // running_status 3, free_CA_mode 1, descriptors_loop_length 12
  const tail = r.u16();
  return {
    eventId,
    startAt,
    duration,
    runningStatus: tail >> 13,
    pay: (tail & 0x1000) !== 0,
    descriptors: readDescriptors(r.slice(tail & 0x0fff)),
  };
}

/** The broadcaster's clock: time offset table, ARIB STD-B10 Part 2, 5.2.9, or time and date table, 5.2.8. */
export interface Tot {
  /** Whole seconds; about five seconds apart in operation. */
  readonly time: BroadcastMs;
  /** local_time_offset during daylight saving time; always empty in a TDT. */
  readonly descriptors: readonly Descriptor[];
}

export const TOT_PID = pid(0x0014);
const TDT_TABLE_ID = 0x70;
const TOT_TABLE_ID = 0x73;

/** Undefined if the section is neither, its time is invalid, or a length in it is wrong. */
export function parseTot(section: Section): Tot | undefined {
  const isTot = section.tableId === TOT_TABLE_ID;
  if (!isTot && section.tableId !== TDT_TABLE_ID) return undefined;
  const r = new Reader(section.body);
  const time = r.mjdTime();
  const descriptors = isTot ? readDescriptors(r.slice(r.length12())) : [];
  return time === undefined || r.exhausted ? undefined : { time, descriptors };
}
