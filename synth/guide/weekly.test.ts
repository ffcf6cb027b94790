import { describe, expect, test } from 'bun:test';
import { type BroadcastMs, broadcastMs, jstDayStart } from '../../lib/arib/time.ts';
import { DEFAULT } from '../scenario/default.ts';
import { MINI } from '../scenario/mini.ts';
import type { ChannelPlan, Scenario, StationPlan } from '../scenario/model.ts';
import { encodeText } from '../text/encode.ts';
import { guideOf } from './guide.ts';
import { DAY_MS, type Guide, MAX_DESCRIPTION_BYTES, MAX_TITLE_BYTES, type Programme } from './programme.ts';

const DAY = jstDayStart(broadcastMs(Date.UTC(2026, 10, 20, 12)));
const MINUTE = 60_000;
const PLACES = DEFAULT.channels.flatMap((channel) =>
  channel.stations.map((station) => ({ channel, station })),
);
type Place = (typeof PLACES)[number];

/** A new guide without cached results. */
function fresh({ channel, station }: Place, seed = DEFAULT.seed): Guide {
  return guideOf({ ...DEFAULT, seed }, channel, station);
}

function named(name: string): Place {
  const place = PLACES.find(({ station }) => station.name === name);
  if (place === undefined) throw new Error(`no ${name}`);
  return place;
}

function announced(
  guide: Guide,
  count: number,
  from: BroadcastMs = DAY,
  at: BroadcastMs = from,
): readonly Programme[] {
  return guide.starting(from, broadcastMs(from + count * DAY_MS), at);
}

const held = new Map<Place, readonly Programme[]>();
/** From a new guide, made once for all tests. */
function nineDays(place: Place): readonly Programme[] {
  const made = held.get(place) ?? announced(fresh(place), 9);
  held.set(place, made);
  return made;
}

const end = ({ startAt, durationMs }: Programme) => startAt + durationMs;

describe('the programmes of every station', () => {
  test('follow each other without overlap at any time of query, and fill the day except for a silent pause', () => {
    // Collected, since half a million calls of expect take seconds.
    const wrong: unknown[] = [];
    let compared = 0;
    for (const place of PLACES) {
      const guide = fresh(place);
      const maySkip = place.station.habits?.nightPause === 'silent';
      for (let at = DAY; at < DAY + DAY_MS; at = broadcastMs(at + 67 * MINUTE)) {
        let previous: Programme | undefined;
        for (const programme of announced(guide, 9, DAY, at)) {
          const gap = previous === undefined ? 0 : programme.startAt - end(previous);
          if (gap < 0 || (gap > 0 && !maySkip)) wrong.push([place.station.name, at, programme.title, gap]);
          previous = programme;
          compared += 1;
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(compared).toBeGreaterThan(100_000);
  });

  test("have only marks that match the station's streams", () => {
    let marked = 0;
    for (const place of PLACES) {
      const { captions, data = 'none', audios } = place.station;
      for (const programme of nineDays(place)) {
        const { title } = programme;
        const has = (mark: string): boolean => title.includes(mark);
        const said = [...'🈑🈓🈔🈖🅂🅍'].map(has);
        expect([title, programme.captions]).toEqual([title, has('🈑')]);
        if (has('🈑')) expect([title, captions !== undefined]).toEqual([title, true]);
        if (has('🈓')) expect([title, data]).not.toEqual([title, 'none']);
        if (has('🈔')) expect([title, programme.sound]).toEqual([title, 'dual']);
        if (has('🅂')) expect([title, programme.sound]).toEqual([title, 'stereo']);
        expect([title, programme.sound === 'surround']).toEqual([title, has('🅍')]);
        if (has('🈖')) expect([title, programme.audioCount, audios.length > 1]).toEqual([title, 2, true]);
        marked += Number(said.includes(true));
      }
    }
    expect(marked).toBeGreaterThan(2_000);
  });

  test('are planned in steps of five minutes, none longer than two hours', () => {
    const wrong = PLACES.flatMap(nineDays).filter(
      ({ startAt, durationMs }) =>
        startAt % (5 * MINUTE) !== 0 || durationMs < 5 * MINUTE || durationMs > 120 * MINUTE,
    );
    expect(wrong).toEqual([]);
  });

  test('have ids that are unique among the days that a guide carries, and the same ones after 16 days', () => {
    for (const place of PLACES) {
      const ids = nineDays(place).map(({ eventId }) => eventId);
      expect(new Set(ids).size).toBe(ids.length);
      const later = announced(fresh(place), 9, broadcastMs(DAY + 112 * DAY_MS)).map(({ eventId }) => eventId);
      expect(later).toEqual(ids);
    }
  });

  test('fit their descriptors', () => {
    for (const place of PLACES) {
      for (const { title, description } of nineDays(place)) {
        expect(encodeText(title).length).toBeLessThanOrEqual(MAX_TITLE_BYTES);
        expect(encodeText(description).length).toBeLessThanOrEqual(MAX_DESCRIPTION_BYTES);
      }
    }
  });

  test('do not depend on earlier queries', () => {
    const place = named('かわせみテレビ');
    const asked = fresh(place);
    asked.present(broadcastMs(DAY + 5 * DAY_MS));
    asked.following(broadcastMs(DAY - 3 * DAY_MS));
    asked.presentChanges(DAY);
    expect(announced(asked, 1)).toEqual([...announced(fresh(place), 1)]);
  });

  test('have the same times a week later, and differ with another seed', () => {
    const place = named('ＢＳひばり２');
    const week = (from: number) =>
      announced(fresh(place), 1, broadcastMs(from)).map((one) => [one.startAt - from, one.durationMs]);
    expect(week(DAY + 7 * DAY_MS)).toEqual(week(DAY));
    const titles = (seed: number) => announced(fresh(place, seed), 1).map(({ title }) => title);
    expect(titles(2)).not.toEqual(titles(1));
  });
});

describe('versions', () => {
  /** The parts of present/following that can change. */
  const pair = (guide: Guide, at: BroadcastMs) =>
    JSON.stringify(
      [guide.present(at), guide.following(at)].map((one) => [
        one?.eventId,
        one?.openStart ? 'open' : one?.startAt,
        one?.openEnd ? 'open' : one?.durationMs,
      ]),
    );
  const schedule = (guide: Guide, at: BroadcastMs) =>
    JSON.stringify(
      announced(guide, 8, DAY, at).map(({ eventId, startAt, durationMs }) => [eventId, startAt, durationMs]),
    );

  test.each(PLACES.map(({ station }) => station.name))(
    '%s: those of present/following and of the schedule increase by one exactly when their content changes',
    (name) => {
      const guide = fresh(named(name));
      let [before, changes, plan, revisions] = ['', 0, '', 0];
      for (let at = DAY; at < DAY + 8 * DAY_MS; at = broadcastMs(at + MINUTE)) {
        const now = pair(guide, at);
        const count = guide.presentChanges(at);
        const revised = guide.revisions(at);
        if (at > DAY) {
          expect(count - changes).toBe(now === before ? 0 : 1);
          expect(revised - revisions).toBeWithin(0, 2);
        }
        if (at < DAY + DAY_MS && (at === DAY || at % (5 * MINUTE) === 0 || revised !== revisions)) {
          const planned = schedule(guide, at);
          if (at > DAY) expect(revised !== revisions).toBe(planned !== plan);
          plan = planned;
        }
        [before, changes, revisions] = [now, count, revised];
      }
    },
  );
});

describe('any two days have', () => {
  const until = broadcastMs(DAY + 2 * DAY_MS);
  const all = PLACES.map((place) => ({ place, guide: fresh(place) }));
  const onAir = (wanted: (programme: Programme, place: Place) => boolean) =>
    all.flatMap(({ place, guide }) =>
      guide
        .airing(DAY, until)
        .flatMap((programme) => (wanted(programme, place) ? [{ place, guide, programme }] : [])),
    );
  const planned = (guide: Guide, { eventId }: Programme) =>
    announced(guide, 3).find((one) => one.eventId === eventId);

  test('a programme that overruns, step by step, and moves the following ones', () => {
    const [found] = onAir(
      (programme, place) =>
        place.station.name === 'かわせみテレビ' &&
        programme.durationMs > (planned(fresh(place), programme)?.durationMs ?? Number.POSITIVE_INFINITY),
    );
    if (found === undefined) throw new Error('none');
    const { guide, programme } = found;
    const first = planned(guide, programme);
    expect(programme.notes).toContain(0x01);
    const lengths = new Set<number>();
    for (let at = programme.startAt; at < end(programme); at = broadcastMs(at + MINUTE)) {
      const [present, following] = [guide.present(at), guide.following(at)];
      expect(present?.eventId).toBe(programme.eventId);
      expect(following?.startAt).toBe(broadcastMs(end(present as Programme)));
      const listed = announced(guide, 3, DAY, at);
      expect(listed.find(({ eventId }) => eventId === following?.eventId)?.startAt).toBe(
        following?.startAt as BroadcastMs,
      );
      lengths.add(present?.durationMs ?? 0);
    }
    expect([...lengths]).toHaveLength(4);
    expect([...lengths][0]).toBe(first?.durationMs as number);
    expect([...lengths].at(-1)).toBe(programme.durationMs);
    const next = guide.following(broadcastMs(end(programme) - 1));
    expect(announced(guide, 3).find(({ eventId }) => eventId === next?.eventId)?.startAt).toBeLessThan(
      next?.startAt as number,
    );
  });

  test('one whose end is unknown while it is on air, in present/following only', () => {
    const open = onAir(({ startAt, durationMs }, { station }) => {
      const guide = fresh(named(station.name));
      for (let at = startAt; at < startAt + durationMs; at = broadcastMs(at + MINUTE)) {
        if (guide.present(at)?.openEnd !== true) continue;
        expect(guide.following(at)?.openStart).toBe(true);
        expect(announced(guide, 3, DAY, at).some(({ openEnd, openStart }) => openEnd || openStart)).toBe(
          false,
        );
        return true;
      }
      return false;
    });
    expect(open.length).toBeGreaterThan(0);
  });

  test('one that is cancelled: it leaves the tables, and a replacement with an id of its own is on air', () => {
    const gone = all.flatMap(({ place, guide }) => {
      const real = new Set(guide.airing(DAY, until).map(({ eventId }) => eventId));
      return guide
        .starting(DAY, until, DAY)
        .filter(({ eventId }) => !real.has(eventId))
        .map((programme) => ({ place, guide, programme }));
    });
    expect(gone.length).toBeGreaterThan(0);
    for (const { guide, programme } of gone) {
      const [instead] = guide.airing(programme.startAt, broadcastMs(programme.startAt + 1));
      expect(instead?.eventId).not.toBe(programme.eventId);
      const after = announced(guide, 3, DAY, programme.startAt).map(({ eventId }) => eventId);
      expect(after).toContain(instead?.eventId as Programme['eventId']);
      expect(after).not.toContain(programme.eventId);
    }
  });

  test('programmes that a branch station shares with its main one, under one id', () => {
    const shared = onAir((programme) => programme.borrowed);
    expect(shared.length).toBeGreaterThan(20);
    for (const { place, programme } of shared) {
      const [main] = place.channel.stations;
      const [group] = programme.groups;
      expect(group?.kind).toBe('shared');
      expect(group?.events[0]).toEqual({ serviceId: main?.serviceId as never, eventId: programme.eventId });
      const other = guideOf(DEFAULT, place.channel, main as StationPlan);
      const [same] = other.airing(programme.startAt, broadcastMs(programme.startAt + 1));
      expect(same).toMatchObject({ eventId: programme.eventId, startAt: programme.startAt });
      // The branch only refers to the main event, the main station to both.
      expect(group?.events).toHaveLength(1);
      expect(same?.groups[0]?.events).toEqual([
        ...(group?.events ?? []),
        { serviceId: place.station.serviceId, eventId: programme.eventId },
      ]);
    }
  });

  test.each(['relay', 'relay-network'] as const)(
    '%s: it continues on another station, which refers back',
    (kind) => {
      const relayed = onAir(({ groups }) => groups.some((group) => group.kind === kind));
      expect(relayed.length).toBeGreaterThan(0);
      for (const { place, programme } of relayed) {
        const group = programme.groups.find((one) => one.kind === kind);
        const [to] = [...(group?.events ?? []), ...(group?.others ?? [])];
        const target = PLACES.find(({ station }) => station.serviceId === to?.serviceId) as Place;
        expect(target.channel === place.channel).toBe(kind === 'relay');
        const [next] = guideOf(DEFAULT, target.channel, target.station).airing(
          broadcastMs(end(programme)),
          broadcastMs(end(programme) + 1),
        );
        expect(next).toMatchObject({ eventId: to?.eventId as never, startAt: broadcastMs(end(programme)) });
        const back = next?.groups.find((one) => one.kind === kind.replace('relay', 'movement'));
        expect([...(back?.events ?? []), ...(back?.others ?? [])][0]).toMatchObject({
          serviceId: place.station.serviceId,
          eventId: programme.eventId,
        });
      }
    },
  );

  test('pauses of the night, with a title or with nothing in the tables', () => {
    const pauses = onAir(({ pause }) => pause);
    const silent = pauses.filter(({ guide, programme }) => guide.present(programme.startAt) === undefined);
    expect(silent.length).toBeGreaterThan(0);
    expect(silent.length).toBeLessThan(pauses.length);
    for (const { guide, programme } of silent) {
      expect(guide.following(programme.startAt)?.startAt).toBe(broadcastMs(end(programme)));
    }
  });

  test('the same programme at the same time on two stations, and again days later', () => {
    const key = ({ title, startAt }: Programme) => `${startAt} ${title.replace(/[🈑🈓🈔🈖]/gu, '')}`;
    const [hibari, bs] = ['ひばり放送', 'ＢＳひばり'].map((name) => fresh(named(name)).airing(DAY, until));
    const seen = new Set((hibari ?? []).map(key));
    expect((bs ?? []).filter((programme) => seen.has(key(programme))).length).toBeGreaterThan(0);
    const again = onAir(
      ({ title, series }) => title.endsWith('🈞') && series !== null && series.repeatLabel > 0,
    );
    expect(again.length).toBeGreaterThan(3);
  });
});

test('a one-segment service shows the programmes of the first station of its channel', () => {
  const channel = MINI.channels[0] as ChannelPlan;
  const [main, , partial] = channel.stations;
  const guides = [main, partial].map((station) => guideOf(MINI as Scenario, channel, station as StationPlan));
  const [full, small] = guides.map((guide) =>
    announced(guide, 2).map(({ eventId, startAt }) => [eventId, startAt]),
  );
  expect(small).toEqual(full as NonNullable<typeof full>);
});
