/** The plan when a booked programme is split. */
import { describe, expect, test } from 'bun:test';
import { plusMs } from '../../../lib/arib/time.ts';
import { evening } from '../../../test/schedule/moving-evening.ts';
import { GR_TUNER, MINUTE, NOON } from '../../../test/schedule/plan-home.ts';
import { settled } from '../../../test/schedule/settled.ts';

/** A film from 12:30 to 13:30, booked by hand. */
function filmEvening(tuners = [GR_TUNER]) {
  const rig = evening(tuners);
  const { home, film } = rig;
  home.reservations = [];
  home.reserve(film);
  home.run();
  const states = (): [string, string][] => {
    home.run();
    settled(home);
    return home.states();
  };
  return { ...rig, states };
}

describe('a programme that is split', () => {
  test.each([
    ['夜の映画', '夜の映画'],
    ['夜の映画 前編', '夜の映画 後編'],
    ['夜の映画[字]', '夜の映画[字]'],
  ])('is recorded in all its parts: %s, %s', (first, second) => {
    const { home, station, film, move, states, booked } = filmEvening();
    move(film, 30, 55);
    home.change(film, { name: first });
    home.program(station, 'ニュース', { at: 55, minutes: 5 });
    const rest = home.program(station, second, { at: 60, minutes: 35 });
    expect(states()).toEqual([
      [first, 'scheduled'],
      [second, 'scheduled'],
    ]);
    expect(booked(film)).toMatchObject({ start: 30, end: 55 });
    expect(home.of(rest)).toMatchObject({ ruleId: null, relayOf: film, priority: home.of(film)?.priority });
  });

  test('keeps the part that has a tuner', () => {
    const { home, station, film, move, states } = filmEvening();
    const other = home.program(home.station('T28'), '会見', { at: 30, minutes: 25 });
    home.reserve(other, { priority: 9 });
    move(film, 30, 55);
    home.program(station, '夜の映画', { at: 55, minutes: 35 });
    expect(states()).toEqual([
      ['夜の映画', 'conflict'],
      ['会見', 'scheduled'],
      ['夜の映画', 'scheduled'],
    ]);
  });

  test('is booked once where a rule takes the other part', () => {
    const { home, station, film, move, states } = filmEvening();
    home.rule('夜の映画', { dedupe: false });
    move(film, 30, 55);
    const rest = home.program(station, '夜の映画', { at: 55, minutes: 35 });
    expect(states()).toHaveLength(2);
    expect(home.of(rest)).toMatchObject({ state: 'scheduled' });
  });

  test('whose other part was cancelled is not booked again', () => {
    const { home, station, film, move, states } = filmEvening();
    move(film, 30, 55);
    const rest = home.program(station, '夜の映画', { at: 55, minutes: 35 });
    states();
    home.reservations = home.reservations.map((one) =>
      one.programId === rest ? { ...one, state: 'cancelled' } : one,
    );
    move(film, 30, 50);
    expect(states()).toEqual([
      ['夜の映画', 'scheduled'],
      ['夜の映画', 'cancelled'],
    ]);
  });

  test('and becomes whole again is booked once', () => {
    const { home, station, film, move, states, booked } = filmEvening();
    move(film, 30, 55);
    const rest = home.program(station, '夜の映画', { at: 55, minutes: 35 });
    expect(states()).toHaveLength(2);
    home.guide.remove(rest);
    move(film, 30, 90);
    expect(states()).toEqual([['夜の映画', 'scheduled']]);
    expect(booked(film)).toMatchObject({ start: 30, end: 90 });
  });
});

/** A film from 12:30 to 13:30, booked by a rule that records each episode once. */
function ruleEvening(body: Record<string, unknown> = {}, tuners = [GR_TUNER]) {
  const rig = evening(tuners);
  const { home, film } = rig;
  home.reservations = [];
  home.change(film, { name: FILM });
  const rule = home.rule('夜の映画', { dedupe: true, ...body });
  home.run();
  const states = (): [string, string][] => {
    home.run();
    settled(home);
    return home.states();
  };
  return { ...rig, rule, states };
}

const FILM = '夜の映画「灯台」';

describe('a programme that is split and that a rule booked', () => {
  test.each([
    ['its later part', 30, 55, 60, 35],
    ['its earlier part, where the later one keeps the event id', 60, 90, 30, 25],
  ])('is recorded with %s', (_, from, to, at, minutes) => {
    const { home, station, film, rule, move, states } = ruleEvening();
    move(film, from, to);
    const part = home.program(station, FILM, { at, minutes });
    expect(states()).toEqual([
      [FILM, 'scheduled'],
      [FILM, 'scheduled'],
    ]);
    expect(home.of(part)).toMatchObject({ ruleId: rule.id, relayOf: film, priority: rule.priority });
    expect(home.look().passedOver.get(part)).toBeUndefined();
  });

  test('is recorded where the rule does not match its other part', () => {
    const { station, film, home, move, states } = ruleEvening({ timeFrom: 12 * 60, timeTo: 13 * 60 });
    move(film, 30, 55);
    home.program(station, FILM, { at: 60, minutes: 35 });
    expect(states()).toHaveLength(2);
  });

  test('is recorded to its end: the first part does not count as a recording of the second', () => {
    const { home, station, film, at, move, states } = ruleEvening();
    move(film, 30, 55);
    const part = home.program(station, FILM, { at: 60, minutes: 35 });
    states();
    home.begin(film);
    const found = home.guide.get(film);
    if (found === undefined) throw new Error('no film');
    home.recorded = [{ ...found, programId: film }];
    at(40);
    expect(states()[1]).toEqual([FILM, 'scheduled']);
    home.reservations = home.reservations.map((one) =>
      one.programId === film ? { ...one, state: 'finished' } : one,
    );
    home.settings.retractGrace = 0;
    at(56);
    expect(states()[1]).toEqual([FILM, 'scheduled']);
    expect(home.look().openings.map(({ programId }) => programId)).toEqual([part]);
  });

  test('is booked once for each part, not again as a repeat', () => {
    const { home, station, film, move, states } = ruleEvening();
    move(film, 30, 55);
    home.program(station, FILM, { at: 60, minutes: 35 });
    const repeat = home.program(station, FILM, { at: 600, minutes: 60 });
    expect(states()).toHaveLength(2);
    expect(home.look().passedOver.get(repeat)?.code).toBe('other_airing');
  });

  test('and becomes whole again is booked once', () => {
    const { home, station, film, move, states, booked } = ruleEvening();
    move(film, 30, 55);
    const part = home.program(station, FILM, { at: 60, minutes: 35 });
    expect(states()).toHaveLength(2);
    home.guide.remove(part);
    move(film, 30, 90);
    expect(states()).toEqual([[FILM, 'scheduled']]);
    expect(booked(film)).toMatchObject({ start: 30, end: 90 });
  });

  test('keeps its parts while it is delayed and the other table is not moved yet', () => {
    const { home, station, film, move, states } = ruleEvening();
    move(film, 30, 55);
    home.program(station, FILM, { at: 60, minutes: 35 });
    states();
    move(film, 35, 65);
    expect(states()).toHaveLength(2);
  });

  test('keeps its parts under another event id', () => {
    const { home, station, film, move, states } = ruleEvening();
    move(film, 30, 55);
    const part = home.program(station, FILM, { at: 60, minutes: 35 });
    states();
    home.guide.remove(film);
    const again = home.program(station, FILM, { at: 30, minutes: 25 });
    expect(states()).toHaveLength(2);
    expect(home.of(part)).toMatchObject({ relayOf: again });
  });

  test('and is no longer wanted is dropped with all parts', () => {
    const { home, station, film, move, states } = ruleEvening();
    move(film, 30, 55);
    home.program(station, FILM, { at: 60, minutes: 35 });
    states();
    home.rules = home.rules.map((rule) => ({ ...rule, enabled: false }));
    expect(states()).toEqual([]);
  });

  test('leaves a tuner shortage of one part to another airing of the whole', () => {
    const { home, station, film, move, states } = ruleEvening();
    home.reserve(home.program(home.station('T28'), '会見', { at: 30, minutes: 25 }), { priority: 9 });
    move(film, 30, 55);
    home.program(station, FILM, { at: 60, minutes: 35 });
    home.program(station, FILM, { at: 600, minutes: 60 });
    expect(states()).toEqual([
      [FILM, 'conflict'],
      ['会見', 'scheduled'],
      [FILM, 'scheduled'],
      [FILM, 'scheduled'],
    ]);
  });
});

describe('a programme that is split while it is recorded', () => {
  test.each([
    ['by hand', false],
    ['by a rule', true],
  ])('is recorded in all its parts: booked %s', (_, isOfRule) => {
    const { home, station, film, at, air, move, states } = isOfRule ? ruleEvening() : filmEvening();
    at(30);
    air(film, 'on', 30);
    home.begin(film);
    states();
    at(40);
    move(film, 30, 55);
    const part = home.program(station, home.of(film)?.name ?? '', { at: 60, minutes: 35 });
    home.program(station, 'ニュース', { at: 55, minutes: 5 });
    expect(states().map(([, state]) => state)).toEqual(['recording', 'scheduled']);
    at(57);
    home.airings.set(film, {
      state: 'over',
      from: plusMs(NOON, 30 * MINUTE),
      until: plusMs(NOON, 55 * MINUTE),
      announcedEnd: plusMs(NOON, 55 * MINUTE),
      closesAt: plusMs(NOON, 55 * MINUTE),
    });
    expect(states().map(([, state]) => state)).toEqual(['recording', 'scheduled']);
    home.reservations = home.reservations.map((one) =>
      one.programId === film ? { ...one, state: 'finished' } : one,
    );
    expect(states().map(([, state]) => state)).toEqual(['finished', 'scheduled']);
    expect(home.of(part)?.state).toBe('scheduled');
  });
});

describe('what is no part of it', () => {
  test.each([
    ['another programme in its time', 'ニュース', 60, 30],
    ['the next episode, which begins earlier', '夜の映画', 80, 60],
    ['one after its former end', '夜の映画', 90, 30],
  ])('%s', (_, name, at, minutes) => {
    const { home, station, film, move, states } = filmEvening();
    move(film, 30, 55);
    home.program(station, name, { at, minutes });
    expect(states()).toEqual([['夜の映画', 'scheduled']]);
  });

  test('the next edition, while it runs over its announced end', () => {
    const { home, station, film, at, air, move, states } = filmEvening();
    at(30);
    air(film, 'on', 30);
    home.begin(film);
    move(film, 30, 60);
    home.reservations = home.reservations.map((one) => ({ ...one, endAt: plusMs(NOON, 60 * MINUTE) }));
    home.program(station, '夜の映画', { at: 60, minutes: 10 });
    at(68);
    expect(states()).toEqual([['夜の映画', 'recording']]);
    at(69);
    expect(states()).toEqual([['夜の映画', 'recording']]);
  });

  test('the same title on another station', () => {
    const { home, film, move, states } = filmEvening();
    move(film, 30, 55);
    home.program(home.station('T28'), '夜の映画', { at: 60, minutes: 30 });
    expect(states()).toEqual([['夜の映画', 'scheduled']]);
  });
});
