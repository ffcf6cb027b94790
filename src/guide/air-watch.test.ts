import { describe, expect, test } from 'bun:test';
import { networkId, type ProgramId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { AirWatch } from './air-watch.ts';

const HOME = stationId(networkId(4), serviceId(101));
const OTHER = stationId(networkId(4), serviceId(102));
const [NEWS, GAME, FILM] = [1, 2, 3] as ProgramId[];
const MINUTE = 60_000;
const minutes = (count: number) => broadcastMs(count * MINUTE);

/** A station that is being received. @param since minutes; null: unknown */
function watch() {
  const air = new AirWatch();
  const say = (
    at: number,
    present: ProgramId | null | undefined,
    following: ProgramId | null | undefined,
    since: number | null = at,
    endsAt?: number | null,
    startsAt?: number,
    followingStartsAt?: number,
  ) =>
    air.take(
      {
        ...{ stationId: HOME, watched: true, present, following },
        since: since === null ? null : minutes(since),
        endsAt: endsAt == null ? endsAt : minutes(endsAt),
        startsAt: startsAt === undefined ? undefined : minutes(startsAt),
        followingStartsAt: followingStartsAt === undefined ? undefined : minutes(followingStartsAt),
      },
      minutes(at),
    );
  const lose = (at: number) =>
    air.take(
      { stationId: HOME, watched: false, present: undefined, following: undefined, since: null },
      minutes(at),
    );
  const of = (id: ProgramId | undefined, at: number) => air.airings(minutes(at)).get(id as ProgramId);
  return { air, say, lose, of };
}

describe('AirWatch', () => {
  test('the programme of the first table started earlier; later ones start when the tables say so', () => {
    const { say, of } = watch();
    expect(say(0, NEWS, GAME, null)).toBe(true);
    expect(of(NEWS, 0)).toEqual({ state: 'on', from: null, until: null });
    expect(of(GAME, 0)).toEqual({ state: 'next', from: null, until: null });
    expect(say(1, NEWS, GAME, null)).toBe(false);
    say(30, GAME, FILM);
    expect(of(NEWS, 30)).toEqual<unknown>({ state: 'over', from: null, until: 30 * MINUTE });
    expect(of(GAME, 30)).toEqual<unknown>({ state: 'on', from: 30 * MINUTE, until: null });
    expect(of(FILM, 30)).toMatchObject({ state: 'next' });
  });

  test('an interrupted programme keeps its first start', () => {
    const { say, of } = watch();
    say(0, NEWS, GAME, null);
    say(30, GAME, FILM);
    say(50, NEWS, GAME);
    expect(of(GAME, 50)).toEqual<unknown>({ state: 'next', from: 30 * MINUTE, until: null });
    say(55, GAME, FILM);
    expect(of(GAME, 55)).toEqual<unknown>({ state: 'on', from: 30 * MINUTE, until: null });
    expect(of(NEWS, 55)).toEqual<unknown>({ state: 'over', from: null, until: 55 * MINUTE });
    say(60, null, FILM);
    expect(of(GAME, 60)).toEqual<unknown>({ state: 'over', from: 30 * MINUTE, until: 60 * MINUTE });
  });

  test('what is not received does not bring back an extension that the next programmes withdrew', () => {
    const { say, of } = watch();
    say(0, NEWS, GAME, null, 30, 0);
    say(20, NEWS, GAME, null, 90, 0);
    say(30, GAME, GAME, 30, 40, 30);
    // What follows is received after it.
    say(30.1, GAME, FILM, 30, 40, 30, 40);
    expect(of(NEWS, 31)).toMatchObject({ state: 'over', closesAt: minutes(30) });
    say(31, GAME, undefined, 30, 40, 30);
    say(32, undefined, FILM, null, null, undefined, 40);
    expect(of(NEWS, 33)).toMatchObject({ state: 'over', closesAt: minutes(30) });
  });

  test('a programme that was present only before its announced start has not begun', () => {
    const { say, of } = watch();
    say(0, NEWS, GAME, null, 30, 0);
    say(20, GAME, FILM, 20, 60, 30);
    say(20.4, NEWS, GAME, 20.4, 30, 0);
    expect(of(GAME, 21)).toEqual({ state: 'next', from: null, until: null });
    say(30, GAME, FILM, 30, 60, 30);
    expect(of(GAME, 30)).toEqual<unknown>({
      state: 'on',
      from: 30 * MINUTE,
      until: null,
      closesAt: 60 * MINUTE,
    });
    say(30.2, FILM, GAME, 30.2, 90, 60);
    expect(of(GAME, 31)).toMatchObject({ state: 'next', from: 30 * MINUTE });
  });

  test('a programme that is no longer the following one is unknown', () => {
    const { say, of } = watch();
    say(0, NEWS, GAME, null);
    say(1, NEWS, FILM, null);
    expect(of(GAME, 1)).toBeUndefined();
    expect(say(2, NEWS, null, null)).toBe(true);
    expect(of(FILM, 2)).toBeUndefined();
  });

  test('an ended programme reports the end of its last table', () => {
    const { say, of } = watch();
    say(0, NEWS, GAME, null, null);
    say(20, NEWS, GAME, null, 30);
    say(25, NEWS, undefined, null, 35);
    say(33, GAME, FILM, 33, null);
    expect(of(NEWS, 33)).toEqual<unknown>({
      state: 'over',
      from: null,
      until: 33 * MINUTE,
      announcedEnd: 35 * MINUTE,
      closesAt: 35 * MINUTE,
    });
    say(50, FILM, null, 50, 90);
    expect(of(GAME, 50)).toMatchObject({ until: 50 * MINUTE, announcedEnd: null });
    // First the next programme, later not.
    say(51, FILM, GAME, 50, 90);
    expect(of(GAME, 51)).toEqual<unknown>({ state: 'next', from: 33 * MINUTE, until: null });
    say(52, FILM, null, 50, 90);
    expect(of(GAME, 52)).toEqual<unknown>({
      state: 'over',
      from: 33 * MINUTE,
      until: 50 * MINUTE,
      announcedEnd: null,
      closesAt: 50 * MINUTE,
    });
  });

  test('an interrupting programme received late, by a paused process, begins at the time in its table', () => {
    const until = (startsAt: number, changedAt: number) => {
      const { say, of } = watch();
      say(0, NEWS, GAME, 0, 14, 0);
      say(changedAt, FILM, GAME, changedAt, 60, startsAt);
      return (of(NEWS, changedAt)?.until ?? 0) / MINUTE;
    };
    expect(until(9, 9.4)).toBe(9);
    // When the change was received: it was later than announced, before the announced begin, or exactly as announced.
    expect(until(9, 10)).toBe(10);
    expect(until(9.5, 9)).toBe(9);
    expect(until(14, 14.2)).toBe(14.2);
    expect(until(0, 0.2)).toBe(0.2);
  });

  test('an empty table before the announced end counts after two minutes', () => {
    const { say, lose, of } = watch();
    say(0, GAME, FILM, null, 30);
    expect(say(10, null, null, 10)).toBe(true);
    expect(of(GAME, 11)).toEqual<unknown>({ state: 'on', from: null, until: null, closesAt: 30 * MINUTE });
    expect(say(11, GAME, FILM, 11, 30)).toBe(true);
    expect(of(GAME, 14)).toMatchObject({ state: 'on' });
    say(20, null, null, 20);
    say(21, null, null, 20);
    expect(of(GAME, 22.1)).toMatchObject({ state: 'over', until: 20 * MINUTE, announcedEnd: 30 * MINUTE });
    say(23, GAME, FILM, 23, 30);
    expect(of(GAME, 23)).toEqual<unknown>({ state: 'on', from: null, until: null, closesAt: 30 * MINUTE });
    say(25, null, null, 25);
    lose(26);
    expect(of(GAME, 28)).toMatchObject({ state: 'over', until: 25 * MINUTE });
    // At its announced end, the next event is not treated as gone.
    say(28.5, GAME, FILM, 28.5, 30);
    say(29.9, null, null, 29.9);
    expect(of(GAME, 29.9)).toMatchObject({ state: 'over' });
  });

  test('the present table alone does not affect the following one, and vice versa', () => {
    const { say, of } = watch();
    say(0, undefined, GAME, null);
    expect(of(GAME, 0)).toMatchObject({ state: 'next' });
    say(0, NEWS, GAME, null);
    say(1, NEWS, undefined, null);
    expect(of(GAME, 1)).toMatchObject({ state: 'next' });
  });

  test('an interrupted stream changes nothing; the end of a programme that ended meanwhile is unknown', () => {
    const { say, lose, of } = watch();
    say(0, NEWS, GAME, null);
    say(30, GAME, FILM);
    lose(40);
    expect(of(GAME, 42)).toMatchObject({ state: 'on', from: 30 * MINUTE });
    say(42, GAME, FILM, null);
    expect(of(GAME, 42)).toMatchObject({ state: 'on', from: 30 * MINUTE });
    lose(43);
    say(45, FILM, null, null);
    expect(of(GAME, 45)).toEqual<unknown>({ state: 'over', from: 30 * MINUTE, until: null });
    expect(of(FILM, 45)).toEqual({ state: 'on', from: null, until: null });
  });

  test('an ended programme is detected whichever table arrives first after an interruption', () => {
    const { say, lose, of } = watch();
    say(0, NEWS, GAME, null);
    lose(30);
    say(31, undefined, FILM, null);
    expect(of(NEWS, 31)).toMatchObject({ state: 'on' });
    say(31, GAME, FILM, null);
    expect(of(NEWS, 31)).toMatchObject({ state: 'over' });
    expect(of(GAME, 31)).toMatchObject({ state: 'on', from: null });
  });

  test('a station not received for three minutes is unknown', () => {
    const { air, say, lose, of } = watch();
    say(0, NEWS, GAME, null);
    lose(10);
    expect(of(NEWS, 13)).toBeDefined();
    expect([of(NEWS, 13.1), of(GAME, 13.1)]).toEqual([undefined, undefined]);
    say(20, NEWS, GAME, null);
    air.lost(broadcastMs(21 * MINUTE));
    expect(of(NEWS, 25)).toBeUndefined();
  });

  test('stations are independent', () => {
    const { air, say, lose, of } = watch();
    say(0, NEWS, GAME, null);
    air.take(
      { stationId: OTHER, watched: true, present: FILM, following: null, since: null },
      broadcastMs(0),
    );
    lose(1);
    expect([of(NEWS, 9), of(FILM, 9)?.state]).toEqual([undefined, 'on']);
  });

  test('a programme is dropped an hour after its end', () => {
    const { say, of } = watch();
    say(0, NEWS, GAME, null);
    say(30, GAME, FILM);
    expect(of(NEWS, 90)).toBeDefined();
    expect(of(NEWS, 91)).toBeUndefined();
    expect(of(GAME, 91)).toBeDefined();
    // A programme whose end was never received is not kept either.
    say(95, FILM, null, null);
    expect(of(GAME, 155)).toMatchObject({ state: 'over', until: null });
    expect(of(GAME, 156)).toBeUndefined();
  });
});
