/**
 * How recordings follow present/following tables, from the tables to the minutes that would have been
 * written.
 */
import { afterEach, describe, expect, test } from 'bun:test';
import { eventId, programId, type StationId } from '../../lib/arib/ids.ts';
import { type ReservationId, reservationId } from '../../lib/wire/ids.ts';
import { GR_TUNER } from '../schedule/plan-home.ts';
import { type Announced, SimulatedTables } from './simulated-tables.ts';

const NEWS: Announced = { event: 1, title: '正午のニュース', at: -30, minutes: 30 };
const GAME: Announced = { event: 2, title: '野球中継', at: 0, minutes: 30 };
const FILM: Announced = { event: 3, title: '夜の映画', at: 30, minutes: 60 };
const LATE: Announced = { event: 4, title: '深夜の番組', at: 90, minutes: 60 };
const FLASH: Announced = { event: 99, title: '緊急ニュース', at: 33, minutes: 5 };
/** Margins of 10 and 15 s, in steps of 5 s. */
const BEFORE = 0.17;
const AFTER = 0.25;

let tables: SimulatedTables | undefined;
afterEach(() => tables?.close());

/** A station with a known schedule, and the news on air. */
async function evening(tuners = [GR_TUNER]) {
  tables = new SimulatedTables(tuners);
  const air = tables;
  const station = air.station('T27');
  air.list(station, -60, [NEWS, GAME, FILM, LATE]);
  air.say(station, -60, NEWS, GAME);
  await air.until(-50);
  const book = ({ event }: Announced, on = station): ReservationId => air.reserve(on, event);
  const say = (
    at: number,
    present: Announced | null,
    following: Announced | null = FILM,
    on = station,
  ): void => air.say(on, at, present, following);
  const isNow = (id: ReservationId) => air.reservation(id)?.programId;
  const idOf = ({ event }: Announced, on: StationId = station) => programId(on, eventId(event));
  return { air, station, book, say, isNow, idOf };
}

describe('a programme that is interrupted by another', () => {
  test('beyond its announced end continues in the same recording once it is listed again', async () => {
    const { air, book, say } = await evening();
    const game = book(GAME);
    say(0, GAME);
    say(33, FLASH);
    say(38, GAME);
    say(50, FILM, LATE);
    await air.until(90);
    expect(air.written(game)).toEqual([
      [
        [-BEFORE, 33 + AFTER],
        [38, 50 + AFTER],
      ],
    ]);
    expect(air.home.reservations).toHaveLength(1);
  });

  test('continues also if its end is unknown', async () => {
    const { air, book, say } = await evening();
    const game = book(GAME);
    const open = { ...GAME, minutes: null };
    const film = { ...FILM, at: null };
    say(0, open, film);
    say(40, { ...FLASH, at: 40 }, film);
    say(45, open, film);
    say(60, { ...FILM, at: 60 }, LATE);
    await air.until(90);
    expect(air.written(game)).toEqual([
      [
        [-BEFORE, 40 + AFTER],
        [45, 60 + AFTER],
      ],
    ]);
  });

  test('before its announced end is recorded until then, and again when it resumes later', async () => {
    const { air, book, say } = await evening();
    const game = book(GAME);
    say(0, GAME);
    say(25, { ...FLASH, at: 25, minutes: 8 });
    say(35, { ...GAME, minutes: 40 }, { ...FILM, at: 40 });
    say(40, { ...FILM, at: 40 }, LATE);
    await air.until(90);
    expect(air.written(game)).toEqual([
      [
        [-BEFORE, 30 + AFTER],
        [35, 40 + AFTER],
      ],
    ]);
  });

  test('continues as soon as it is the following programme again, and waits if that is withdrawn', async () => {
    const { air, book, say } = await evening();
    const game = book(GAME);
    say(0, GAME);
    say(33, FLASH);
    say(35, FLASH, GAME);
    say(36, FLASH);
    say(38, GAME);
    say(50, FILM, LATE);
    await air.until(90);
    expect(air.written(game)).toEqual([
      [
        [-BEFORE, 33 + AFTER],
        [35, 36],
        [38, 50 + AFTER],
      ],
    ]);
  });

  test('and does not resume ends a quarter of an hour later', async () => {
    const { air, book, say } = await evening();
    const game = book(GAME);
    say(0, GAME);
    say(33, FLASH);
    say(38, FILM, LATE);
    await air.until(47.9);
    expect(air.reservation(game)?.state).toBe('recording');
    await air.until(48.5);
    expect(air.reservation(game)?.state).toBe('finished');
    expect(air.written(game)).toEqual([[[-BEFORE, 33 + AFTER]]]);
  });

  test('is not waited for if its end was announced', async () => {
    const { air, book, say } = await evening();
    const game = book(GAME);
    say(0, GAME);
    say(20, { ...GAME, minutes: 40 });
    say(40.2, { ...FILM, at: 40 }, LATE);
    await air.until(40.6);
    expect(air.reservation(game)?.state).toBe('finished');
    expect(air.written(game)).toEqual([[[-BEFORE, 40 + AFTER]]]);
  });

  test('releases its tuner to other recordings meanwhile', async () => {
    const { air, book, say } = await evening();
    const other = air.station('T28');
    air.list(other, -50, [{ event: 60, title: '隣の局', at: 34, minutes: 20 }]);
    await air.until(-40);
    const [game, beside] = [book(GAME), air.reserve(other, 60)];
    say(0, GAME);
    say(33, FLASH);
    say(38, GAME);
    say(70, FILM, LATE);
    await air.until(90);
    expect(air.written(beside)).toEqual([[[34 - BEFORE, 54 + AFTER]]]);
    expect(air.written(game)).toEqual([[[-BEFORE, 33 + AFTER]]]);
  });

  test('shares the reception with the recording of the following programme', async () => {
    const { air, book, say } = await evening();
    const [game, film] = [book(GAME), book(FILM)];
    say(0, GAME);
    say(33, FLASH);
    say(38, GAME);
    say(50, { ...FILM, at: 50 }, { ...LATE, at: 110 });
    say(110, { ...LATE, at: 110 }, null);
    await air.until(120);
    expect(air.written(game)).toEqual([
      [
        [-BEFORE, 33 + AFTER],
        [38, 50 + AFTER],
      ],
    ]);
    expect(air.written(film)).toEqual([[[30 - BEFORE, 110 + AFTER]]]);
  });

  test('and continues under another id is one recording, also when a rule matches it', async () => {
    const { air, station, say, idOf } = await evening();
    air.home.rule('野球');
    const rest = { ...GAME, event: 20, at: 40 };
    say(0, GAME);
    say(33, FLASH);
    air.list(station, 37, [FLASH, rest, LATE]);
    say(40, rest, LATE);
    say(70, LATE, null);
    await air.until(90);
    const [only, ...others] = air.home.reservations;
    expect(others).toEqual([]);
    expect(only?.programId).toBe(idOf(rest));
    expect(air.written(only?.id ?? reservationId(0))).toEqual([
      [
        [-BEFORE, 33 + AFTER],
        [40, 70 + AFTER],
      ],
    ]);
  });

  test('is not confused with the next of its title', async () => {
    const { air, book, say, isNow, idOf } = await evening();
    const game = book(GAME);
    say(0, GAME);
    say(35, { ...GAME, event: 20, at: 35, minutes: 45 });
    say(80, FILM, LATE);
    await air.until(90);
    expect([air.written(game), isNow(game)]).toEqual([[[[-BEFORE, 35 + AFTER]]], idOf(GAME)]);
  });
});

describe('empty tables', () => {
  test('for a minute change nothing for a programme, and do not bind it to a later one of the same title', async () => {
    const { air, station, book, say, isNow, idOf } = await evening();
    air.list(station, -50, [NEWS, GAME, FILM, LATE, { ...GAME, event: 7, at: 150 }]);
    await air.until(-49);
    const game = book(GAME);
    say(0, GAME);
    say(10, null, null);
    say(11, GAME);
    say(30, FILM, LATE);
    await air.until(90);
    expect([air.written(game), isNow(game)]).toEqual([[[[-BEFORE, 30 + AFTER]]], idOf(GAME)]);
  });

  test('for ten minutes change nothing either', async () => {
    const { air, station, book, say, isNow, idOf } = await evening();
    air.list(station, -50, [NEWS, GAME, FILM, LATE, { ...GAME, event: 7, at: 150 }]);
    await air.until(-49);
    const game = book(GAME);
    say(0, GAME);
    say(10, null, null);
    say(20, GAME);
    say(30, FILM, LATE);
    await air.until(90);
    expect([air.written(game), isNow(game)]).toEqual([[[[-BEFORE, 30 + AFTER]]], idOf(GAME)]);
  });

  test('for a minute beyond the announced end do not end it', async () => {
    const { air, book, say } = await evening();
    const game = book(GAME);
    say(0, GAME);
    say(35, null, null);
    say(36, GAME);
    say(50, FILM, LATE);
    await air.until(90);
    expect(air.written(game)).toEqual([[[-BEFORE, 50 + AFTER]]]);
  });

  test('for longer end it: a station that stops broadcasting', async () => {
    const { air, book, say } = await evening();
    const game = book(GAME);
    say(0, { ...GAME, minutes: null }, null);
    say(47, null, null);
    await air.until(70);
    expect(air.reservation(game)).toMatchObject({ state: 'finished' });
    const [, to] = air.written(game)[0]?.at(-1) ?? [];
    expect(to).toBeGreaterThan(47);
    expect(to).toBeLessThan(50.1);
  });

  test('because the station is no longer received do not keep tuners from other recordings', async () => {
    const { air, station, book, say } = await evening();
    const other = air.station('T28');
    air.list(other, -50, [{ event: 60, title: '隣の局', at: 70, minutes: 20 }]);
    await air.until(-49);
    const [game, beside] = [book(GAME), air.reserve(other, 60)];
    say(0, { ...GAME, minutes: null }, null);
    await air.until(40);
    air.silence(station);
    await air.until(95);
    expect(air.written(beside)).toEqual([[[70 - BEFORE, 90 + AFTER]]]);
    expect(air.reservation(game)?.state).toBe('recording');
    // It is back, and on air.
    air.silence(station, false);
    await air.until(96);
    say(100, { ...FILM, at: 100 }, LATE);
    await air.until(120);
    const [, rest = [0, 0]] = air.written(game)[0] ?? [];
    expect(rest[0]).toBeLessThan(95.5);
    expect(rest[1]).toBe(100 + AFTER);
  });

  test('with running_status "pausing" are ignored: running_status is not operated', async () => {
    const { air, book, say } = await evening();
    const game = book(GAME);
    say(0, { ...GAME, runningStatus: 4 });
    say(5, { ...GAME, runningStatus: 3 });
    say(6, { ...GAME, runningStatus: 1 });
    say(30, FILM, LATE);
    await air.until(40);
    expect(air.written(game)).toEqual([[[-BEFORE, 30 + AFTER]]]);
  });
});

describe('present/following that changes back and forth', () => {
  test('within seconds around a start costs neither programme anything', async () => {
    const { air, book, say } = await evening();
    const [news, game] = [book(NEWS), book(GAME)];
    say(-0.1, GAME);
    say(0, NEWS, GAME);
    say(0.1, GAME);
    say(30, FILM, LATE);
    await air.until(40);
    expect(air.written(news)).toEqual([[[-30 - BEFORE, AFTER]]]);
    expect(air.written(game)).toEqual([[[-BEFORE, 30 + AFTER]]]);
  });

  test('for a while, minutes before a start, is no start', async () => {
    const { air, book, say } = await evening();
    const [, game, film] = [book(NEWS), book(GAME), book(FILM)];
    say(-5, GAME);
    say(-4.8, NEWS, GAME);
    say(0, GAME);
    say(10, FILM, LATE);
    say(10.3, GAME);
    say(30, FILM, LATE);
    await air.until(60);
    const starts = [game, film].map((id) => air.minuteOf(air.reservation(id)?.startAt));
    expect(starts).toEqual([0, 30]);
    expect(air.written(game)).toEqual([[[-BEFORE, 30 + AFTER]]]);
  });

  test('about the end, earlier and then later, is followed to the later one', async () => {
    const { air, book, say } = await evening();
    const game = book(GAME);
    say(0, GAME);
    say(5, { ...GAME, minutes: 15 }, { ...FILM, at: 15 });
    say(14, { ...GAME, minutes: 40 }, { ...FILM, at: 40 });
    say(40, { ...FILM, at: 40 }, LATE);
    await air.until(60);
    expect(air.written(game)).toEqual([[[-BEFORE, 40 + AFTER]]]);
  });

  test('ten minutes too late costs nothing', async () => {
    const { air, book, say } = await evening();
    const [game, film] = [book(GAME), book(FILM)];
    say(0, GAME);
    say(40, FILM, LATE);
    say(90, LATE, null);
    await air.until(110);
    expect(air.written(game)).toEqual([[[-BEFORE, 40 + AFTER]]]);
    expect(air.written(film)).toEqual([[[30 - BEFORE, 90 + AFTER]]]);
  });

  test.each([
    ['before the start, its schedule too', -10, true],
    ['seconds before the start, in present/following alone', -0.1, false],
    ['at the start', 0, false],
    ['while it is on air', 10, false],
    ['beyond its announced end', 33, false],
  ])('of the number of a programme: %s', async (_, minute, isListed) => {
    const { air, station, book, say, isNow, idOf } = await evening();
    const game = book(GAME);
    const again = { ...GAME, event: 20 };
    if (isListed) air.list(station, minute, [NEWS, again, FILM, LATE]);
    if (minute < 0) say(minute, NEWS, again);
    say(0, minute <= 0 ? again : GAME);
    if (minute > 0) say(minute, again);
    say(45, FILM, LATE);
    await air.until(60);
    expect([air.written(game), isNow(game)]).toEqual([[[[-BEFORE, 45 + AFTER]]], idOf(again)]);
    expect(air.home.reservations).toHaveLength(1);
  });
});

describe('a start', () => {
  test('that comes earlier is detected wherever the station is received', async () => {
    const { air, station, book, say } = await evening();
    const game = book(GAME);
    air.watch(station);
    const early = { ...GAME, at: -5, minutes: 35 };
    say(-6, NEWS, early);
    say(-5, early);
    say(30, FILM, LATE);
    await air.until(60);
    expect(air.written(game)).toEqual([[[-5 - BEFORE, 30 + AFTER]]]);
  });

  test('that comes earlier while the station is not received is reported', async () => {
    const { air, book, say } = await evening();
    const game = book(GAME);
    const early = { ...GAME, at: -5, minutes: 35 };
    say(-6, NEWS, early);
    say(-5, early);
    say(30, FILM, LATE);
    await air.until(20);
    expect(air.written(game)).toEqual([[[-BEFORE, 20.08]]]);
    expect(air.minuteOf(air.reservation(game)?.startAt)).toBe(-5);
  });

  test('that waits for hours keeps its tuner until its real end', async () => {
    const { air, book, say } = await evening();
    const film = book(FILM);
    say(0, { ...GAME, minutes: null }, { ...FILM, at: null });
    say(230, { ...FILM, at: 230 }, null);
    say(290, null, null);
    await air.until(295);
    expect(air.written(film)).toEqual([[[30 - BEFORE, 290 + AFTER]]]);
    expect(air.minuteOf(air.reservation(film)?.startAt)).toBe(230);
  });

  test('of two programmes that are both postponed is that of each', async () => {
    const { air, book, say } = await evening();
    const [film, late] = [book(FILM), book(LATE)];
    say(0, { ...GAME, minutes: null }, { ...FILM, at: null });
    say(100, { ...FILM, at: 100 }, { ...LATE, at: 160 });
    say(160, { ...LATE, at: 160 }, null);
    say(220, null, null);
    await air.until(240);
    const starts = [film, late].map((id) => air.minuteOf(air.reservation(id)?.startAt));
    expect(starts).toEqual([100, 160]);
    expect(air.written(film)).toEqual([[[30 - BEFORE, 160 + AFTER]]]);
    expect(air.written(late)).toEqual([[[90 - BEFORE, 220 + AFTER]]]);
  });
});

describe('a relay', () => {
  test('is waited for when its station announces it late', async () => {
    const { air, book, say, idOf } = await evening([GR_TUNER, GR_TUNER]);
    const other = air.station('T28');
    const show = { event: 50, title: '別の映画', at: -60, minutes: 180 };
    air.list(other, -50, [show]);
    book(GAME);
    say(0, { ...GAME, relay: { station: other, event: 77 } });
    say(30, FILM, LATE);
    say(-60, show, null, other);
    say(33, { ...GAME, event: 77, title: 'つづき', at: 30, minutes: 40 }, show, other);
    say(70, { ...show, at: 70 }, null, other);
    await air.until(90);
    const rest = air.home.of(idOf({ ...GAME, event: 77 }, other));
    expect(air.written(rest?.id ?? reservationId(0))).toEqual([[[30 - BEFORE, 70 + AFTER]]]);
    expect(air.home.reservations).toHaveLength(2);
  });

  test.each([
    ['its own guide has not been read', false],
    ['its own guide contains the old time', true],
  ])('is postponed with the programme that it continues %s', async (_, isListed) => {
    const { air, book, say, idOf } = await evening([GR_TUNER, GR_TUNER]);
    const other = air.station('T28');
    const show = { event: 50, title: '別の映画', at: -60, minutes: 300 };
    const rest = { event: 77, title: 'つづき', at: 30, minutes: 30 };
    air.list(other, -50, isListed ? [{ ...show, minutes: 90 }, rest] : [show]);
    const game = book(GAME);
    const relay = { station: other, event: 77 };
    say(-60, show, null, other);
    say(0, { ...GAME, relay });
    say(25, { ...GAME, minutes: 70, relay }, { ...FILM, at: 70 });
    say(70, { ...FILM, at: 70 }, LATE);
    say(70, { ...rest, at: 70 }, show, other);
    say(100, { ...show, at: 100 }, null, other);
    await air.until(120);
    const target = air.home.of(idOf(rest, other));
    expect(air.written(game)).toEqual([[[-BEFORE, 70 + AFTER]]]);
    expect(air.written(target?.id ?? reservationId(0))).toEqual([[[70 - BEFORE, 100 + AFTER]]]);
    expect(air.minuteOf(target?.startAt)).toBe(70);
    // No other reservation was made for it.
    expect(air.home.reservations.map(({ state }) => state)).toEqual(['finished', 'finished']);
  });

  test('after an unannounced overrun begins when that is over', async () => {
    const { air, book, say, idOf } = await evening([GR_TUNER, GR_TUNER]);
    const other = air.station('T28');
    const show = { event: 50, title: '別の映画', at: -60, minutes: 300 };
    const rest = { event: 77, title: 'つづき', at: 30, minutes: 30 };
    air.list(other, -50, [{ ...show, minutes: 90 }, rest]);
    book(GAME);
    say(-60, show, null, other);
    say(0, { ...GAME, relay: { station: other, event: 77 } });
    say(72, { ...FILM, at: 70 }, LATE);
    say(72, rest, show, other);
    say(100, { ...show, at: 100 }, null, other);
    await air.until(120);
    const target = air.home.of(idOf(rest, other));
    const [[from, to = 0] = [], ...others] = air.written(target?.id ?? reservationId(0))[0] ?? [];
    expect([from, others]).toEqual([30 - BEFORE, []]);
    expect(to).toBeGreaterThanOrEqual(100 + AFTER);
    expect(to).toBeLessThan(104);
    expect(air.minuteOf(target?.startAt)).toBe(72);
  });

  test('to itself is ignored', async () => {
    const { air, station, book, say } = await evening();
    const game = book(GAME);
    say(0, { ...GAME, relay: { station, event: GAME.event } });
    say(30, FILM, LATE);
    await air.until(60);
    expect(air.written(game)).toEqual([[[-BEFORE, 30 + AFTER]]]);
    expect(air.home.reservations).toHaveLength(1);
  });
});
