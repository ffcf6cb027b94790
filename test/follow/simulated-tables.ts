/**
 * Tables of a few stations, minute by minute, in virtual time: through present/following, the stored guide
 * and the plan to a minimal recorder, which only reports when it would have written. Tables are only
 * delivered while the station is received.
 */
import {
  eventId,
  type ProgramId,
  programId,
  type StationId,
  splitStationId,
  transportStreamId,
} from '../../lib/arib/ids.ts';
import type { Eit, EitEvent } from '../../lib/arib/si/eit.ts';
import { broadcastEvent } from '../../lib/arib/si/event.ts';
import { type BroadcastMs, broadcastMs, plusMs } from '../../lib/arib/time.ts';
import { systemMonotonicClock, wallMs } from '../../lib/host/clock.ts';
import type { ReservationId } from '../../lib/wire/ids.ts';
import { ordersOf } from '../../src/booking/recording-orders.ts';
import { AirWatch } from '../../src/guide/air-watch.ts';
import { programOf } from '../../src/guide/event-program.ts';
import { StationPresent } from '../../src/guide/station-present.ts';
import type { ProgramRecord } from '../../src/model/program.ts';
import type { Reservation } from '../../src/model/reservation.ts';
import { openDatabase } from '../../src/store/database.ts';
import { ProgramStore } from '../../src/store/program-store.ts';
import { ProgramWriter } from '../../src/store/program-writer.ts';
import { StationStore } from '../../src/store/station-store.ts';
import { GR_TUNER, Home, MINUTE, NOON } from '../schedule/plan-home.ts';
import { settled } from '../schedule/settled.ts';
import { VirtualRecorder } from './virtual-recorder.ts';

/** An event of a table. Times in minutes from noon; null: undecided. */
export interface Announced {
  event: number;
  title: string;
  at: number | null;
  minutes: number | null;
  runningStatus?: number;
  /** The station on which it continues. */
  relay?: { station: StationId; event: number };
}

interface AnnouncedTables {
  at: number;
  station: StationId;
  present: Announced | null;
  following: Announced | null;
}

interface Listed {
  at: number;
  station: StationId;
  programs: readonly Announced[];
}

const STEP_MS = 5000;
/** Interval of regular planning. */
const PLAN_MS = MINUTE;
const MARGINS = { marginBefore: 10_000, marginAfter: 15_000 };

export class SimulatedTables {
  readonly home: Home;
  readonly #database = openDatabase(':memory:');
  readonly #writer = new ProgramWriter({
    database: this.#database,
    elapsed: systemMonotonicClock,
    pause: async () => {},
  });
  readonly #store = new ProgramStore(this.#database);
  #air = new AirWatch();
  readonly #presents = new Map<StationId, StationPresent>();
  readonly #announced = new Map<StationId, AnnouncedTables>();
  readonly #read = new Set<StationId>();
  /** Stations whose tables another client receives. */
  readonly #watched = new Set<StationId>();
  #script: AnnouncedTables[] = [];
  #schedules: Listed[] = [];
  readonly #recorder: VirtualRecorder;
  #plannedAt = -Infinity;

  constructor(tuners = [GR_TUNER]) {
    this.home = new Home(tuners);
    this.home.now = broadcastMs(NOON - 60 * MINUTE);
    this.#recorder = new VirtualRecorder(this.home, STEP_MS);
  }

  station(channel: string): StationId {
    const id = this.home.station(channel);
    const station = this.home.stations.get(id);
    if (station === undefined) throw new Error('no station');
    new StationStore(this.#database).apply({ put: [station], hide: [], retype: [] }, broadcastMs(0));
    this.#presents.set(id, new StationPresent(station));
    return id;
  }

  /** Sets the schedule from a minute on. */
  list(station: StationId, at: number, programs: readonly Announced[]): void {
    this.#schedules.push({ station, at, programs });
  }

  /** Sets present/following from a minute on. */
  say(station: StationId, at: number, present: Announced | null, following: Announced | null): void {
    this.#script.push({ station, at, present, following });
  }

  /** Stops or resumes the reception from now on. */
  silence(station: StationId, on = true): void {
    if (on) this.#recorder.silent.add(station);
    else this.#recorder.silent.delete(station);
  }

  watch(station: StationId, on = true): void {
    if (on) this.#watched.add(station);
    else this.#watched.delete(station);
  }

  /** The service is killed and started again: its tables are read again, and only rows are left. */
  restart(): void {
    this.#air = new AirWatch();
    for (const [station, present] of this.#presents) {
      present.release(1, wallMs(this.home.now));
      this.#presents.set(station, new StationPresent(present.station));
    }
    this.#read.clear();
    this.#recorder.restart(this.home.now);
  }

  reserve(station: StationId, event: number, given: Partial<Reservation> = {}): ReservationId {
    return this.home.reserve(programId(station, eventId(event)), given).id;
  }

  /** Lets time pass until a minute from noon. */
  async until(minute: number): Promise<void> {
    const end = NOON + minute * MINUTE;
    for (; this.home.now <= end; this.home.now = plusMs(this.home.now, STEP_MS)) await this.#step();
  }

  /** When each of its recordings was written, in minutes from noon. */
  written(reservation: ReservationId): [from: number, to: number][][] {
    return this.#recorder
      .of(reservation)
      .map((stretches) => stretches.map(([from, to]) => [minuteOf(from), minuteOf(to)]));
  }

  /** Minutes from noon of epoch ms. */
  minuteOf(at: number | undefined): number {
    return minuteOf(at ?? Number.NaN);
  }

  reservation(id: ReservationId): Reservation | undefined {
    return this.home.reservations.find((one) => one.id === id);
  }

  close(): void {
    this.#database.close();
  }

  async #step(): Promise<void> {
    const { now } = this.home;
    let isNew = await this.#readSchedules(now);
    const due = this.#script.filter(({ at }) => NOON + at * MINUTE <= now);
    this.#script = this.#script.filter((one) => !due.includes(one));
    for (const tables of due) this.#announced.set(tables.station, tables);
    for (const station of this.#presents.keys()) {
      const isRead = this.#watched.has(station) || this.#recorder.receives(station);
      const wasRead = this.#read.has(station);
      const isDelivered = isRead && (!wasRead || due.some((one) => one.station === station));
      if (isRead) this.#read.add(station);
      else this.#read.delete(station);
      const present = this.#presents.get(station);
      if (present === undefined || (!isDelivered && isRead === wasRead && !isTick(now, present))) continue;
      if (isDelivered) this.#receive(present, station, now);
      if (!isRead) present.release(1, wallMs(now));
      isNew = (await this.#announce(present, station, now)) || isNew;
    }
    if (isNew || now - this.#plannedAt >= PLAN_MS) this.#plan(now);
    this.#recorder.step(now);
  }

  async #readSchedules(now: BroadcastMs): Promise<boolean> {
    const due = this.#schedules.filter(({ at }) => NOON + at * MINUTE <= now);
    this.#schedules = this.#schedules.filter((one) => !due.includes(one));
    for (const { station, programs } of due) {
      const present = this.#presents.get(station);
      const records = programs.map((announced) => recordOf(station, announced));
      const merged = records.map((record) => present?.held(record.eventId, now) ?? record);
      await this.#writer.write(
        {
          stationId: station,
          programs: merged,
          extended: new Map(),
          windows: [
            {
              kind: 'basic',
              from: now,
              to: plusMs(now, 24 * 60 * MINUTE),
              events: programs.map(({ event }) => eventId(event)),
            },
          ],
          presentFollowing: present?.known === true ? present.read(now) : undefined,
        },
        wallMs(now),
      );
      this.#sync(station, now);
    }
    return due.length > 0;
  }

  #receive(present: StationPresent, station: StationId, now: BroadcastMs): void {
    const tables = this.#announced.get(station);
    if (tables === undefined) return;
    for (const [number, announced] of [tables.present, tables.following].entries())
      present.take(eitOf(station, number, announced), 1, wallMs(now));
  }

  async #announce(present: StationPresent, station: StationId, now: BroadcastMs): Promise<boolean> {
    const presentFollowing = present.read(now);
    const programs = [presentFollowing.present, presentFollowing.following].filter(
      (program) => program != null,
    );
    await this.#writer.write(
      { stationId: station, programs, extended: new Map(), windows: [], presentFollowing },
      wallMs(now),
    );
    this.#sync(station, now);
    // In virtual time both clocks are the same.
    const since = present.named.since === null ? null : broadcastMs(present.named.since);
    return this.#air.take({ stationId: station, ...present.named, since }, now);
  }

  /** Updates the guide of a station. */
  #sync(station: StationId, now: BroadcastMs): void {
    const shown = this.#database
      .query<{ id: number }, { station: number }>(
        'SELECT id FROM programs WHERE station_id = $station AND hidden = 0',
      )
      .all({ station })
      .map(({ id }) => id as ProgramId);
    const { guide } = this.home;
    for (const { id } of [...guide.ofStation(station)]) if (!shown.includes(id)) guide.remove(id);
    const records = this.#store.ofStation(station, plusMs(now, -24 * 60 * MINUTE));
    for (const record of records) if (shown.includes(record.id)) guide.put(record);
  }

  #plan(now: number): void {
    this.#plannedAt = now;
    const { home } = this;
    home.airings.clear();
    for (const [id, airing] of this.#air.airings(broadcastMs(now))) home.airings.set(id, airing);
    home.tuners =
      home.tuners?.map((tuner, index) => ({ ...tuner, recording: this.#recorder.on(index) })) ?? null;
    const { openings } = home.run();
    settled(home);
    const wanted = home.reservations.filter(({ state }) => state === 'scheduled' || state === 'recording');
    const orders = ordersOf(
      wanted,
      new Map(openings.map((opening) => [opening.programId, opening])),
      { ...MARGINS, encode: 'none', keepTs: true },
      (station) => home.stations.get(station),
    );
    this.#recorder.order(orders, broadcastMs(now));
  }
}

function partsOf(station: StationId) {
  const parts = splitStationId(station);
  if (parts === undefined) throw new Error(`no station ${station}`);
  return parts;
}

function isTick(now: number, present: StationPresent): boolean {
  return present.watched && present.dependsOnTime && (now - NOON) % MINUTE === 0;
}

function minuteOf(at: number): number {
  return Math.round(((at - NOON) / MINUTE) * 100) / 100;
}

function eventOf(announced: Announced): EitEvent {
  const { event, title, at, minutes, runningStatus = 0, relay } = announced;
  const group =
    relay === undefined
      ? []
      : [
          {
            kind: 'event_group' as const,
            group: 'relay-network' as const,
            events: [],
            otherNetworkEvents: [
              {
                originalNetworkId: partsOf(relay.station).networkId,
                transportStreamId: transportStreamId(1),
                serviceId: partsOf(relay.station).serviceId,
                eventId: eventId(relay.event),
              },
            ],
          },
        ];
  return {
    eventId: eventId(event),
    startAt: at === null ? undefined : broadcastMs(NOON + at * MINUTE),
    duration: minutes === null ? undefined : minutes * 60,
    runningStatus,
    pay: false,
    descriptors: [{ kind: 'short_event', language: 'jpn', name: title, text: '' }, ...group],
  };
}

function eitOf(station: StationId, sectionNumber: number, announced: Announced | null): Eit {
  const { networkId, serviceId } = partsOf(station);
  return {
    tableId: 0x4e,
    kind: 'present-following',
    actual: true,
    serviceId,
    transportStreamId: transportStreamId(1),
    originalNetworkId: networkId,
    version: 0,
    sectionNumber,
    lastSectionNumber: 1,
    segmentLastSectionNumber: 1,
    lastTableId: 0x4e,
    events: announced === null ? [] : [eventOf(announced)],
  };
}

/** The programme as a schedule lists it. */
function recordOf(station: StationId, announced: Announced): ProgramRecord {
  const event = broadcastEvent(eventOf(announced));
  const startAt = event.startAt ?? broadcastMs(NOON);
  const endAt = broadcastMs(startAt + (event.durationMs ?? 60 * MINUTE));
  return programOf(station, partsOf(station).networkId, event, { startAt, endAt, openEnd: false });
}
