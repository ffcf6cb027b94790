import { describe, expect, test } from 'bun:test';
import { broadcastMs } from '../../../lib/arib/time.ts';
import { ruleId } from '../../../lib/wire/ids.ts';
import { DAY, GR_TUNER, Home, NOON } from '../../../test/schedule/plan-home.ts';
import { settled } from '../../../test/schedule/settled.ts';

describe('the same episode', () => {
  function series(
    forms: readonly (readonly [channel: string, name: string, at: number])[],
    tuners?: Home['tuners'],
  ) {
    const home = new Home(tuners);
    const stations = new Map<string, ReturnType<Home['station']>>();
    const ids = forms.map(([channel, name, at]) => {
      const station = stations.get(channel) ?? home.station(channel);
      stations.set(channel, station);
      return home.program(station, name, { at });
    });
    home.rule('灯台', { dedupe: true });
    return { home, ids, stations };
  }
  const booked = (home: Home, ids: readonly number[]) =>
    ids.flatMap((id, index) => (home.reservations.some((one) => one.programId === id) ? [index] : []));

  test('is recorded once, the earliest airing', () => {
    const { home, ids } = series([
      ['T27', '灯台 #3「波」', 900],
      ['BS01_0', '灯台 第3話「波」', 300],
      ['T27', '灯台 #4「風」', 1200],
    ]);
    const { passedOver } = home.run();
    expect(booked(home, ids)).toEqual([1, 2]);
    expect(passedOver.get(ids[0] ?? (0 as never))).toMatchObject({ code: 'other_airing' });
    settled(home);
  });

  test('of overlapping airings prefers one with captions, then one by satellite', () => {
    const overlap = series([
      ['T27', '灯台 #3「波」', 300],
      ['BS01_0', '灯台 #3「波」', 310],
      ['CS02', '灯台 #3「波」[字]', 315],
      ['T27', '灯台 #3「波」[字]', 600],
    ]);
    overlap.home.run();
    expect(booked(overlap.home, overlap.ids)).toEqual([2]);
    const satellite = series([
      ['T27', '灯台 #3「波」[字]', 300],
      ['BS01_0', '灯台 #3「波」[字]', 310],
    ]);
    satellite.home.run();
    expect(booked(satellite.home, satellite.ids)).toEqual([1]);
    settled(satellite.home);
  });

  test('without number and subtitle only a simulcast is merged', () => {
    const { home, ids } = series([
      ['T27', '灯台の夜', 300],
      ['BS01_0', '灯台の夜', 300],
      ['T27', '灯台の夜', 600],
    ]);
    home.run();
    expect(booked(home, ids)).toEqual([1, 2]);
  });

  test('a missing subtitle matches the only candidate; several keep both', () => {
    const one = series([
      ['T27', '灯台 #3', 300],
      ['BS01_0', '灯台 #3「波」', 600],
    ]);
    one.home.run();
    expect(booked(one.home, one.ids)).toEqual([0]);
    const several = series([
      ['T27', '灯台 #3', 300],
      ['BS01_0', '灯台 #3「波」', 600],
      ['T27', '灯台 #3「風」', 900],
    ]);
    several.home.run();
    expect(booked(several.home, several.ids)).toEqual([0, 1, 2]);
  });

  test('an airing without a tuner is replaced by the next, which is withdrawn when a tuner is free', () => {
    const { home, ids } = series(
      [
        ['T27', '灯台 #3「波」', 300],
        ['T27', '灯台 #3「波」', 900],
        ['T27', '灯台 #3「波」', 1500],
      ],
      [GR_TUNER],
    );
    const blocker = home.reserve(home.program(home.station('T30'), '港', { at: 300 }));
    home.run();
    expect(home.of(ids[0] ?? (0 as never))?.state).toBe('conflict');
    expect(home.of(ids[1] ?? (0 as never))?.state).toBe('scheduled');
    expect(booked(home, ids)).toEqual([0, 1]);
    settled(home);
    home.reservations = home.reservations.filter(({ id }) => id !== blocker.id);
    home.run();
    expect(booked(home, ids)).toEqual([0]);
    settled(home);
  });

  test('a later airing within the grace stays', () => {
    const { home, ids } = series([
      ['T27', '灯台 #3「波」', 20],
      ['BS01_0', '灯台 #3「波」', 55],
    ]);
    const [first, second] = ids;
    if (first === undefined || second === undefined) throw new Error('no programmes');
    home.reserve(second, { ruleId: ruleId(1), priority: 1 });
    home.run();
    expect(booked(home, ids)).toEqual([0, 1]);
    settled(home);
  });

  test('of which one is reserved by hand is not booked again by a rule, whatever its priority', () => {
    for (const priority of [0, 2, 3, 100]) {
      const home = new Home();
      const station = home.station('T27');
      const first = home.program(station, '灯台 #1「波」', { at: 60, minutes: 30 });
      const again = home.program(station, '灯台 #1「波」', { at: 100, minutes: 30 });
      home.reserve(first);
      home.rule('灯台', { priority, dedupe: true });
      home.run();
      expect(home.of(first)).toMatchObject({ state: 'scheduled', ruleId: null, priority: 2 });
      expect([priority, home.of(again)]).toEqual([priority, undefined]);
      settled(home);
    }
  });

  test('is booked by a rule if the airing reserved by hand gets no tuner', () => {
    const home = new Home([GR_TUNER]);
    const station = home.station('T27');
    const first = home.program(station, '灯台 #1「波」', { at: 60, minutes: 30 });
    const again = home.program(station, '灯台 #1「波」', { at: 100, minutes: 30 });
    home.program(home.station('T26'), '別の番組', { at: 60, minutes: 30 });
    home.rule('別の番組', { priority: 4 });
    home.reserve(first);
    home.rule('灯台', { priority: 3, dedupe: true });
    home.run();
    expect(home.of(first)?.state).toBe('conflict');
    expect(home.of(again)).toMatchObject({ state: 'scheduled', priority: 3 });
    settled(home);
  });

  test('that was recorded within 30 days is not booked again; a running recording continues', () => {
    const { home, ids } = series([
      ['T27', '灯台 #3「波」', 300],
      ['T27', '灯台 #4「風」', 600],
      ['BS01_0', '灯台 #4「風」', -5],
    ]);
    const recorded = (name: string, days: number, programId: RecordedId = null) => ({
      name,
      description: '',
      extended: null,
      programId,
      startAt: broadcastMs(NOON - days * DAY),
    });
    type RecordedId = (typeof home.recorded)[number]['programId'];
    home.recorded = [recorded('灯台 第3話「波」[再]', 29), recorded('灯台 #4「風」', 31)];
    const { passedOver } = home.run();
    expect(booked(home, ids)).toEqual([1]);
    expect(passedOver.get(ids[0] ?? (0 as never))).toEqual({ code: 'recorded_before' });
    const [, , running] = ids;
    if (running === undefined) throw new Error('no programmes');
    home.reserve(running, { ruleId: ruleId(1), state: 'recording', priority: 1 });
    home.recorded = [recorded('灯台 #4「風」', 0, running)];
    home.run();
    expect(home.states().filter(([name]) => name.includes('#4'))).toEqual([['灯台 #4「風」', 'recording']]);
    settled(home);
  });

  test('an airing that must not be recorded is replaced by the next', () => {
    const { home, ids } = series([
      ['T27', '灯台 #3「波」', 300],
      ['BS01_0', '灯台 #3「波」', 600],
    ]);
    home.change(ids[0] ?? (0 as never), { copyNever: true });
    home.run();
    expect(home.states().map(([, state]) => state)).toEqual(['skipped', 'scheduled']);
    settled(home);
  });

  test('a complete airing is preferred to one that has begun', () => {
    const { home, ids } = series([
      ['T27', '灯台 #3「波」', -10],
      ['BS01_0', '灯台 #3「波」', 600],
    ]);
    home.run();
    expect(booked(home, ids)).toEqual([1]);
    settled(home);
  });
});
