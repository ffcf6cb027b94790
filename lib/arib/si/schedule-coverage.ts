/**
 * Which sections of a service's schedule were received, and whether all those on the air were. Pure: the time is
 * passed in. ARIB STD-B10 Part 2, 5.2.7; TR-B14 Vol. 4, TR-B15 Vol. 4 (segments of three hours).
 *
 * A table_id has four days, a day eight segments, a segment up to eight sections. Past segments of today are no
 * longer sent, and not required. A segment whose version changes is collected again; a change of last_table_id, or
 * midnight, when every segment moves, restarts the whole collection.
 */
import { type BroadcastMs, broadcastMs, jstDayStart } from '../time.ts';
import type { Eit } from './eit.ts';

type ScheduleKind = 'basic' | 'extended';

/** The fields of an EIT that `add` needs. */
export type ScheduleSection = Pick<
  Eit,
  | 'tableId'
  | 'kind'
  | 'version'
  | 'sectionNumber'
  | 'lastSectionNumber'
  | 'segmentLastSectionNumber'
  | 'lastTableId'
>;

/** 'new': first time in this version; 'known': repeated; 'refused': not a schedule, or contradictory numbers. */
type Novelty = 'new' | 'known' | 'refused';

export interface ScheduleProgress {
  /** Number of segments being sent, as far as known. */
  readonly segments: number;
  readonly completeSegments: number;
  /** Every section on the air was received. */
  readonly complete: boolean;
}

const SEGMENT_MS = 3 * 3_600_000;
const TABLES = 8;
const SEGMENTS = 32;
/** Sections of a segment, as bits of a number. */
const SECTIONS = 8;

interface Segment {
  version: number;
  lastSection: number;
  /** Bit n: section n of the segment was received. */
  received: number;
}

interface Table {
  /** last_section_number >> 3: later segments are not sent. */
  lastSegment: number;
  readonly segments: (Segment | undefined)[];
}

class KindCoverage {
  /** last_table_id & 7; -1 before the first section. */
  #lastTable = -1;
  #tables: (Table | undefined)[] = [];

  clear(): void {
    this.#lastTable = -1;
    this.#tables = new Array(TABLES).fill(undefined);
  }

  add(section: ScheduleSection): Novelty {
    const { tableId, lastTableId, sectionNumber, segmentLastSectionNumber: segmentLast } = section;
    const table = tableId & (TABLES - 1);
    const lastTable = lastTableId & (TABLES - 1);
    if (tableId - table !== lastTableId - lastTable || table > lastTable) return 'refused';
    const index = sectionNumber >> 3;
    if (segmentLast >> 3 !== index || sectionNumber > segmentLast) return 'refused';
    if (sectionNumber > section.lastSectionNumber) return 'refused';
    if (lastTable !== this.#lastTable) this.clear();
    this.#lastTable = lastTable;
    return this.#mark(this.#table(table, section.lastSectionNumber >> 3), index, section);
  }

  #table(number: number, lastSegment: number): Table {
    const known = this.#tables[number];
    if (known !== undefined) {
      known.lastSegment = lastSegment;
      known.segments.fill(undefined, lastSegment + 1);
      return known;
    }
    const table: Table = { lastSegment, segments: new Array(SEGMENTS).fill(undefined) };
    this.#tables[number] = table;
    return table;
  }

  #mark(table: Table, index: number, section: ScheduleSection): Novelty {
    const { version } = section;
    const lastSection = section.segmentLastSectionNumber & (SECTIONS - 1);
    let segment = table.segments[index];
    if (segment?.version !== version || segment.lastSection !== lastSection) {
      segment = { version, lastSection, received: 0 };
      table.segments[index] = segment;
    }
    const bit = 1 << (section.sectionNumber & (SECTIONS - 1));
    if ((segment.received & bit) !== 0) return 'known';
    segment.received |= bit;
    return 'new';
  }

  /** @param firstSegment the first segment of today that is still sent */
  progress(firstSegment: number): ScheduleProgress {
    let segments = 0;
    let completeSegments = 0;
    let unknownTables = this.#lastTable < 0 ? 1 : 0;
    for (let number = 0; number <= this.#lastTable; number++) {
      const table = this.#tables[number];
      if (table === undefined) {
        unknownTables++;
        continue;
      }
      for (let index = number === 0 ? firstSegment : 0; index <= table.lastSegment; index++) {
        segments++;
        if (isComplete(table.segments[index])) completeSegments++;
      }
    }
    return { segments, completeSegments, complete: unknownTables === 0 && completeSegments === segments };
  }

  segmentComplete(section: ScheduleSection): boolean {
    const table = this.#tables[section.tableId & (TABLES - 1)];
    return isComplete(table?.segments[section.sectionNumber >> 3]);
  }

  /** The first incomplete segment from `firstSegment` on, counted from today's first. */
  firstMissing(firstSegment: number): number {
    let at = firstSegment;
    for (let number = 0; number <= this.#lastTable; number++) {
      const table = this.#tables[number];
      if (table === undefined) break;
      const end = number * SEGMENTS + table.lastSegment + 1;
      while (at < end && isComplete(table.segments[at - number * SEGMENTS])) at++;
      if (at < end) break;
      // Segments after the last one sent are empty, except those after the end of the schedule.
      if (number < this.#lastTable) at = Math.max(at, (number + 1) * SEGMENTS);
    }
    return at;
  }
}

function isComplete(segment: Segment | undefined): boolean {
  return segment !== undefined && segment.received === (1 << (segment.lastSection + 1)) - 1;
}

/** For one service (service_id, transport_stream_id, original_network_id) on one PID. Stores at most 512 segments. */
export class ScheduleCoverage {
  readonly #kinds = { basic: new KindCoverage(), extended: new KindCoverage() };
  /** Start (JST) of the day of segment 0. */
  #day: BroadcastMs | undefined;

  /** Adds a section of the service's schedule that was received at `at`. */
  add(section: ScheduleSection, at: BroadcastMs): Novelty {
    if (section.kind === 'present-following') return 'refused';
    const day = jstDayStart(at);
    if (day !== this.#day) this.#startDay(day);
    return this.#kinds[section.kind === 'schedule-basic' ? 'basic' : 'extended'].add(section);
  }

  progress(kind: ScheduleKind, at: BroadcastMs): ScheduleProgress {
    const day = jstDayStart(at);
    if (day !== this.#day) return { segments: 0, completeSegments: 0, complete: false };
    return this.#kinds[kind].progress(Math.floor((at - day) / SEGMENT_MS));
  }

  /** Whether the segment of `section` was received completely, in its latest version. */
  segmentComplete(section: ScheduleSection): boolean {
    if (section.kind === 'present-following') return false;
    return this.#kinds[section.kind === 'schedule-basic' ? 'basic' : 'extended'].segmentComplete(section);
  }

  /** Time up to which the basic schedule was received without a gap; `at` if the current segment is missing. */
  filledUntil(at: BroadcastMs): BroadcastMs {
    const day = jstDayStart(at);
    if (day !== this.#day) return at;
    const first = Math.floor((at - day) / SEGMENT_MS);
    const missing = this.#kinds.basic.firstMissing(first);
    return missing === first ? at : broadcastMs(day + missing * SEGMENT_MS);
  }

  #startDay(day: BroadcastMs): void {
    this.#day = day;
    this.#kinds.basic.clear();
    this.#kinds.extended.clear();
  }
}
