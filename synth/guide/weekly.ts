/**
 * Programmes generated from the seed: a weekly timetable per station, on which the same series have the same
 * times with new episodes each time, and what happens to them on each day. A stretch is a broadcast day.
 */
import { type EventId, eventId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs, JST_OFFSET_MS } from '../../lib/arib/time.ts';
import { Random } from '../random.ts';
import type { Stretches } from './chronicle.ts';
import { again, dress, insteadOf, type Raw, rawOf } from './content.ts';
import { type Links, type StationOfChannel, sourceOf } from './links.ts';
import { type Content, DAY_MS, type EventGroup, SCHEDULE_DAYS } from './programme.ts';
import { type Neighbours, type Slot, Slots } from './slots.ts';
import { type Incident, type Planned, Stretch } from './stretch.ts';

const MINUTE_MS = 60_000;
/** The broadcast day begins at 05:00 in Japan. */
const DAY_BEGIN_MS = 5 * 3_600_000;
/** Size of the cache of days: twice the number in the tables at once. */
const MAX_DAYS = 32;

/** Number of the broadcast day that a moment belongs to; 1970-01-01 is day 0, a Thursday. */
function dayNumber(at: BroadcastMs): number {
  return Math.floor((at + JST_OFFSET_MS - DAY_BEGIN_MS) / DAY_MS);
}

function dayBegin(day: number): BroadcastMs {
  return broadcastMs(day * DAY_MS - JST_OFFSET_MS + DAY_BEGIN_MS);
}

function cycle(value: number, length: number): number {
  return ((value % length) + length) % length;
}

/** 0 is Sunday. */
function weekday(day: number): number {
  return cycle(day + 4, 7);
}

/** Event ids are reused long after their day has left the guide. */
const ID_DAYS = 16;
const IDS_A_DAY = 1024;
const STEP_MINUTES = 5;
/** Main stations, branch stations and replacements use separate ranges of ids. */
const ID_KINDS = { main: 0, branch: 1, instead: 2 };

function idOf(day: number, from: number, kind: keyof typeof ID_KINDS): EventId {
  return eventId(cycle(day, ID_DAYS) * IDS_A_DAY + (from / STEP_MINUTES) * 3 + ID_KINDS[kind]);
}

/** Broadcasters announce an overrun in steps, each shortly before the end announced last. */
const OVERRUN = { steps: 3, noticeMs: 3 * MINUTE_MS };
/**
 * For an open end: how long before the planned end it is announced, and how long before the real end it ends.
 */
const OPEN = { openMs: 10 * MINUTE_MS, noticeMs: 4 * MINUTE_MS };
const STEP_CHOICES_MS = [5 * MINUTE_MS, 10 * MINUTE_MS, 15 * MINUTE_MS] as const;
const CANCEL_NOTICE_MS = 3 * 60 * MINUTE_MS;

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** All timetables of a scenario. */
export interface Timetables extends Neighbours, Links {
  weekly(place: StationOfChannel): WeeklyStretches;
}

export class WeeklyStretches implements Stretches {
  readonly days = SCHEDULE_DAYS;
  readonly first = Number.NEGATIVE_INFINITY;
  readonly last = Number.POSITIVE_INFINITY;
  readonly period = 7;
  readonly slots: Slots;
  readonly #source: StationOfChannel;
  readonly #days = new Map<number, Stretch>();

  constructor(
    private readonly place: StationOfChannel,
    private readonly timetables: Timetables,
  ) {
    this.#source = { channel: place.channel, station: sourceOf(place) };
    this.slots = new Slots(this.#source, timetables);
  }

  indexOf(at: BroadcastMs): number {
    return dayNumber(at);
  }

  stretch(day: number): Stretch {
    const known = this.#days.get(day);
    if (known !== undefined) return known;
    const made = new Stretch(this.slots.of(weekday(day)).map((slot) => this.#planned(day, slot)));
    if (this.#days.size >= MAX_DAYS) this.#days.clear();
    this.#days.set(day, made);
    return made;
  }

  #startOf(day: number, slot: Slot): BroadcastMs {
    return broadcastMs(dayBegin(day) + slot.from * MINUTE_MS);
  }

  /** The programme in a slot of this station's timetable on a day. */
  raw(day: number, slot: Slot): Raw {
    const { copy } = slot;
    if (copy === undefined) return rawOf(this.#rawSource(day, slot), slot);
    const raw = this.timetables.weekly(copy.place).raw(day - copy.daysLater, copy.slot);
    return copy.daysLater === 0 ? raw : again(raw);
  }

  #rawSource(day: number, slot: Slot) {
    const { seed } = this.timetables.scenario;
    return { seed, station: this.#source.station, day, startAt: this.#startOf(day, slot) };
  }

  #content(day: number, slot: Slot, id: EventId): Content {
    const shared = slot.copy?.shared === true;
    const isOneSegment = this.place.station !== this.#source.station;
    return {
      ...dress(this.raw(day, slot), this.place.station, slot.rerun),
      groups: isOneSegment ? [] : [...this.#sharing(day, slot, id), ...this.#relays(day, slot)],
      borrowed: shared && !isOneSegment,
    };
  }

  /** Branch stations that show a programme, after the main one; a single station has no group. */
  #sharing(day: number, slot: Slot, id: EventId): EventGroup[] {
    const { channel } = this.#source;
    const [main] = channel.stations;
    if (main === undefined) return [];
    const branches = channel.stations.filter(
      ({ branch, programmes }) => branch === true && programmes === 'generated',
    );
    if (this.#source.station !== main && slot.copy?.shared !== true) return [];
    const sharing = branches.filter((station) => {
      const slots = this.timetables.slotsOf({ channel, station }).of(weekday(day));
      return slots.some(({ from, copy }) => from === slot.from && copy?.shared === true);
    });
    if (sharing.length === 0) return [];
    // A branch only refers to the main station's event.
    const members = this.#isBranch() ? [main] : [main, ...sharing];
    const events = members.map(({ serviceId }) => ({ serviceId, eventId: id }));
    return [{ kind: 'shared', events, others: [] }];
  }

  #relays(day: number, slot: Slot): EventGroup[] {
    const startAt = this.#startOf(day, slot);
    const to = slot.sports?.relayTo;
    const isOwn = slot.copy === undefined;
    if (to !== undefined && isOwn) {
      return this.timetables.relay(
        'relay',
        this.#source,
        to,
        broadcastMs(startAt + slot.minutes * MINUTE_MS),
      );
    }
    return slot.continues !== undefined && isOwn
      ? this.timetables.relay('movement', this.#source, slot.continues, broadcastMs(startAt - 1))
      : [];
  }

  #isBranch(): boolean {
    return this.#source.station.branch === true;
  }

  #idOf(day: number, slot: Slot): EventId {
    const own = this.#isBranch() && slot.copy?.shared !== true ? 'branch' : 'main';
    return idOf(day, slot.from, own);
  }

  #incident(day: number, slot: Slot): Incident | undefined {
    const { copy, sports } = slot;
    if ((sports === undefined || sports.end === 'punctual') && !slot.cancelled) return undefined;
    // The duration differs between days, but not between stations that share a programme.
    const origin = copy?.shared === true ? copy.place.station : this.#source.station;
    const random = new Random(this.timetables.scenario.seed, origin.serviceId, day, 'incident');
    const byMs = OVERRUN.steps * random.pick(STEP_CHOICES_MS);
    switch (sports?.end) {
      case 'overrun':
        return { kind: 'overrun', byMs, ...OVERRUN };
      case 'open':
        return { kind: 'open', byMs, ...OPEN };
    }
    const id = idOf(day, slot.from, 'instead');
    const source = { ...this.#rawSource(day, slot), station: origin };
    const content = once(
      (): Content => ({
        ...dress(insteadOf(source, slot), this.place.station, false),
        groups: this.place.station === this.#source.station ? this.#sharing(day, slot, id) : [],
        borrowed: copy?.shared === true,
      }),
    );
    return { kind: 'cancelled', noticeMs: CANCEL_NOTICE_MS, instead: { eventId: id, content } };
  }

  #planned(day: number, slot: Slot): Planned {
    const id = this.#idOf(day, slot);
    const incident = this.#incident(day, slot);
    return {
      eventId: id,
      startAt: this.#startOf(day, slot),
      durationMs: slot.minutes * MINUTE_MS,
      content: once(() => this.#content(day, slot, id)),
      ...(incident === undefined ? {} : { incident }),
      absorbs: slot.absorbs === true,
      silent: slot.silent === true,
    };
  }
}
