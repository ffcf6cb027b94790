/**
 * The schedule of one service, assembled from sections: new sections, their events, and which parts are complete.
 * Pure. ARIB STD-B10 Part 2, 5.2.7; TR-B14 Vol. 4, TR-B15 Vol. 4 (segments of three hours).
 *
 * Old and new versions of a segment are never mixed: its list of events is reset with the version. If a stream has
 * the service's own tables, those of another stream about it are older and ignored.
 */
import type { EventId } from '../../lib/arib/ids.ts';
import type { Eit } from '../../lib/arib/si/eit.ts';
import { ScheduleCoverage, type ScheduleProgress } from '../../lib/arib/si/schedule-coverage.ts';
import { type BroadcastMs, DAY_MS, jstDayStart, plusMs } from '../../lib/arib/time.ts';
import type { ScheduleWindow } from '../model/guide-change.ts';

const SEGMENT_MS = 3 * 3_600_000;
const SEGMENTS_A_DAY = 8;
const DAYS_A_TABLE = 4;
/** Around midnight the grid moves by a day, and a stream may be slightly late. */
const MIDNIGHT_MS = 120_000;

interface Listing {
  version: number;
  lastSection: number;
  events: EventId[];
}

interface TakenSection {
  /** Begin and end of its part of the schedule. */
  from: BroadcastMs;
  to: BroadcastMs;
  /** Set if the section completed its part. */
  window: ScheduleWindow | undefined;
}

export class ServiceSchedule {
  #coverage = new ScheduleCoverage();
  /** By kind, table and segment; only incomplete parts. */
  readonly #listings = new Map<number, Listing>();
  #actual = false;
  #day: BroadcastMs | undefined;
  /** Number of accepted sections of each kind. */
  readonly taken = { basic: 0, extended: 0 };

  /** @param at broadcast time of its arrival @returns undefined for a repeated or inconsistent section */
  add(eit: Eit, at: BroadcastMs): TakenSection | undefined {
    if (eit.kind === 'present-following') return undefined;
    if (eit.actual && !this.#actual) this.#restart();
    this.#actual ||= eit.actual;
    if (this.#actual !== eit.actual) return undefined;
    const day = jstDayStart(at);
    if (day !== this.#day) this.#listings.clear();
    this.#day = day;
    if (this.#coverage.add(eit, at) !== 'new') return undefined;
    const kind = eit.kind === 'schedule-basic' ? 'basic' : 'extended';
    this.taken[kind] += 1;
    const segment = eit.sectionNumber >> 3;
    const days = (eit.tableId & 7) * DAYS_A_TABLE + Math.floor(segment / SEGMENTS_A_DAY);
    const from = plusMs(day, days * DAY_MS + (segment % SEGMENTS_A_DAY) * SEGMENT_MS);
    const to = plusMs(from, SEGMENT_MS);
    const key = eit.tableId * 32 + segment;
    const listing = this.#listing(key, eit);
    for (const event of eit.events) listing.events.push(event.eventId);
    if (!this.#coverage.segmentComplete(eit)) return { from, to, window: undefined };
    this.#listings.delete(key);
    const sinceMidnight = at - day;
    const moving = sinceMidnight < MIDNIGHT_MS || sinceMidnight > DAY_MS - MIDNIGHT_MS;
    return { from, to, window: moving ? undefined : { kind, from, to, events: listing.events } };
  }

  progress(kind: 'basic' | 'extended', at: BroadcastMs): ScheduleProgress {
    return this.#coverage.progress(kind, at);
  }

  /** Returns `at` if not even the part for that time was received. */
  filledUntil(at: BroadcastMs): BroadcastMs {
    return this.#coverage.filledUntil(at);
  }

  #listing(key: number, eit: Eit): Listing {
    const known = this.#listings.get(key);
    const lastSection = eit.segmentLastSectionNumber;
    if (known?.version === eit.version && known.lastSection === lastSection) return known;
    const made: Listing = { version: eit.version, lastSection, events: [] };
    this.#listings.set(key, made);
    return made;
  }

  #restart(): void {
    this.#coverage = new ScheduleCoverage();
    this.#listings.clear();
    this.taken.basic = 0;
    this.taken.extended = 0;
  }
}
