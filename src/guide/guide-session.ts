/**
 * One stream being read for the guide: gets new sections (`reception/guide-reader.ts`), returns programmes of known
 * stations. Pure; damaged and repeated sections never reach it.
 */
import type { EventId, NetworkId, ServiceId, StationId } from '../../lib/arib/ids.ts';
import { EIT_PID, type Eit, parseEit, parseTot } from '../../lib/arib/si/eit.ts';
import { type BroadcastEvent, broadcastEvent } from '../../lib/arib/si/event.ts';
import {
  BIT_PID,
  broadcasterOf,
  parseBit,
  parseSdt,
  SDT_PID,
  type ServiceBroadcaster,
} from '../../lib/arib/si/service-tables.ts';
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import type { Section } from '../../lib/arib/ts/section.ts';
import type { WallMs } from '../../lib/host/clock.ts';
import type { ExtendedText, ReadCoverage, ScheduleWindow, StationChange } from '../model/guide-change.ts';
import type { ProgramRecord } from '../model/program.ts';
import { programOf, scheduleTime } from './event-program.ts';
import type { VisitedStation } from './guide-messages.ts';
import { ServiceSchedule } from './service-schedule.ts';
import { StationPresent } from './station-present.ts';

interface KnownStation {
  station: VisitedStation;
  present: StationPresent;
}

function keyOf(networkId: NetworkId, serviceId: ServiceId): number {
  return networkId * 0x10000 + serviceId;
}

/**
 * The stations whose guide is kept, and the state of their present/following tables. A station is a network and a
 * service: one service_id may occur in two networks.
 */
export class KnownStations {
  #byKey = new Map<number, KnownStation>();
  #byId = new Map<StationId, KnownStation>();

  /** State of stations that stay is kept. */
  replace(stations: readonly VisitedStation[]): void {
    const before = this.#byId;
    const known = stations.map(
      (station) => before.get(station.id) ?? { station, present: new StationPresent(station) },
    );
    this.#byId = new Map(known.map((each) => [each.station.id, each]));
    this.#byKey = new Map(known.map((each) => [keyOf(each.station.networkId, each.station.serviceId), each]));
  }

  find(networkId: NetworkId, serviceId: ServiceId): KnownStation | undefined {
    return this.#byKey.get(keyOf(networkId, serviceId));
  }

  get(id: StationId): KnownStation | undefined {
    return this.#byId.get(id);
  }

  all(): Iterable<KnownStation> {
    return this.#byId.values();
  }
}

/** Limit of texts whose programme is not known yet; further ones are received again with the next reading. */
const MAX_UNPLACED = 4_000;
/** A larger offset means that the clock is invalid. */
const MAX_OFFSET_MS = 10 * 365 * 86_400_000;
/** Longest wait of a schedule for the time: a TOT comes every 5 s. */
const CLOCK_WAIT_MS = 12_000;
/** Limit of sections that wait for the time; a channel sends fewer within it. */
const MAX_HELD = 4_096;

/** Bits of the present and the following table. */
const BOTH = 0b11;

interface Waiting {
  programs: Map<EventId, ProgramRecord>;
  extended: Map<EventId, ExtendedText | null>;
  windows: ScheduleWindow[];
}

interface Description {
  /** The station belongs to the stream being read. */
  actual: boolean;
  hasSchedule: boolean;
  hasPresentFollowing: boolean;
}

interface SessionEvents {
  /** Present/following of a station changed. */
  present(station: StationId): void;
  /** Broadcast clock minus this machine's clock, ms, at a TOT. */
  clock(offsetMs: number, at: WallMs): void;
  /** Earlier sections are needed again. */
  repeat(): void;
  /** The BIT states the broadcaster of a station. */
  broadcaster?(station: StationId, broadcaster: ServiceBroadcaster): void;
}

export class GuideSession {
  readonly #schedules = new Map<StationId, ServiceSchedule>();
  /** Which present and following tables of a station were received, as bits. */
  readonly #seen = new Map<StationId, number>();
  readonly #descriptions = new Map<StationId, Description>();
  #waiting = new Map<StationId, Waiting>();
  /** By station; the total is bounded by MAX_UNPLACED. */
  readonly #unplaced = new Map<StationId, Map<EventId, ExtendedText>>();
  #unplacedCount = 0;
  #offsetMs = 0;
  /** Schedules received before the time, which decides the day of a table. Undefined: the time is known. */
  #held: Eit[] | undefined = [];
  #firstAt: WallMs | undefined;
  /** Number of programmes that wait to be taken. */
  waiting = 0;

  constructor(
    readonly id: number,
    readonly networkId: NetworkId,
    private readonly stations: KnownStations,
    private readonly events: SessionEvents,
  ) {}

  /** @param sections new ones only, checked @param now when they arrived */
  feed(sections: Iterable<Section>, now: WallMs): void {
    this.#firstAt ??= now;
    for (const section of sections) this.#section(section, now);
    this.tick(now);
  }

  /** Called several times a second: limits the wait for the broadcast's clock. */
  tick(now: WallMs): void {
    const waitedMs = now - (this.#firstAt ?? now);
    if (this.#held !== undefined && waitedMs > CLOCK_WAIT_MS) this.readHeld(now);
  }

  /** The broadcast's clock, epoch ms. */
  time(now: WallMs): BroadcastMs {
    return broadcastMs(now + this.#offsetMs);
  }

  schedule(station: StationId): ServiceSchedule | undefined {
    return this.#schedules.get(station);
  }

  /** The service description; undefined before it was received. */
  description(station: StationId): Description | undefined {
    return this.#descriptions.get(station);
  }

  /** Both tables of the station were received in this reading. */
  sawPresent(station: StationId): boolean {
    return this.#seen.get(station) === BOTH;
  }

  /** Stations became known: their skipped sections are read when repeated. */
  reread(): void {
    this.events.repeat();
  }

  /** A write failed: all sections are read again when repeated. */
  forget(): void {
    this.events.repeat();
    this.#schedules.clear();
    this.#waiting.clear();
    if (this.#held !== undefined) this.#held = [];
    this.waiting = 0;
  }

  /** Programmes of schedules since the last call. */
  take(): StationChange[] {
    const changes: StationChange[] = [];
    for (const [stationId, { programs, extended, windows }] of this.#waiting) {
      this.#place(stationId, programs, extended);
      changes.push({
        stationId,
        programs: [...programs.values()],
        extended,
        windows,
        presentFollowing: undefined,
      });
    }
    this.#waiting = new Map();
    this.waiting = 0;
    return changes;
  }

  /** Returns texts of a change whose programmes are not stored yet. */
  putBack(stationId: StationId, texts: ReadonlyMap<EventId, ExtendedText | null>): void {
    for (const [event, text] of texts) {
      if (text === null || this.#unplacedCount >= MAX_UNPLACED) continue;
      const known = this.#unplaced.get(stationId) ?? new Map<EventId, ExtendedText>();
      this.#unplaced.set(stationId, known);
      if (!known.has(event)) this.#unplacedCount += 1;
      known.set(event, text);
    }
  }

  /** How far the received schedules reach. */
  coverage(now: WallMs): ReadCoverage[] {
    const time = this.time(now);
    return Array.from(this.#schedules, ([stationId, schedule]) => {
      const filledUntil = schedule.filledUntil(time);
      return {
        stationId,
        filledUntil: filledUntil > time ? filledUntil : null,
        whole: schedule.progress('basic', time).complete,
        readAt: null,
        hasGuide: true,
      };
    });
  }

  /** Adds texts that arrived before their programmes. */
  #place(
    stationId: StationId,
    programs: ReadonlyMap<EventId, ProgramRecord>,
    extended: Map<EventId, ExtendedText | null>,
  ): void {
    const unplaced = this.#unplaced.get(stationId);
    if (unplaced === undefined) return;
    for (const event of programs.keys()) {
      const text = unplaced.get(event);
      if (text === undefined) continue;
      if (!extended.has(event)) extended.set(event, text);
      unplaced.delete(event);
      this.#unplacedCount -= 1;
    }
  }

  #section(section: Section, now: WallMs): void {
    if (section.pid === EIT_PID) this.#eit(section, now);
    else if (section.pid === SDT_PID) this.#sdt(section);
    else if (section.pid === BIT_PID) this.#bit(section);
    else {
      const tot = parseTot(section);
      if (tot === undefined) return;
      const offset = Math.round(tot.time - now);
      if (Math.abs(offset) > MAX_OFFSET_MS) return;
      this.#offsetMs = offset;
      this.events.clock(offset, now);
      this.readHeld(now);
    }
  }

  #sdt(section: Section): void {
    const sdt = parseSdt(section);
    if (sdt === undefined) return;
    for (const { serviceId, hasSchedule, hasPresentFollowing } of sdt.services) {
      const known = this.stations.find(sdt.originalNetworkId, serviceId);
      if (known === undefined) continue;
      const { actual } = sdt;
      this.#descriptions.set(known.station.id, { actual, hasSchedule, hasPresentFollowing });
    }
  }

  #bit(section: Section): void {
    const bit = parseBit(section);
    if (bit === undefined) return;
    for (const { station } of this.stations.all()) {
      if (station.networkId !== bit.originalNetworkId) continue;
      const broadcaster = broadcasterOf(bit, station.serviceId);
      if (broadcaster !== undefined) this.events.broadcaster?.(station.id, broadcaster);
    }
  }

  #eit(section: Section, now: WallMs): void {
    const eit = parseEit(section);
    if (eit === undefined) return;
    const known = this.stations.find(eit.originalNetworkId, eit.serviceId);
    if (known === undefined) return;
    if (eit.kind === 'present-following') {
      this.#presentFollowing(known, eit, now);
      return;
    }
    if (this.#held === undefined) {
      this.#schedule(known, eit, now);
      return;
    }
    this.#held.push(eit);
    if (this.#held.length >= MAX_HELD) this.readHeld(now);
  }

  /** Schedules were received that are not read yet. */
  get holds(): boolean {
    return this.#held !== undefined && this.#held.length > 0;
  }

  /** Reads waiting schedules: the time is known, or no longer awaited. */
  readHeld(now: WallMs): void {
    const held = this.#held;
    this.#held = undefined;
    for (const eit of held ?? []) {
      const known = this.stations.find(eit.originalNetworkId, eit.serviceId);
      if (known !== undefined) this.#schedule(known, eit, now);
    }
  }

  #presentFollowing({ station, present }: KnownStation, eit: Eit, now: WallMs): void {
    if (eit.sectionNumber > 1) return;
    // A table of one section has no following event.
    const bits = eit.lastSectionNumber === 0 ? BOTH : 1 << eit.sectionNumber;
    this.#seen.set(station.id, (this.#seen.get(station.id) ?? 0) | bits);
    if (present.take(eit, this.id, now)) this.events.present(station.id);
  }

  #schedule({ station }: KnownStation, eit: Eit, now: WallMs): void {
    let schedule = this.#schedules.get(station.id);
    if (schedule === undefined) {
      schedule = new ServiceSchedule();
      this.#schedules.set(station.id, schedule);
    }
    const time = this.time(now);
    const taken = schedule.add(eit, time);
    if (taken === undefined) return;
    const waiting = this.#waitingOf(station.id);
    const events = eit.events.map(broadcastEvent);
    if (eit.kind === 'schedule-basic') this.#basic(station, events, waiting, time);
    else {
      for (const event of events) waiting.extended.set(event.eventId, textOf(event));
      this.waiting += events.length;
    }
    if (taken.window !== undefined) waiting.windows.push(taken.window);
  }

  #basic(
    station: KnownStation['station'],
    events: BroadcastEvent[],
    waiting: Waiting,
    time: BroadcastMs,
  ): void {
    for (const [index, event] of events.entries()) {
      const when = scheduleTime(event, time);
      if (when === undefined) continue;
      const next = events[index + 1]?.startAt;
      if (when.openEnd && next !== undefined && next > when.startAt && next < when.endAt) when.endAt = next;
      waiting.programs.set(event.eventId, programOf(station.id, station.networkId, event, when));
      this.waiting += 1;
    }
  }

  #waitingOf(station: StationId): Waiting {
    const known = this.#waiting.get(station);
    if (known !== undefined) return known;
    const made: Waiting = { programs: new Map(), extended: new Map(), windows: [] };
    this.#waiting.set(station, made);
    return made;
  }
}

function textOf(event: BroadcastEvent): ExtendedText | null {
  return event.extended.length === 0 ? null : Object.fromEntries(event.extended);
}
