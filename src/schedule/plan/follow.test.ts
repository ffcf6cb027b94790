/** The plan while programmes change on air: overruns, and invariants that hold whatever present/following reports. */
import { describe, expect, test } from 'bun:test';
import { reservationId } from '../../../lib/wire/ids.ts';
import { Random } from '../../../test/fuzz/random.ts';
import { evening } from '../../../test/schedule/moving-evening.ts';
import { GR_TUNER, MINUTE, NOON } from '../../../test/schedule/plan-home.ts';

describe('a programme that runs over', () => {
  test('is recorded until present/following lists another, then to its actual end', () => {
    const { home, game, film, at, air, move, orders, booked } = evening();
    home.begin(game);
    at(20);
    air(game, 'on', 0);
    air(film, 'next');
    expect(orders(game)).toMatchObject({ end: 30, close: 30, hold: 30 + 180 });
    // Its table still has the old end.
    at(33);
    expect(orders(game)).toMatchObject({ close: 30, hold: 30 + 180 });
    expect(booked(game)).toEqual({ state: 'recording', start: 0, end: 33 });
    move(game, 0, 50);
    move(film, 50, 110);
    at(34);
    expect(orders(game)).toMatchObject({ end: 50, close: 50, hold: 50 + 180 });
    // Over at 12:50 by its table, and ten seconds later by present/following.
    at(50.5);
    air(game, 'over', 0, 50 + 10 / 60);
    air(film, 'on', 50 + 10 / 60);
    expect(orders(game)).toEqual({ start: 0, end: 50, open: 50.5, close: 50, hold: null });
    expect(booked(game)).toEqual({ state: 'recording', start: 0, end: 50 });
  });

  test('whose table never gives its end ends when present/following lists another', () => {
    const { home, game, film, at, air, orders, booked } = evening();
    home.begin(game);
    at(47);
    air(game, 'on', 0);
    expect(orders(game)).toMatchObject({ hold: 30 + 180 });
    at(48);
    air(game, 'over', 0, 47.9);
    air(film, 'on', 47.9);
    expect(orders(game)).toMatchObject({ end: 47.9, close: 47.9, hold: null });
    expect(booked(game).end).toBe(47.9);
  });

  test('of undefined duration continues beyond the estimated end, to its actual end', () => {
    const { home, game, film, at, air, move, orders, booked } = evening();
    home.begin(game);
    at(25);
    air(game, 'on', 0);
    move(game, 0, 60, true);
    expect(orders(game)).toMatchObject({ end: 30, close: 30, hold: 30 + 180 });
    at(75);
    move(game, 0, 80, true);
    expect(orders(game)).toMatchObject({ close: 30, hold: 75 + 180 });
    expect(booked(game).end).toBe(75);
    // In the guide it ends where the next one begins.
    at(78);
    move(game, 0, 77.5);
    air(game, 'over', 0, 77.6);
    air(film, 'on', 77.6);
    expect(orders(game)).toMatchObject({ end: 77.5, close: 77.5, hold: null });
    expect(booked(game).end).toBe(77.5);
  });

  test('of undefined duration without present/following lasts as estimated by the guide', () => {
    const { home, game, at, move, orders } = evening();
    home.begin(game);
    at(25);
    move(game, 0, 60, true);
    expect(orders(game)).toMatchObject({ close: 60, hold: null });
    at(61);
    expect(orders(game)).toMatchObject({ close: 62, hold: null });
  });

  test('of undefined duration ends when its end is known, whatever was estimated before', () => {
    const { home, game, film, at, air, move, orders, booked } = evening();
    home.begin(game);
    at(25);
    move(game, 0, 60, true);
    expect(orders(game)).toMatchObject({ end: 30, close: 60 });
    expect(booked(game).end).toBe(30);
    // Its station is received again after its end.
    at(41);
    move(game, 0, 40);
    air(film, 'on', null);
    expect(orders(game)).toMatchObject({ end: 40, close: 40, hold: null });
  });

  test('is not tracked where its station sends no present/following', () => {
    const { home, game, at, orders } = evening();
    home.begin(game);
    at(29.9);
    expect(orders(game)).toMatchObject({ end: 30, close: 30, hold: null });
    at(30.1);
    expect(orders(game)).toMatchObject({ end: 30, close: 30, hold: null });
  });

  test('keeps its tuner, and the next one gets it at its end', () => {
    const { home, game, film, at, air, move, orders } = evening();
    const other = home.program(home.station('T30'), '隣の局', { at: 30 });
    home.reserve(other);
    home.begin(game);
    at(29);
    air(game, 'on', 0);
    orders(game);
    expect(home.of(other)?.state).toBe('scheduled');
    move(game, 0, 50);
    at(30.2);
    orders(game);
    expect(home.of(other)?.state).toBe('conflict');
    at(50);
    air(game, 'over', 0, 50);
    air(film, 'on', 50);
    orders(game);
    home.reservations = home.reservations.map((one) =>
      one.programId === game ? { ...one, state: 'finished' } : one,
    );
    home.run();
    expect(home.of(other)?.state).toBe('scheduled');
  });

  test('releases its tuner at its announced end if it does not run over, however often it is planned before', () => {
    const { home, game, film, at, air, orders } = evening();
    home.tuners = [{ ...GR_TUNER, recording: [reservationId(1)] }];
    const other = home.program(home.station('T30'), '隣の局', { at: 30 });
    home.reserve(other);
    home.begin(game);
    for (const minutes of [20, 29.1, 29.9, 30, 30.01, 30.08]) {
      at(minutes);
      air(game, 'on', 0);
      expect(orders(other)).toMatchObject({ open: Math.max(30, minutes) });
      expect(home.look().openings.find(({ programId: id }) => id === other)?.after).toEqual([game]);
    }
    at(30.1);
    orders(game);
    expect(home.of(other)?.state).toBe('conflict');
    at(30.12);
    air(game, 'over', 0, 30.11);
    air(film, 'on', 30.11);
    expect(orders(other)).toMatchObject({ open: 30.12 });
    expect(home.of(other)?.state).toBe('scheduled');
  });

  test('is not ended for the margin of another one, whenever it is planned', () => {
    const { home, game, at, air, orders } = evening();
    home.tuners = [{ ...GR_TUNER, recording: [reservationId(1)] }];
    const other = home.program(home.station('T30'), '隣の局', { at: 40 });
    home.reserve(other, { marginBefore: 6 * MINUTE });
    home.begin(game);
    // A running programme of unknown length is extended in full minutes, none of which is its actual end.
    for (const minutes of [32, 32.02, 33, 33.02, 34.5, 38.9]) {
      at(minutes);
      air(game, 'on', 0);
      const { open } = orders(other) ?? {};
      const { after = [] } = home.look().openings.find(({ programId: id }) => id === other) ?? {};
      // Before that it takes over no tuner: the agent would refuse it.
      expect([minutes, open]).toEqual([minutes, minutes < 33 ? 34 : 40]);
      if (minutes < 33) expect(after).toEqual([]);
    }
    for (const minutes of [39.5, 40.02, 41.02]) {
      at(minutes);
      orders(game);
      expect(home.of(other)?.state).toBe('conflict');
    }
    at(41.2);
    air(game, 'over', 0, 41.15);
    expect(orders(other)).toMatchObject({ open: 41.2 });
  });

  test('whose recording had not started is recorded while it continues', () => {
    const { home, game, at, air, orders, booked } = evening();
    at(40);
    air(game, 'on', null);
    expect(orders(game)).toMatchObject({ open: 40, close: 41, hold: 41 + 180 });
    expect(booked(game).state).toBe('scheduled');
    home.airings.clear();
    home.run();
    expect(booked(game).state).toBe('missed');
  });
});

describe('an end that moves earlier', () => {
  test('shortens no recording: present/following may show an interruption', () => {
    const { home, game, film, at, air, move, orders, booked } = evening();
    home.begin(game);
    at(15);
    move(game, 0, 20);
    air(game, 'on', 0);
    expect(orders(game)).toMatchObject({ end: 30, close: 30 });
    move(game, 0, 30);
    air(game, 'over', 0, 16);
    air(film, 'on', 16);
    at(17);
    expect(orders(game)).toMatchObject({ end: 30, close: 30, hold: null });
    // A programme that really ended earlier is judged by its actual end.
    move(game, 0, 20);
    air(game, 'over', 0, 20.1);
    at(21);
    expect(orders(game)).toMatchObject({ end: 20, close: 30 });
    expect(booked(game).end).toBe(30);
  });
});

describe('a guide that became unavailable', () => {
  test('does not affect running recordings or bookings', () => {
    const { home, game, film, at, air, orders, booked } = evening();
    home.reserve(film);
    home.begin(game);
    at(10);
    air(game, 'on', 0);
    const before = orders(game);
    home.guide.remove(game);
    home.guide.remove(film);
    expect(orders(game)).toEqual(before);
    expect(booked(film)).toEqual({ state: 'scheduled', start: 30, end: 90 });
    at(31);
    expect(orders(game)).toMatchObject({ end: 31, hold: 31 + 180 });
    air(game, 'over', 0, 32);
    at(32.1);
    expect(orders(game)).toMatchObject({ start: 0, end: 32, close: 32, hold: null });
  });

  test('nor does an unreachable agent: running recordings stay in the plan', () => {
    const { home, game, at, air, orders } = evening();
    home.begin(game);
    home.tuners = null;
    at(31);
    air(game, 'on', 0);
    expect(orders(game)).toMatchObject({ end: 31, hold: 30 + 180 });
    air(game, 'over', 0, 33);
    at(33);
    expect(orders(game)).toMatchObject({ end: 33, close: 33, hold: null });
  });
});

describe('whatever present/following reports', () => {
  const SEED = Number(process.env.FOLLOW_SEED ?? 20261121);

  test(`a running recording never ends before its announced end, nor long after its actual end (FOLLOW_SEED=${SEED})`, () => {
    for (let round = 0; round < 150; round++) {
      const random = new Random(SEED + round);
      const { home, game, film, at, air, move, orders } = evening();
      const length = 30 + random.below(120);
      const listens = random.below(5) > 0;
      home.begin(game);
      let promised = 30;
      for (let minute = 1; minute < 240; minute += 1 + random.below(4)) {
        at(minute);
        const isOver = minute >= length;
        if (!isOver && random.below(4) === 0)
          move(game, 0, Math.max(minute, random.below(200)), random.below(3) === 0);
        // Its last table has the end, or leaves it open.
        if (isOver && random.below(2) === 0) move(game, 0, length);
        if (listens) {
          air(game, isOver ? 'over' : 'on', 0, isOver ? length : null);
          air(film, isOver ? 'on' : 'next', isOver ? length : null);
        }
        const program = home.guide.get(game);
        const opening = orders(game);
        if (opening === undefined || program === undefined) throw new Error('not orders');
        const { close, hold } = opening;
        const decided = program.openEnd ? 0 : (program.endAt - NOON) / MINUTE;
        promised = Math.max(promised, decided);
        const ends = Math.max(close, hold ?? close);
        expect(ends).toBeGreaterThanOrEqual(promised);
        if (listens && !isOver) expect(ends).toBeGreaterThan(minute);
        if (listens && isOver) {
          expect(hold).toBeNull();
          expect(close).toBeLessThanOrEqual(Math.max(promised, length, minute));
        }
        if (minute >= ends) break;
      }
    }
  });

  test('three hours after its end, or without reception, no tuner is held', () => {
    const { home, game, at, air, move, orders } = evening();
    home.begin(game);
    air(game, 'on', 0);
    expect(orders(game)?.hold).toBe(30 + 180);
    at(200);
    expect(orders(game)?.hold).toBe(30 + 180);
    at(211);
    expect(orders(game)?.hold).toBeNull();
    move(game, 0, 220, true);
    expect(orders(game)?.hold).toBe(211 + 180);
    home.airings.clear();
    expect(orders(game)?.hold).toBeNull();
  });
});
