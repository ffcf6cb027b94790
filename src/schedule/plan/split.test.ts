/** The plan when a programme that was booked by hand is split before it begins. */
import { describe, expect, test } from 'bun:test';
import { evening } from '../../../test/schedule/moving-evening.ts';
import { GR_TUNER } from '../../../test/schedule/plan-home.ts';
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

  test('the same title on another station', () => {
    const { home, film, move, states } = filmEvening();
    move(film, 30, 55);
    home.program(home.station('T28'), '夜の映画', { at: 60, minutes: 30 });
    expect(states()).toEqual([['夜の映画', 'scheduled']]);
  });
});
