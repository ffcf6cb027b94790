import { describe, expect, test } from 'bun:test';
import { eventId, networkId, programId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { wallMs } from '../../lib/host/clock.ts';
import { encodeJstTime } from '../../synth/si/jst-time.ts';
import { GuideSections } from '../../test/guide-sections.ts';
import { longSection, StreamBuilder, u16 } from '../../test/stream-builder.ts';
import type { PresentFollowing } from '../model/guide-change.ts';
import type { VisitedStation } from './guide-messages.ts';
import { GuideSession, KnownStations } from './guide-session.ts';
import { VisitGoal, wantedStations } from './visit-goal.ts';

/** 12:00 JST: segment 4 of the day. */
const NOW = wallMs(Date.parse('2026-11-21T12:00:00+09:00'));
const MINUTE = 60_000;
const DAY_MS = 86_400_000;

function station(service: number, network = 4): VisitedStation {
  const [n, s] = [networkId(network), serviceId(service)];
  return { id: stationId(n, s), networkId: n, serviceId: s };
}

const HOME = station(101);
const OTHER = station(151);

interface Event {
  id: number;
  /** null: undecided. */
  start: number | null;
  minutes: number | null;
  /** ASCII, kept as alphanumeric by a locking shift. */
  name?: string;
  /** Heading A with this body. */
  text?: string;
}

/** 0x0e is LS1: the alphanumeric set into GL. */
const ascii = (text: string): number[] => [0x0e, ...[...text].map((letter) => letter.charCodeAt(0))];

function eventBytes({ id, start, minutes, name, text }: Event): number[] {
  const time = start === null ? [0xff, 0xff, 0xff, 0xff, 0xff] : [...encodeJstTime(broadcastMs(start))];
  const bcd = (value: number): number => Math.floor(value / 10) * 16 + (value % 10);
  const duration =
    minutes === null ? [0xff, 0xff, 0xff] : [bcd(Math.floor(minutes / 60)), bcd(minutes % 60), 0];
  const descriptors: number[] = [];
  if (name !== undefined) {
    const short = [0x6a, 0x70, 0x6e, ascii(name).length, ...ascii(name), 0];
    descriptors.push(0x4d, short.length, ...short);
  }
  if (text !== undefined) {
    const item = [2, ...ascii('A'), ascii(text).length, ...ascii(text)];
    const extended = [0x00, 0x6a, 0x70, 0x6e, item.length, ...item, 0];
    descriptors.push(0x4e, extended.length, ...extended);
  }
  return [...u16(id), ...time, ...duration, ...u16(descriptors.length), ...descriptors];
}

interface Table {
  tableId?: number;
  service?: number;
  network?: number;
  number?: number;
  lastNumber?: number;
  segmentLast?: number;
  version?: number;
  events?: Event[];
}

function eit({
  tableId = 0x4e,
  service = 101,
  network = 4,
  number = 0,
  lastNumber = tableId < 0x50 ? 1 : 31 * 8,
  segmentLast = tableId < 0x50 ? lastNumber : number,
  version = 0,
  events = [],
}: Table): Uint8Array {
  const body = [...u16(1), ...u16(network), segmentLast, tableId, ...events.flatMap(eventBytes)];
  return longSection({ tableId, extension: service, version, number, lastNumber, body });
}

/** A TDT: short section, no CRC. */
const tdt = (time: number): Uint8Array =>
  Uint8Array.from([0x70, 0x70, 5, ...encodeJstTime(broadcastMs(time))]);

function open(...stations: VisitedStation[]) {
  const known = new KnownStations();
  known.replace(stations.length === 0 ? [HOME, OTHER] : stations);
  const presents: number[] = [];
  const clocks: number[] = [];
  const sections = new GuideSections();
  const session = new GuideSession(1, networkId(4), known, {
    present: (id) => presents.push(id),
    clock: (offset) => clocks.push(offset),
    repeat: () => sections.repeat(),
  });
  const stream = new StreamBuilder();
  let timed = false;
  const read = (packets: Uint8Array, now: number): void => session.feed(sections.feed(packets), wallMs(now));
  const feed = (tables: Uint8Array[], now: number = NOW): void => {
    if (!timed) read(stream.sections(0x14, tdt(now)).take(), now);
    timed = true;
    read(stream.sections(0x12, ...tables).take(), now);
  };
  const said = (of = HOME, now: number = NOW): PresentFollowing | undefined =>
    known.get(of.id)?.present.read(broadcastMs(now));
  return { known, presents, clocks, session, stream, feed, read, said };
}

const PRESENT = { id: 7, start: NOW - 10 * MINUTE, minutes: 30, name: 'NEWS' };
const FOLLOWING = { id: 8, start: NOW + 20 * MINUTE, minutes: 90, name: 'FILM' };
const BOTH = [eit({ events: [PRESENT] }), eit({ number: 1, events: [FOLLOWING] })];

describe('present/following', () => {
  test('gives both events, with ids and times', () => {
    const { feed, said, session, presents } = open();
    feed(BOTH);
    expect(said()?.present).toMatchObject({
      eventId: 7,
      name: 'NEWS',
      startAt: NOW - 10 * MINUTE,
      endAt: NOW + 20 * MINUTE,
      openEnd: false,
      isFree: true,
      copyNever: false,
      extended: null,
    });
    expect(said()?.following).toMatchObject({ name: 'FILM', endAt: NOW + 110 * MINUTE });
    expect(session.sawPresent(HOME.id)).toBe(true);
    expect(presents).toEqual([HOME.id, HOME.id]);
  });

  test('a repetition is ignored, a new version is read', () => {
    const { feed, said, presents } = open();
    feed(BOTH);
    feed(BOTH);
    expect(presents).toHaveLength(2);
    feed([eit({ version: 1, events: [{ ...PRESENT, minutes: 60 }] })]);
    expect(said()?.present?.endAt).toBe(broadcastMs(NOW + 50 * MINUTE));
  });

  test('an empty table means that nothing is on', () => {
    const { feed, said } = open();
    expect(said()?.present).toBeUndefined();
    feed([eit({}), eit({ number: 1, events: [FOLLOWING] })]);
    expect(said()).toMatchObject({ present: null, following: { name: 'FILM' } });
  });

  test('reports the present and following programme of its own stream, with the time of the change', () => {
    const { feed, known } = open();
    const named = () => known.get(HOME.id)?.present.named;
    const nothing = {
      ...{ present: undefined, following: undefined, since: null, startsAt: null, endsAt: null },
      followingStartsAt: null,
    };
    expect(named()).toEqual({ watched: false, ...nothing });
    const idOf = (event: number) => programId(HOME.id, eventId(event));
    feed([eit({ number: 1, events: [FOLLOWING] })]);
    expect(named()).toEqual({
      ...nothing,
      watched: true,
      following: idOf(8),
      followingStartsAt: broadcastMs(FOLLOWING.start),
    });
    feed([eit({ events: [PRESENT] })]);
    expect(named()).toMatchObject({
      present: idOf(7),
      since: null,
      startsAt: PRESENT.start,
      endsAt: NOW + 20 * MINUTE,
    });
    feed([eit({ version: 1, events: [{ ...PRESENT, minutes: 60 }] })], NOW + MINUTE);
    expect(named()).toMatchObject({ present: idOf(7), since: null, endsAt: NOW + 50 * MINUTE });
    feed([eit({ version: 2, events: [{ ...FOLLOWING, start: null }] })], NOW + 2 * MINUTE);
    expect(named()).toMatchObject({
      present: idOf(8),
      since: NOW + 2 * MINUTE,
      startsAt: null,
      endsAt: null,
    });
    feed([eit({ version: 3 })], NOW + 3 * MINUTE);
    expect(named()).toMatchObject({ present: null, since: NOW + 3 * MINUTE });
    known.get(HOME.id)?.present.release(1, wallMs(NOW + 4 * MINUTE));
    expect(named()).toEqual({ watched: false, ...nothing });
    // A table in another stream (other network) is not enough.
    feed([eit({ tableId: 0x4f, events: [PRESENT] })], NOW + 5 * MINUTE);
    expect(named()).toMatchObject({ watched: false, present: undefined });
  });

  test('an event without a duration lasts until the next one, or for an hour, or a short time from now', () => {
    const openEnd = { ...PRESENT, minutes: null };
    const joined = open();
    joined.feed([eit({ events: [openEnd] }), eit({ number: 1, events: [FOLLOWING] })]);
    expect(joined.said()?.present).toMatchObject({ endAt: FOLLOWING.start, openEnd: true });
    const alone = open();
    const undecided = { ...FOLLOWING, start: null, minutes: null };
    alone.feed([eit({ events: [openEnd] }), eit({ number: 1, events: [undecided] })]);
    expect(alone.said()).toMatchObject({ present: { endAt: PRESENT.start + 60 * MINUTE, openEnd: true } });
    expect(alone.said()).toMatchObject({ following: undefined, waiting: { durationMs: null } });
    alone.feed([eit({ number: 1, version: 1, events: [{ ...FOLLOWING, start: null }] })]);
    expect(alone.said()?.waiting).toEqual({
      id: programId(HOME.id, eventId(FOLLOWING.id)),
      durationMs: FOLLOWING.minutes * MINUTE,
    });
    alone.feed([eit({ number: 1, version: 2, events: [FOLLOWING] })]);
    expect(alone.said()).toMatchObject({ following: { name: 'FILM' } });
    expect(alone.said()?.waiting).toBeUndefined();
    alone.feed([eit({ number: 1, version: 3, events: [undecided] })]);
    const later = NOW + 300 * MINUTE;
    const endAt = alone.said(HOME, later)?.present?.endAt ?? 0;
    expect([endAt > later + 5 * MINUTE, endAt <= later + 20 * MINUTE]).toEqual([true, true]);
    expect(alone.known.get(HOME.id)?.present.dependsOnTime).toBe(true);
  });

  test('an event of no length has no duration', () => {
    const { feed, said, known } = open();
    const waiting = { ...FOLLOWING, start: null, minutes: 0 };
    feed([eit({ events: [{ ...PRESENT, minutes: 0 }] }), eit({ number: 1, events: [waiting] })]);
    expect(said()).toMatchObject({ present: { openEnd: true }, waiting: { durationMs: null } });
    feed([eit({ number: 1, version: 1, events: [FOLLOWING] })]);
    expect(known.get(HOME.id)?.present.named.endsAt).toBeNull();
    expect(known.get(HOME.id)?.present.dependsOnTime).toBe(true);
  });

  test('an event of another year is ignored, without taking the station for off the air', () => {
    const { feed, said } = open();
    feed([eit({ events: [{ ...PRESENT, start: Date.UTC(2037, 0, 1) }] })]);
    expect(said()?.present).toBeUndefined();
  });

  test("a station's own stream takes precedence over others while it is read", () => {
    const { feed, said, known } = open();
    feed(BOTH);
    const stale = eit({ tableId: 0x4f, version: 9, events: [{ ...PRESENT, name: 'OLD' }] });
    feed([stale]);
    expect(said()?.present?.name).toBe('NEWS');
    known.get(HOME.id)?.present.release(1, NOW);
    feed([eit({ tableId: 0x4f, version: 10, events: [{ ...PRESENT, name: 'NEWER' }] })]);
    expect(said()?.present?.name).toBe('NEWER');
  });

  test('a station counts as received while one stream of it is read', () => {
    const { feed, known } = open();
    feed(BOTH);
    const present = known.get(HOME.id)?.present;
    // Another reading of the same stream, for instance of a visit beside a recording.
    const beside = new GuideSession(2, networkId(4), known, {
      present: () => {},
      clock: () => {},
      repeat: () => {},
    });
    beside.feed(new GuideSections().feed(new StreamBuilder().sections(0x12, ...BOTH).take()), NOW);
    expect(present?.source).toBe(2);
    present?.release(2, NOW);
    expect(present?.named).toMatchObject({ watched: true, present: programId(HOME.id, eventId(7)) });
    present?.release(1, NOW);
    expect(present?.named).toMatchObject({ watched: false, present: undefined });
  });

  test('stations are identified by network and service; unknown ones are ignored', () => {
    const twin = station(151, 6);
    const { feed, said } = open(OTHER, twin);
    feed([
      eit({ tableId: 0x4f, service: 151, events: [PRESENT] }),
      eit({ tableId: 0x4f, service: 151, network: 6, events: [FOLLOWING] }),
      eit({ tableId: 0x4f, service: 999, events: [PRESENT] }),
    ]);
    expect([said(OTHER)?.present?.name, said(twin)?.present?.name]).toEqual(['NEWS', 'FILM']);
  });
});

describe('schedules', () => {
  const basic = (table: Table) => eit({ tableId: 0x50, ...table });
  const at = (id: number, hour: number, name = 'A') => ({
    id,
    start: NOW + (hour - 12) * 60 * MINUTE,
    minutes: 30,
    name,
  });

  test('give programmes at once, and a segment when it is complete', () => {
    const { feed, session } = open();
    feed([basic({ number: 32, segmentLast: 33, events: [at(1, 12)] })]);
    expect(session.waiting).toBe(1);
    const [first] = session.take();
    expect(first).toMatchObject({ stationId: HOME.id, programs: [{ eventId: 1, name: 'A' }], windows: [] });
    feed([basic({ number: 33, events: [at(2, 13), at(3, 14)] })]);
    const [second] = session.take();
    expect(second?.windows as unknown).toEqual([
      { kind: 'basic', from: NOW, to: NOW + 180 * MINUTE, events: [1, 2, 3] },
    ]);
    expect(session.take()).toEqual([]);
  });

  test('a new version of a segment lists its events again; old and new are not mixed', () => {
    const { feed, session } = open();
    feed([basic({ number: 32, segmentLast: 33, events: [at(1, 12)] })]);
    feed([basic({ number: 33, segmentLast: 33, version: 1, events: [at(2, 13)] })]);
    expect(session.take()[0]?.windows).toEqual([]);
    feed([basic({ number: 32, segmentLast: 33, version: 1, events: [at(4, 12)] })]);
    expect(session.take()[0]?.windows[0]?.events.map(Number).sort()).toEqual([2, 4]);
  });

  test('around midnight no segment counts as complete, because the schedule shifts by a day', () => {
    const { feed, session } = open();
    const midnight = NOW + 12 * 60 * MINUTE;
    feed([basic({ number: 0, events: [at(1, 24)] })], midnight + 1000);
    expect(session.take()[0]?.windows).toEqual([]);
  });

  test('texts arrive separately, and wait for their programmes', () => {
    const { feed, session } = open();
    const text = { id: 1, start: NOW, minutes: 30, text: 'BODY' };
    feed([eit({ tableId: 0x58, number: 32, events: [text] })]);
    const [change] = session.take();
    expect([...(change?.extended.values() ?? [])]).toEqual([{ A: 'BODY' }]);
    session.putBack(HOME.id, change?.extended ?? new Map());
    feed([basic({ number: 32, events: [at(1, 12)] })]);
    expect([...(session.take()[0]?.extended.values() ?? [])]).toEqual([{ A: 'BODY' }]);
  });

  test('an event of 2099 or without a start is ignored, one without an end lasts until the next', () => {
    const { feed, session } = open();
    const events = [
      { ...at(1, 12), start: Date.UTC(2099, 0, 1) },
      { ...at(2, 12), start: null },
      { ...at(3, 12), minutes: null },
      at(4, 12.5),
      { ...at(5, 13), minutes: null },
    ];
    feed([basic({ number: 32, events })]);
    const programs = session.take()[0]?.programs ?? [];
    expect(
      programs.map(
        ({ eventId, startAt, endAt, openEnd }) => [eventId, (endAt - startAt) / MINUTE, openEnd] as unknown,
      ),
    ).toEqual([
      [3, 30, true],
      [4, 30, false],
      [5, 60, true],
    ]);
  });

  test("a stream's own stations take precedence over tables in other streams", () => {
    const { feed, session } = open();
    feed([eit({ tableId: 0x60, number: 32, events: [at(1, 12, 'OTHER')] })]);
    feed([basic({ number: 32, events: [at(1, 12, 'OWN')] })]);
    feed([eit({ tableId: 0x60, number: 32, version: 1, events: [at(1, 12, 'OTHER')] })]);
    expect(session.take()[0]?.programs.map(({ name }) => name)).toEqual(['OWN']);
  });

  test('damaged sections have no effect', () => {
    const { feed, session, said } = open();
    const damaged = basic({ number: 32, events: [at(1, 12)] });
    damaged[20] = (damaged[20] ?? 0) ^ 1;
    feed([damaged]);
    expect([session.take(), said()?.present]).toEqual([[], undefined]);
  });

  test('sections that could not be stored, or were of unknown stations, are read at their repetition', () => {
    const { feed, session, known } = open(OTHER);
    const table = basic({ number: 32, events: [at(1, 12)] });
    feed([table]);
    known.replace([HOME, OTHER]);
    session.reread();
    feed([table]);
    expect(session.take()).toHaveLength(1);
    session.forget();
    feed([table]);
    expect(session.take()).toHaveLength(1);
  });
});

describe('a collection is complete', () => {
  const whole = (extended: boolean) => {
    const tables: Uint8Array[] = [...BOTH];
    for (let segment = 4; segment < 32; segment++) {
      tables.push(eit({ tableId: 0x50, number: segment * 8 }));
      if (extended || segment < 10) tables.push(eit({ tableId: 0x58, number: segment * 8 }));
    }
    return tables;
  };
  const goal = (known: KnownStations, depth: 'present' | 'basic' | 'full', settleMs = 0) =>
    new VisitGoal(wantedStations([HOME.id], depth), settleMs, 0, known);

  test('when everything expected has arrived', () => {
    const { feed, session, known } = open();
    feed([BOTH[0] as Uint8Array]);
    expect(goal(known, 'present').reached(session, 0, NOW)).toBe(false);
    feed(whole(false));
    const reached = (depth: 'present' | 'basic' | 'full') => goal(known, depth).reached(session, 0, NOW);
    expect([reached('present'), reached('basic'), reached('full')]).toEqual([true, true, false]);
    feed(whole(true));
    expect(reached('full')).toBe(true);
    expect(goal(known, 'full').coverage(session, NOW, true)).toEqual([
      {
        stationId: HOME.id,
        filledUntil: broadcastMs(NOW + (4 * 24 - 12) * 60 * MINUTE),
        whole: true,
        readAt: NOW,
        hasGuide: true,
      },
    ]);
  });

  test('not before the settling time', () => {
    const { feed, session, known } = open();
    feed(whole(true));
    expect(goal(known, 'full', 1000).reached(session, 999, NOW)).toBe(false);
    expect(goal(known, 'full', 1000).reached(session, 1000, NOW)).toBe(true);
  });

  test('without the tables that are absent according to the SDT', () => {
    const { session, known, stream, read } = open();
    // service_id, EIT flags without schedule and present/following, free, no descriptors
    const sdt = longSection({
      tableId: 0x42,
      extension: 1,
      body: [...u16(4), 0xff, ...u16(101), 0xfc, 0x80, 0x00],
    });
    read(stream.sections(0x11, sdt).take(), NOW);
    expect(goal(known, 'present').reached(session, 0, NOW)).toBe(true);
    expect(goal(known, 'full', 10).reached(session, 10, NOW)).toBe(true);
    expect(goal(known, 'full').coverage(session, NOW, true)).toEqual([
      { stationId: HOME.id, filledUntil: null, whole: true, readAt: NOW, hasGuide: false },
    ]);
  });

  test("not while a schedule waits for the broadcast's time", () => {
    const { session, known, stream, read } = open(HOME);
    const table = eit({ tableId: 0x50, number: 32, events: [{ id: 1, start: NOW, minutes: 30 }] });
    read(stream.sections(0x12, table).take(), NOW);
    expect(goal(known, 'full', 10).reached(session, 30, NOW)).toBe(false);
    session.readHeld(NOW);
    expect(session.schedule(HOME.id)?.taken.basic).toBe(1);
  });

  test('without a schedule that is announced and never sent, which then counts as no guide', () => {
    const { session, known, stream, read } = open();
    // service_id, EIT flags with schedule and present/following, free, no descriptors
    const sdt = longSection({
      tableId: 0x42,
      extension: 1,
      body: [...u16(4), 0xff, ...u16(101), 0xff, 0x80, 0x00],
    });
    read(stream.sections(0x11, sdt).take(), NOW);
    expect(goal(known, 'full', 60_000).reached(session, 59_999, NOW)).toBe(false);
    expect(goal(known, 'full', 60_000).reached(session, 60_000, NOW)).toBe(true);
    expect(goal(known, 'full').coverage(session, NOW, true)).toEqual([
      { stationId: HOME.id, filledUntil: null, whole: false, readAt: NOW, hasGuide: false },
    ]);
  });

  test('without a schedule of which nothing arrives', () => {
    const { session, known } = open();
    expect(goal(known, 'full', 10).reached(session, 20, NOW)).toBe(false);
    expect(goal(known, 'full', 10).reached(session, 30, NOW)).toBe(true);
  });
});

describe("the broadcast's clock", () => {
  test('is compared with the arrival time', () => {
    const { session, stream, clocks, read } = open();
    read(stream.sections(0x14, tdt(NOW + 3000)).take(), NOW);
    expect(clocks).toEqual([3000]);
    expect(session.time(NOW)).toBe(broadcastMs(NOW + 3000));
  });

  test('dates a schedule that arrived before it', () => {
    const { session, stream, read } = open();
    const table = eit({ tableId: 0x50, number: 32, events: [{ id: 1, start: NOW, minutes: 30 }] });
    read(stream.sections(0x12, table).take(), NOW + DAY_MS);
    expect(session.take()).toEqual([]);
    read(stream.sections(0x14, tdt(NOW)).take(), NOW + DAY_MS);
    expect(session.take()[0]?.windows).toMatchObject([{ from: NOW, events: [eventId(1)] }]);
  });

  test('is not awaited where none arrives', () => {
    const { session, stream, read } = open();
    const table = (number: number) =>
      eit({ tableId: 0x50, number, events: [{ id: number, start: NOW, minutes: 30 }] });
    read(stream.sections(0x12, table(32)).take(), NOW);
    expect(session.holds).toBe(true);
    read(stream.sections(0x12, table(40)).take(), NOW + 12_001);
    expect(session.holds).toBe(false);
    expect(session.take()[0]?.windows).toHaveLength(2);
  });
});
