/**
 * Wrong announcements of a programme's times that its station corrects: the recording ends when the programme does,
 * and an interrupted programme is not cut.
 */
import { afterEach, describe, expect, test } from 'bun:test';
import type { ReservationId } from '../../lib/wire/ids.ts';
import { GR_TUNER } from '../schedule/plan-home.ts';
import { type Announced, SimulatedTables } from './simulated-tables.ts';

const NEWS: Announced = { event: 1, title: '正午のニュース', at: -30, minutes: 30 };
const GAME: Announced = { event: 2, title: '野球中継', at: 0, minutes: 30 };
const FILM: Announced = { event: 3, title: '夜の映画', at: 30, minutes: 60 };
const LATE: Announced = { event: 4, title: '深夜の番組', at: 90, minutes: 60 };
const FLASH: Announced = { event: 99, title: '緊急ニュース', at: 25, minutes: 3 };
const AN_HOUR_MORE: Announced = { ...GAME, minutes: 90 };
const AN_HOUR_LATER: Announced = { ...GAME, at: 60 };
/** Margins of 10 and 15 s, in steps of 5 s. */
const BEFORE = 0.17;
const AFTER = 0.25;
const SECONDS = 1 / 60;

let tables: SimulatedTables | undefined;
afterEach(() => tables?.close());

async function evening(tuners = [GR_TUNER]) {
  tables = new SimulatedTables(tuners);
  const air = tables;
  const station = air.station('T27');
  air.list(station, -60, [NEWS, GAME, FILM, LATE]);
  air.say(station, -60, NEWS, GAME);
  await air.until(-50);
  const say = (at: number, present: Announced | null, following: Announced | null = FILM): void =>
    air.say(station, at, present, following);
  const game: ReservationId = air.reserve(station, GAME.event);
  return { air, station, say, game };
}

describe('an announcement that is corrected', () => {
  test.each<[string, number, number, Announced, Announced]>([
    ['an hour more', 20, 8, AN_HOUR_MORE, FILM],
    ['an hour more for ten minutes', 10, 600, AN_HOUR_MORE, FILM],
    ['an hour more from its start on', 0, 8, AN_HOUR_MORE, FILM],
    ['an hour more until just before its end', 29.7, 8, AN_HOUR_MORE, FILM],
    ['an hour more, and the following later', 20, 8, AN_HOUR_MORE, { ...FILM, at: 90 }],
    ['a start an hour later', 20, 6, AN_HOUR_LATER, FILM],
    ['a start an hour later, from its start on', 0, 6, AN_HOUR_LATER, FILM],
    ['no end', 20, 8, { ...GAME, minutes: null }, FILM],
    ['no end, and the following has no start', 20, 8, { ...GAME, minutes: null }, { ...FILM, at: null }],
    ['no times', 20, 8, { ...GAME, at: null, minutes: null }, FILM],
    ['for one table: a day', 20, 5, { ...GAME, minutes: 1440 }, FILM],
    ['ten minutes less', 10, 8, { ...GAME, minutes: 20 }, { ...FILM, at: 20 }],
  ])('%s', async (_, at, seconds, wrong, following) => {
    const { air, say, game } = await evening();
    say(0, GAME);
    say(at, wrong, following);
    say(at + seconds * SECONDS, GAME);
    say(30, FILM, LATE);
    await air.until(31);
    expect(air.written(game)).toEqual([[[-BEFORE, 30 + AFTER]]]);
    expect(air.reservation(game)?.state).toBe('finished');
  });

  test.each<[string, number, number, Announced]>([
    ['a start an hour later', -0.1, 6, AN_HOUR_LATER],
    ['a start an hour later, over its start', -0.05, 6, AN_HOUR_LATER],
    ['an hour more', -0.1, 6, AN_HOUR_MORE],
    ['no times', -0.1, 6, { ...GAME, at: null, minutes: null }],
  ])('while it is the following: %s', async (_, at, seconds, wrong) => {
    const { air, say, game } = await evening();
    say(at, NEWS, wrong);
    say(at + seconds * SECONDS, NEWS, GAME);
    say(Math.max(0, at + seconds * SECONDS), GAME);
    say(30, FILM, LATE);
    await air.until(31);
    expect(air.written(game)).toEqual([[[-BEFORE, 30 + AFTER]]]);
    expect(air.reservation(game)?.state).toBe('finished');
  });

  test('is withdrawn by the next programme, which is on to the end of the extension', async () => {
    const { air, say, game } = await evening();
    say(0, GAME);
    say(29, AN_HOUR_MORE, { ...FILM, at: 90 });
    say(30, FILM, LATE);
    await air.until(31);
    expect(air.written(game)).toEqual([[[-BEFORE, 30 + AFTER]]]);
    expect(air.reservation(game)?.state).toBe('finished');
  });

  test('does not keep its tuner from another programme', async () => {
    const { air, say, game } = await evening();
    const other = air.station('T28');
    air.list(other, -50, [{ event: 60, title: '隣の局', at: 30, minutes: 20 }]);
    await air.until(-40);
    const beside = air.reserve(other, 60);
    say(0, GAME);
    say(20, AN_HOUR_MORE);
    say(20 + 8 * SECONDS, GAME);
    say(30, FILM, LATE);
    await air.until(55);
    expect(air.written(game)).toEqual([[[-BEFORE, 30]]]);
    expect(air.written(beside)).toEqual([[[30, 50 + AFTER]]]);
  });

  test.each([
    ['before the correction', 20, 20 + 8 * SECONDS],
    ['long after the correction', 10, 12],
  ])('of an hour more, where the service is restarted %s', async (_, at, until) => {
    const { air, say, game } = await evening();
    say(0, GAME);
    say(at, AN_HOUR_MORE);
    say(until, GAME);
    await air.until(at + 5 * SECONDS);
    air.restart();
    say(30, FILM, LATE);
    await air.until(31);
    expect(air.written(game)[0]?.at(-1)?.[1]).toBe(30 + AFTER);
    expect(air.reservation(game)?.state).toBe('finished');
  });
});

describe('an announcement whose correction is not received', () => {
  const SHORT: Announced = { ...FILM, minutes: 10 };
  const AFTER_IT: Announced = { ...LATE, at: 40 };

  /** The end of the programme is at 30. */
  async function shortEvening() {
    const set = await evening();
    set.air.list(set.station, -50, [NEWS, GAME, SHORT, AFTER_IT]);
    set.say(0, GAME, SHORT);
    set.say(30, SHORT, AFTER_IT);
    return set;
  }

  test.each<[string, Announced, number | null]>([
    ['an hour more', AN_HOUR_MORE, null],
    ['a start an hour later', AN_HOUR_LATER, null],
    ['a start an hour later until just before the end', AN_HOUR_LATER, 29.9],
  ])('ends with the next programme: %s', async (_, wrong, corrected) => {
    const { air, say, game } = await shortEvening();
    say(20, wrong, SHORT);
    if (corrected !== null) say(corrected, GAME, SHORT);
    await air.until(32);
    expect(air.written(game)).toEqual([[[-BEFORE, 30 + AFTER]]]);
    expect(air.reservation(game)?.state).toBe('finished');
  });

  test.each<[string, Announced, number | null, number]>([
    ['an hour more', AN_HOUR_MORE, null, 31],
    ['an hour more, corrected before', AN_HOUR_MORE, 20.1, 31],
    ['an hour more, corrected meanwhile', AN_HOUR_MORE, 21, 31],
    ['a start an hour later', AN_HOUR_LATER, null, 31],
    ['a start an hour later, corrected before', AN_HOUR_LATER, 20.1, 31],
    ['a start an hour later, corrected meanwhile, to just before the end', AN_HOUR_LATER, 21, 29.9],
    ['a start an hour later, corrected meanwhile, to just after the end', AN_HOUR_LATER, 21, 30.1],
  ])('because nothing is received for minutes: %s', async (_, wrong, corrected, to) => {
    const { air, station, say, game } = await shortEvening();
    say(20, wrong, SHORT);
    if (corrected !== null) say(corrected, GAME, SHORT);
    await air.until(20.5);
    air.silence(station);
    await air.until(to);
    air.silence(station, false);
    await air.until(to + 1);
    expect(air.reservation(game)?.state).toBe('finished');
    const [first, last] = air.written(game).flat();
    expect(first).toEqual([-BEFORE, 20.58]);
    // Received again, it is recognised within seconds that the programme is over.
    expect(last?.[1]).toBeLessThanOrEqual(Math.max(30 + AFTER, to + AFTER));
  });

  test('and the service is restarted while nothing is received', async () => {
    const { air, station, say, game } = await shortEvening();
    say(20, AN_HOUR_MORE, SHORT);
    say(20.1, GAME, SHORT);
    await air.until(20.5);
    air.silence(station);
    await air.until(25);
    air.restart();
    await air.until(31);
    air.silence(station, false);
    await air.until(32);
    expect(air.reservation(game)?.state).toBe('finished');
  });
});

describe('an interruption after a corrected announcement', () => {
  test.each<[string, Announced]>([
    ['an hour more', AN_HOUR_MORE],
    ['ten minutes less', { ...GAME, minutes: 20 }],
  ])('is not an end: %s', async (_, wrong) => {
    const { air, say, game } = await evening();
    say(0, GAME);
    say(10, wrong);
    say(10 + 8 * SECONDS, GAME);
    say(25, FLASH);
    say(28, GAME);
    say(30, FILM, LATE);
    await air.until(31);
    expect(air.written(game)).toEqual([[[-BEFORE, 30 + AFTER]]]);
    expect(air.reservation(game)?.state).toBe('finished');
  });

  test('without a return ends with the corrected end', async () => {
    const { air, say, game } = await evening();
    say(0, GAME);
    say(10, AN_HOUR_MORE);
    say(10 + 8 * SECONDS, GAME);
    say(25, { ...FLASH, minutes: 5 });
    say(30, FILM, LATE);
    await air.until(50);
    expect(air.written(game)).toEqual([[[-BEFORE, 30 + AFTER]]]);
    expect(air.reservation(game)?.state).toBe('finished');
  });

  test('at a wrong earlier end, returns', async () => {
    const { air, say, game } = await evening();
    say(0, GAME);
    say(14.8, { ...GAME, minutes: 15 });
    say(15, { ...FLASH, at: 15 });
    say(18, GAME);
    say(30, FILM, LATE);
    await air.until(31);
    expect(air.written(game)).toEqual([[[-BEFORE, 30 + AFTER]]]);
  });

  test('at the first end of a programme that is really extended, returns', async () => {
    const { air, say, game } = await evening();
    say(0, GAME);
    say(20, AN_HOUR_MORE, { ...FILM, at: 90 });
    say(30, { ...FLASH, at: 30, minutes: 5 }, { ...FILM, at: 90 });
    say(35, AN_HOUR_MORE, { ...FILM, at: 90 });
    say(90, { ...FILM, at: 90 }, LATE);
    await air.until(91);
    expect(air.written(game)).toEqual([[[-BEFORE, 90 + AFTER]]]);
  });

  test.each<[string, boolean, [number, number][]]>([
    ['received', false, [[-BEFORE, 90 + AFTER]]],
    [
      'not received for minutes',
      true,
      [
        [-BEFORE, 24.08],
        [32.08, 90 + AFTER],
      ],
    ],
  ])('where the next is still listed at the first end, returns: %s', async (_, isSilent, parts) => {
    const { air, station, say, game } = await evening();
    say(0, GAME);
    say(20, AN_HOUR_MORE);
    say(30, { ...FLASH, at: 30, minutes: 5 });
    say(35, AN_HOUR_MORE);
    say(90, { ...FILM, at: 90 }, LATE);
    await air.until(24);
    air.silence(station, isSilent);
    await air.until(32);
    air.silence(station, false);
    await air.until(91);
    expect(air.written(game)).toEqual([parts]);
  });

  test('by a wrong table for a few seconds changes nothing, also without a margin', async () => {
    const { air, say, game } = await evening();
    say(0, GAME);
    say(29.95, FILM, LATE);
    say(30 + 2 * SECONDS, GAME);
    say(33, FILM, LATE);
    await air.until(34);
    expect(air.written(game)).toEqual([[[-BEFORE, 33 + AFTER]]]);
  });
});
