/** The plan while programmes change on air: late begins, interruptions, continuations elsewhere, changed ids. */
import { describe, expect, test } from 'bun:test';
import { eventId, type ProgramId, programId, splitProgramId, splitStationId } from '../../../lib/arib/ids.ts';
import { evening } from '../../../test/schedule/moving-evening.ts';
import { GR_TUNER, MINUTE, NOON, SATELLITE_TUNER } from '../../../test/schedule/plan-home.ts';

describe('a programme that begins late', () => {
  test('is followed before it has begun, so that its margins stay complete', () => {
    const { game, film, at, move, orders, home } = evening();
    home.reserve(film);
    at(10);
    move(game, 0, 45);
    move(film, 45, 105);
    expect(orders(film)).toEqual({ start: 45, end: 105, open: 45 - 10 / 60, close: 105, hold: null });
  });

  test('holds its tuner from its announced start, and is recorded from its actual start to its actual end', () => {
    const { home, game, film, at, air, move, orders, booked } = evening();
    home.reservations = [];
    home.reserve(film);
    at(29.9);
    air(game, 'on', null);
    air(film, 'next');
    orders(film);
    home.begin(film);
    // The game continues with an unknown end.
    move(game, 0, 60, true);
    at(80);
    expect(orders(film)).toMatchObject({ start: 30, hold: 90 + 180 });
    at(95);
    expect(orders(film)).toMatchObject({ hold: 90 + 180 });
    expect(booked(film).state).toBe('recording');
    at(100);
    move(film, 100, 160);
    air(game, 'over', null, 100);
    air(film, 'on', 100);
    expect(orders(film)).toMatchObject({ start: 100, end: 160, close: 160, hold: 160 + 180 });
    expect(booked(film)).toEqual({ state: 'recording', start: 100, end: 160 });
    at(160.1);
    air(film, 'over', 100, 160.05);
    expect(orders(film)).toEqual({ start: 100, end: 160, open: 160.1, close: 160, hold: null });
  });

  test('whose table keeps the announced start began when present/following listed it', () => {
    const { home, game, film, at, air, orders, booked } = evening();
    home.reservations = [];
    home.reserve(film);
    home.begin(film);
    at(42);
    air(game, 'over', null, 41);
    air(film, 'on', 41);
    expect(orders(film)).toMatchObject({ start: 41, end: 90, hold: 90 + 180 });
    expect(booked(film).start).toBe(41);
    at(101);
    air(film, 'over', 41, 100.5);
    expect(orders(film)).toMatchObject({ start: 41, end: 100.5, close: 100.5 });
  });

  test('is neither missed nor dropped while it is the following one, even past its time', () => {
    const { home, game, film, at, air, orders, booked } = evening();
    home.reservations = [];
    home.reserve(film);
    at(95);
    air(game, 'on', null);
    air(film, 'next');
    expect(orders(film)).toMatchObject({ open: 95, close: 155 });
    expect(booked(film).state).toBe('scheduled');
    home.airings.clear();
    home.run();
    expect(booked(film).state).toBe('missed');
  });
});

describe('a programme that another interrupts', () => {
  test('continues to its later end, and keeps its first start', () => {
    const { home, station, game, film, at, air, move, orders } = evening();
    const flash = home.program(station, '緊急ニュース', { at: 10, minutes: 10 });
    home.begin(game);
    at(10);
    air(game, 'over', 0, 10);
    air(flash, 'on', 10);
    expect(orders(game)).toMatchObject({ start: 0, end: 30, close: 30, hold: null });
    // Present/following gives the rest of it, with the time when it continues.
    at(12);
    air(game, 'next', 0);
    move(game, 20, 40);
    expect(orders(game)).toMatchObject({ start: 0, end: 40, close: 40, hold: 40 + 180 });
    at(41);
    air(flash, 'over', 10, 20);
    air(game, 'on', 0);
    expect(orders(game)).toMatchObject({ start: 0, hold: 40 + 180 });
    at(44);
    air(game, 'over', 0, 43.9);
    air(film, 'on', 43.9);
    expect(orders(game)).toMatchObject({ start: 0, end: 43.9, close: 43.9, hold: null });
  });

  test('continues under another id with the same title in the same recording', () => {
    const { home, station, game, at, air, orders } = evening();
    home.begin(game);
    at(12);
    home.guide.remove(game);
    const again = home.program(station, '野球中継[生]', { at: 1, minutes: 49, event: 900 });
    air(again, 'on', null);
    expect(orders(again)).toMatchObject({ end: 50, close: 50, hold: 50 + 180 });
    expect(home.reservations.map(({ programId: id, state }) => [id, state])).toEqual([[again, 'recording']]);
  });
});

describe('a programme that is replaced by another', () => {
  const since = (home: ReturnType<typeof evening>['home'], id: ProgramId) => {
    const brokenAt = home.look().openings.find((one) => one.programId === id)?.brokenAt ?? null;
    return brokenAt === null ? null : (brokenAt - NOON) / MINUTE;
  };

  test('reports since when, while it has not returned', () => {
    const { home, station, game, at, air } = evening();
    const flash = home.program(station, '緊急ニュース', { at: 10, minutes: 60 });
    home.begin(game);
    at(5);
    air(game, 'on', 0);
    expect(since(home, game)).toBeNull();
    at(12);
    air(game, 'over', 0, 10);
    air(flash, 'on', 10);
    expect(since(home, game)).toBe(10);
    air(game, 'next', 0);
    expect(since(home, game)).toBeNull();
    air(game, 'over', 0, 29.8);
    expect(since(home, game)).toBeNull();
    air(game, 'over', 0, 33);
    expect(since(home, game)).toBeNull();
  });

  test('from its start on counts as never aired, where its station lists another', () => {
    const { home, station, game, film, at, air } = evening();
    home.begin(game);
    at(15);
    expect(since(home, game)).toBeNull();
    const special = home.program(station, '報道特別番組', { at: -10, minutes: 90 });
    air(special, 'on', null);
    expect(since(home, game)).toBe(0);
    // A table may be slightly late, and the programme on air at its end does not show what was on before.
    at(0.4);
    expect(since(home, game)).toBeNull();
    home.airings.clear();
    at(29.8);
    air(film, 'on', null);
    expect(since(home, game)).toBeNull();
    // Under another event id.
    const again = home.program(station, '野球中継[生]', { at: 0, event: 900 });
    home.airings.clear();
    at(15);
    air(again, 'on', null);
    expect(since(home, game)).toBeNull();
  });
});

describe('a programme that is interrupted', () => {
  test('continues under the id with the same title that is listed next', () => {
    const { home, station, game, at, air, orders } = evening();
    home.begin(game);
    const flash = home.program(station, '緊急ニュース', { at: 10, minutes: 10 });
    const rest = home.program(station, '野球中継', { at: 20, minutes: 25 });
    const named = () => home.reservations.map(({ programId: id }) => id);
    at(10.1);
    air(game, 'over', 0, 10);
    air(flash, 'on', 10);
    expect(orders(game)).toMatchObject({ close: 30 });
    expect(named()).toEqual([game]);
    air(rest, 'next');
    expect(orders(rest)).toMatchObject({ start: 20, end: 45, close: 45, hold: 45 + 180 });
    expect(named()).toEqual([rest]);
  });

  test.each([true, false])(
    'is not booked again under its former id, which the guide still has (dedupe: %p)',
    (dedupe) => {
      const { home, station, game, at, air, orders } = evening();
      home.reservations = [];
      home.rule('野球中継', { dedupe });
      home.run();
      home.begin(game);
      const flash = home.program(station, '緊急ニュース', { at: 10, minutes: 10 });
      const rest = home.program(station, '野球中継', { at: 20, minutes: 25 });
      at(10.1);
      air(game, 'over', 0, 10);
      air(flash, 'on', 10);
      air(rest, 'next');
      expect(orders(game)).toBeUndefined();
      expect(orders(rest)).toMatchObject({ start: 20, end: 45 });
      at(20.1);
      air(flash, 'over', 10, 20);
      air(rest, 'on', 20);
      expect(orders(game)).toBeUndefined();
      expect(home.reservations.map(({ programId: id, state }) => [id, state])).toEqual([[rest, 'recording']]);
      expect(home.look().passedOver.get(game)?.code).toBe('other_airing');
    },
  );

  test('and ended at its announced end is not continued by the next one of its title', () => {
    const { home, station, game, at, air, orders } = evening();
    home.begin(game);
    const again = home.program(station, '野球中継', { at: 30, minutes: 25 });
    at(30.1);
    air(game, 'over', 0, 29.8);
    air(again, 'on', 29.8);
    expect(orders(game)).toMatchObject({ start: 0, end: 30, close: 30, hold: null });
    expect(orders(again)).toBeUndefined();
  });
});

describe('a relay', () => {
  test('is not mistaken for another programme of its title while its guide has not been read', () => {
    const { home, game, at, air, orders } = evening([GR_TUNER, SATELLITE_TUNER]);
    const elsewhere = home.station('BS01_0');
    const repeat = home.program(elsewhere, home.guide.get(game)?.name ?? '', { at: 90 });
    const { networkId, serviceId } = splitStationId(elsewhere) ?? {};
    if (networkId === undefined || serviceId === undefined) throw new Error('no station');
    home.change(game, {
      groups: [{ type: 'relay', events: [{ networkId, serviceId, eventId: eventId(77) }] }],
    });
    home.begin(game);
    at(20);
    air(game, 'on', 0);
    for (let count = 0; count < 3; count++) orders(game);
    expect(home.of(programId(elsewhere, eventId(77)))?.state).toBe('scheduled');
    expect(home.of(repeat)).toBeUndefined();
  });

  test('continues where it is announced, also on a station whose guide has not been read', () => {
    const { home, game, at, air, move, orders } = evening([GR_TUNER, SATELLITE_TUNER]);
    const elsewhere = home.station('BS01_0');
    const { networkId, serviceId } = splitStationId(elsewhere) ?? {};
    if (networkId === undefined || serviceId === undefined) throw new Error('no station');
    const groups = [{ type: 'relay' as const, events: [{ networkId, serviceId, eventId: eventId(77) }] }];
    const id = programId(elsewhere, eventId(77));
    home.change(game, { groups });
    orders(game);
    expect(home.of(id)).toBeUndefined();
    home.begin(game);
    at(20);
    air(game, 'on', 0);
    orders(game);
    expect(home.of(id)).toMatchObject({ state: 'scheduled', priority: 2, name: '野球中継' });
    expect(orders(id)).toMatchObject({ start: 30, end: 60, open: 30 - 10 / 60 });
    // Its own tables give its times as soon as they are read.
    home.program(elsewhere, '野球中継　つづき', { at: 30, minutes: 45, event: 77 });
    expect(orders(id)).toMatchObject({ start: 30, end: 75 });
    move(game, 0, 30);
    at(30);
    home.begin(id);
    air(game, 'over', 0, 30);
    air(id, 'on', null);
    home.reservations = home.reservations.map((one) =>
      one.programId === game ? { ...one, state: 'finished' } : one,
    );
    expect(orders(id)).toMatchObject({ start: 30, end: 75, hold: 75 + 180 });
    expect(splitProgramId(id)?.stationId).toBe(elsewhere);
  });

  describe('that is withdrawn', () => {
    function announced() {
      const parts = evening([GR_TUNER, SATELLITE_TUNER]);
      const { home, game, at, air, orders } = parts;
      const elsewhere = home.station('BS01_0');
      const { networkId, serviceId } = splitStationId(elsewhere) ?? {};
      if (networkId === undefined || serviceId === undefined) throw new Error('no station');
      const groups = [{ type: 'relay' as const, events: [{ networkId, serviceId, eventId: eventId(77) }] }];
      const announce = (isOn: boolean): void => home.change(game, { groups: isOn ? groups : [] });
      const list = (title: string): void => void home.program(elsewhere, title, { at: 30, event: 77 });
      home.begin(game);
      at(29);
      air(game, 'on', 0);
      announce(true);
      orders(game);
      const id = programId(elsewhere, eventId(77));
      expect(home.of(id)).toMatchObject({ state: 'scheduled', relayOf: game });
      return { ...parts, elsewhere, id, announce, list };
    }

    test.each([
      ['is not read', undefined],
      ['has it as another programme', '別の番組'],
      ['has it under the same title', '野球中継'],
    ])('leaves no second reservation, where the guide of the station %s', (_, title) => {
      const { home, game, id, announce, list, orders } = announced();
      if (title !== undefined) list(title);
      orders(game);
      expect(home.of(id)?.state).toBe('scheduled');
      announce(false);
      orders(game);
      expect(home.of(id)).toBeUndefined();
      expect(home.of(game)?.state).toBe('recording');
      announce(true);
      orders(game);
      expect(home.of(id)?.state).toBe('scheduled');
    });

    test('is not bound to another programme of its title', () => {
      const { home, game, elsewhere, announce, orders } = announced();
      const repeat = home.program(elsewhere, '野球中継', { at: 90 });
      announce(false);
      orders(game);
      expect(home.of(repeat)).toBeUndefined();
    });

    test('stays if the programme does follow there', () => {
      const { home, game, id, announce, list, air, orders } = announced();
      list('野球中継');
      air(id, 'next');
      announce(false);
      orders(game);
      expect(home.of(id)?.state).toBe('scheduled');
    });

    test('stays if it is being recorded, or reserved for itself', () => {
      const { home, game, id, announce, list, orders } = announced();
      list('別の番組');
      home.begin(id);
      announce(false);
      orders(game);
      expect(home.of(id)?.state).toBe('recording');
      const other = announced();
      other.list('別の番組');
      other.home.reservations = other.home.reservations.filter(({ programId: one }) => one !== other.id);
      other.home.reserve(other.id);
      other.orders(other.game);
      other.announce(false);
      other.orders(other.game);
      expect(other.home.of(other.id)?.state).toBe('scheduled');
    });
  });
});
