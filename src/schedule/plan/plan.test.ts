import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { eventId, networkId, serviceId } from '../../../arib/ids.ts';
import { epochMs } from '../../../arib/time.ts';
import {
  ANY_TUNER,
  DAY,
  type GivenProgram,
  GR_TUNER,
  HOUR,
  Home,
  MINUTE,
  NOON,
  SATELLITE_TUNER,
} from '../../../test/schedule/home.ts';
import type { Claim } from './claims.ts';
import { placeAll, type Slot } from './tuners.ts';

const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000);

function settled(home: Home): void {
  const { create, update, remove } = home.look();
  expect({ create, update, remove }).toEqual({ create: [], update: [], remove: [] });
}

describe('allocation', () => {
  test('a rule books what it matches, with its priority and a tuner', () => {
    const home = new Home();
    const station = home.station('T27');
    home.program(station, '灯台の朝', { at: 60 });
    home.program(station, '港の朝', { at: 90 });
    home.rule('灯台', { priority: 4, marginBefore: 5000 });
    home.run();
    expect(home.reservations).toHaveLength(1);
    expect(home.reservations[0]).toMatchObject({
      state: 'scheduled',
      priority: 4,
      ruleId: 1,
      marginBefore: 5000,
      tuner: { type: 'GR', rank: 0 },
    });
    settled(home);
  });

  test('the larger priority wins, and a conflict names its blockers and what could be taken instead', () => {
    const home = new Home([GR_TUNER]);
    const [one, two, three] = [home.station('T27'), home.station('T28'), home.station('T29')];
    const low = home.program(one, '灯台 #3「波」', { at: 60 });
    home.program(two, '港の朝', { at: 75 });
    const later = home.program(one, '灯台 第3話「波」[再]', { at: 600 });
    home.program(three, '灯台 第4話「風」', { at: 700 });
    home.rule('灯台 3', { priority: 1, stationIds: [one], periodTo: NOON + 300 * MINUTE });
    home.rule('港', { priority: 3 });
    home.run();
    const lost = home.of(low);
    const won = home.reservations.find(({ name }) => name === '港の朝');
    expect(lost).toMatchObject({ state: 'conflict', tuner: null, alternatives: [later] });
    expect(lost?.blockers).toEqual([won?.id ?? 0]);
    expect(lost?.reason).toBe('「港の朝」と重なり、チューナーが足りないため録画できません。');
    settled(home);
  });

  test('a simulcast is an alternative where another type has a tuner', () => {
    const home = new Home();
    const [one, two, satellite] = [home.station('T27'), home.station('T28'), home.station('BS01_0')];
    home.reserve(home.program(one, '港の朝', { at: 60 }));
    const lost = home.reserve(home.program(two, '歌の祭典', { at: 60 }));
    const simulcast = home.program(satellite, '歌の祭典[字]', { at: 60 });
    home.run();
    expect(home.of(lost.programId)).toMatchObject({ state: 'conflict', alternatives: [simulcast] });
  });

  test('of equal priority what was booked first keeps its tuner', () => {
    const home = new Home([GR_TUNER]);
    const [one, two] = [home.station('T27'), home.station('T28')];
    home.reserve(home.program(one, '先', { at: 60 }));
    home.reserve(home.program(two, '後', { at: 50 }));
    home.run();
    expect(home.states()).toEqual([
      ['後', 'conflict'],
      ['先', 'scheduled'],
    ]);
  });

  test('stations of one physical channel share a tuner; programmes that meet do not conflict', () => {
    const home = new Home([GR_TUNER]);
    const [one, two, three] = [home.station('T27'), home.station('T27', 1025), home.station('T28')];
    home.reserve(home.program(one, '一', { at: 60 }));
    home.reserve(home.program(two, '二', { at: 60, minutes: 60 }));
    home.reserve(home.program(three, '三', { at: 120 }));
    const { openings } = home.run();
    expect(home.states().map(([, state]) => state)).toEqual(['scheduled', 'scheduled', 'scheduled']);
    const third = openings.find(({ programId }) => programId === home.reservations[2]?.programId);
    expect(third?.openAt).toBe(NOON + 120 * MINUTE);
    expect(third?.after.map(Number)).toEqual([Number(home.reservations[1]?.programId)]);
    settled(home);
  });

  test('what is being recorded keeps its tuner before everything else', () => {
    const home = new Home([GR_TUNER]);
    const [one, two] = [home.station('T27'), home.station('T28')];
    const running = home.reserve(home.program(one, '録画中', { at: -10 }), {
      state: 'recording',
      priority: 0,
    });
    home.tuners = [{ ...GR_TUNER, recording: [running.id] }];
    home.reserve(home.program(two, '優先', { at: 5 }), { priority: 9 });
    home.run();
    expect(home.states()).toEqual([
      ['録画中', 'recording'],
      ['優先', 'conflict'],
    ]);
    // It runs over: later, never earlier.
    home.change(running.programId, { endAt: epochMs(NOON + 40 * MINUTE) });
    home.run();
    expect(home.of(running.programId)?.endAt).toBe(NOON + 40 * MINUTE);
    home.change(running.programId, { endAt: epochMs(NOON + 15 * MINUTE) });
    home.run();
    expect(home.of(running.programId)?.endAt).toBe(NOON + 40 * MINUTE);
  });

  test('without a tuner of its type, and without word of the tuners', () => {
    const home = new Home([GR_TUNER]);
    const one = home.reserve(home.program(home.station('BS01_0'), '衛星', { at: 60 }));
    home.run();
    expect(home.of(one.programId)).toMatchObject({ state: 'conflict', blockers: [] });
    expect(home.of(one.programId)?.reason).toContain('BSを受信できるチューナーがない');
    home.tuners = null;
    home.run();
    expect(home.states()).toEqual([['衛星', 'scheduled']]);
    expect(home.look().openings).toEqual([]);
  });
});

describe('what must not be recorded', () => {
  test('copy-never is skipped, is booked again when it no longer is, and stays skipped at its end', () => {
    const home = new Home([GR_TUNER]);
    const [one, two] = [home.station('T27'), home.station('T28')];
    const never = home.program(one, '灯台', { at: 60, copyNever: true });
    home.reserve(home.program(two, '港', { at: 60 }));
    home.rule('灯台', { priority: 9 });
    home.run();
    expect(home.of(never)).toMatchObject({ state: 'skipped', tuner: null });
    expect(home.of(never)?.reason).toContain('コピー禁止');
    expect(home.states()).toContainEqual(['港', 'scheduled']);
    home.change(never, { copyNever: false });
    home.run();
    expect(home.of(never)?.state).toBe('scheduled');
    home.change(never, { copyNever: true });
    home.run();
    home.now = NOON + 3 * HOUR;
    home.run();
    expect(home.of(never)?.state).toBe('skipped');
    settled(home);
  });

  test('what nobody recorded is missed, and why', () => {
    const home = new Home([GR_TUNER]);
    const [one, two] = [home.station('T27'), home.station('T28')];
    const first = home.reserve(home.program(one, '一', { at: 60 }));
    const second = home.reserve(home.program(two, '二', { at: 60 }));
    home.run();
    home.now = NOON + 90 * MINUTE;
    home.run();
    expect(home.of(first.programId)).toMatchObject({ state: 'missed' });
    expect(home.of(first.programId)?.reason).toContain('始められませんでした');
    expect(home.of(second.programId)?.reason).toContain('チューナーが足りなかった');
    settled(home);
  });

  test('an end that nobody knows is not over', () => {
    const home = new Home();
    const open = home.reserve(home.program(home.station('T27'), '中継', { at: -30, openEnd: true }));
    home.now = NOON + MINUTE;
    home.run();
    expect(home.of(open.programId)?.state).toBe('scheduled');
    home.now = NOON + 4 * HOUR;
    home.run();
    expect(home.of(open.programId)?.state).toBe('missed');
  });
});

describe('reservations that no rule wants any more', () => {
  function booked(given: Partial<GivenProgram> = {}) {
    const home = new Home();
    const station = home.station('T27');
    const program = home.program(station, '灯台', { at: 120, ...given });
    const rule = home.rule('灯台');
    home.run();
    return { home, program, rule };
  }

  test('are deleted, unless they begin within the grace', () => {
    for (const [at, left] of [
      [120, 0],
      [61, 0],
      [60, 1],
      [20, 1],
    ] as const) {
      const { home, program } = booked({ at });
      home.change(program, { name: '別の番組' });
      home.run();
      expect([at, home.reservations.length]).toEqual([at, left]);
      settled(home);
    }
  });

  test('the grace does not hold for a rule that is gone or disabled', () => {
    for (const end of [
      (home: Home) => (home.rules = []),
      (home: Home) => (home.rules = home.rules.map((one) => ({ ...one, enabled: false }))),
    ]) {
      const { home } = booked({ at: 20 });
      end(home);
      home.run();
      expect(home.reservations).toEqual([]);
    }
  });

  test('stay by hand, while recording, vanished, or without a title', () => {
    const cases: ((home: Home, program: ReturnType<Home['program']>) => void)[] = [
      (home) => (home.reservations = home.reservations.map((one) => ({ ...one, ruleId: null }))),
      (home, program) => home.begin(program),
      (home, program) => home.guide.remove(program),
      (home, program) => home.change(program, { name: '' }),
    ];
    for (const happen of cases) {
      const { home, program } = booked();
      happen(home, program);
      home.rules = home.rules.map((one) => ({ ...one, enabled: false }));
      home.run();
      expect(home.reservations).toHaveLength(1);
      expect(home.reservations[0]?.name).toBe('灯台');
      settled(home);
    }
  });

  test('one whose programme came back under another number follows it', () => {
    const { home, program } = booked();
    const station = home.reservations[0]?.stationId;
    if (station === undefined) throw new Error('nothing booked');
    home.guide.remove(program);
    const moved = home.program(station, '灯台[字]', { at: 125 });
    home.run();
    expect(home.reservations).toHaveLength(1);
    expect(home.of(moved)).toMatchObject({ id: 1, startAt: NOON + 125 * MINUTE });
    settled(home);
  });
});

test('a rule passes its priority on, also to what begins soon, and books nothing that is over', () => {
  const home = new Home();
  const station = home.station('T27');
  const soon = home.program(station, '灯台', { at: 30 });
  home.program(station, '灯台', { at: -600, openEnd: true });
  const rule = home.rule('灯台', { priority: 3 });
  home.run();
  expect(home.states()).toEqual([['灯台', 'scheduled']]);
  home.rules = [{ ...rule, priority: 1 }];
  home.run();
  expect(home.of(soon)?.priority).toBe(1);
  settled(home);
});

describe('what a person cancelled', () => {
  test('no rule books again, under any number, within ten minutes', () => {
    const home = new Home();
    const station = home.station('T27');
    home.rule('灯台');
    const cancelled = home.program(station, '灯台[字]', { at: 120 });
    home.run();
    home.reservations = home.reservations.map((one) => ({ ...one, state: 'cancelled' }));
    home.cancellations = [
      {
        id: 1,
        ruleId: 1,
        type: 'GR',
        channel: 'T27',
        title: '灯台',
        startAt: NOON + 120 * MINUTE,
        cancelledAt: NOON,
      },
    ];
    home.guide.remove(cancelled);
    const near = home.program(station, '灯台', { at: 130 });
    const far = home.program(station, '灯台', { at: 131 });
    const { passedOver } = home.run();
    expect(home.of(near)).toBeUndefined();
    expect(passedOver.get(near)).toContain('取り消した');
    expect(home.of(far)?.state).toBe('scheduled');
    expect(home.of(cancelled)?.state).toBe('cancelled');
    settled(home);
  });
});

describe('branches of a station', () => {
  test('that show the same are one', () => {
    const home = new Home();
    const second = home.station('T27', 1025);
    const first = home.station('T27', 1024);
    const other = home.station('T27', 1026, 2);
    const ids = [second, first, other].map((station) => home.program(station, '灯台', { at: 60 }));
    const different = home.program(second, '灯台', { at: 100 });
    home.rule('灯台');
    home.run();
    expect(home.reservations.map(({ programId }) => programId).sort()).toEqual(
      [ids[1], ids[2], different].filter((id) => id !== undefined).sort(),
    );
    settled(home);
  });
});

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
    expect(passedOver.get(ids[0] ?? (0 as never))).toContain('別の放送');
    settled(home);
  });

  test('of airings that overlap one with captions, then one of a satellite', () => {
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

  test('an airing without a tuner gives way to the next, and is withdrawn when it finds one', () => {
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
    home.reserve(second, { ruleId: 1, priority: 1 });
    home.run();
    expect(booked(home, ids)).toEqual([0, 1]);
    settled(home);
  });

  test('that was recorded within 30 days is not booked again; what is being recorded goes on', () => {
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
      startAt: NOON - days * DAY,
    });
    type RecordedId = (typeof home.recorded)[number]['programId'];
    home.recorded = [recorded('灯台 第3話「波」[再]', 29), recorded('灯台 #4「風」', 31)];
    const { passedOver } = home.run();
    expect(booked(home, ids)).toEqual([1]);
    expect(passedOver.get(ids[0] ?? (0 as never))).toBe('同じ回を録画済みです。');
    const [, , running] = ids;
    if (running === undefined) throw new Error('no programmes');
    home.reserve(running, { ruleId: 1, state: 'recording', priority: 1 });
    home.recorded = [recorded('灯台 #4「風」', 0, running)];
    home.run();
    expect(home.states().filter(([name]) => name.includes('#4'))).toEqual([['灯台 #4「風」', 'recording']]);
    settled(home);
  });

  test('one that must not be recorded gives way to the next', () => {
    const { home, ids } = series([
      ['T27', '灯台 #3「波」', 300],
      ['BS01_0', '灯台 #3「波」', 600],
    ]);
    home.change(ids[0] ?? (0 as never), { copyNever: true });
    home.run();
    expect(home.states().map(([, state]) => state)).toEqual(['skipped', 'scheduled']);
    settled(home);
  });

  test('one that has begun comes after a whole one', () => {
    const { home, ids } = series([
      ['T27', '灯台 #3「波」', -10],
      ['BS01_0', '灯台 #3「波」', 600],
    ]);
    home.run();
    expect(booked(home, ids)).toEqual([1]);
    settled(home);
  });
});

test('a programme that goes on at another station is recorded there too', () => {
  const home = new Home();
  const [one, two] = [home.station('T27', 1024), home.station('T27', 1025)];
  const rest = home.program(two, '中継のつづき', { at: 90, event: 77 });
  const place = home.stations.get(two);
  home.program(one, '野球中継', {
    at: 60,
    groups: [
      {
        type: 'relay',
        events: [
          {
            networkId: networkId(place?.networkId ?? 0),
            serviceId: serviceId(place?.serviceId ?? 0),
            eventId: eventId(77),
          },
        ],
      },
    ],
  });
  home.rule('野球', { priority: 5 });
  home.run();
  expect(home.of(rest)).toMatchObject({ state: 'scheduled', priority: 5, ruleId: 1 });
  settled(home);
});

describe('whatever the guide, the rules and the tuners', () => {
  const HOMES = {
    one: [GR_TUNER],
    usual: [GR_TUNER, GR_TUNER, SATELLITE_TUNER],
    universal: [ANY_TUNER, ANY_TUNER],
    mixed: [GR_TUNER, SATELLITE_TUNER, ANY_TUNER],
  };
  const CHANNELS = ['T27', 'T27', 'T28', 'T29', 'BS01_0', 'BS03_1', 'CS02'];
  const NAMES = [
    '灯台 #1「波」',
    '灯台 #2',
    '灯台 第2話「風」',
    '港',
    '港[字]',
    '海 前編',
    '灯台 #1「波」[字]',
  ];
  const slot = fc.record({
    station: fc.nat(CHANNELS.length - 1),
    name: fc.constantFrom(...NAMES),
    at: fc.integer({ min: -3, max: 40 }).map((value) => value * 15),
    minutes: fc.constantFrom(15, 30, 45, 60, 120),
    copyNever: fc.integer({ min: 0, max: 9 }).map((value) => value === 0),
    manual: fc.integer({ min: 0, max: 4 }).map((value) => value === 0),
  });
  const rule = fc.record({
    keyword: fc.constantFrom('灯台', '港', '海', '港|海'),
    priority: fc.integer({ min: 0, max: 3 }),
    dedupe: fc.boolean(),
    marginBefore: fc.constantFrom(null, 0, 60_000),
  });
  const homes = fc.constantFrom(...(Object.keys(HOMES) as (keyof typeof HOMES)[]));

  type Given = readonly [
    keyof typeof HOMES,
    readonly (typeof slot extends fc.Arbitrary<infer T> ? T : never)[],
    readonly (typeof rule extends fc.Arbitrary<infer T> ? T : never)[],
  ];
  function build([kind, slots, rules]: Given): Home {
    const home = new Home(HOMES[kind]);
    const stations = CHANNELS.map((channel) => home.station(channel));
    for (const { station, name, at, minutes, copyNever, manual } of slots) {
      const id = home.program(stations[station] ?? home.station('T40'), name, { at, minutes, copyNever });
      if (manual && !copyNever) home.reserve(id);
    }
    for (const { keyword, ...body } of rules) home.rule(keyword, body);
    return home;
  }
  const given = fc.tuple(homes, fc.array(slot, { maxLength: 25 }), fc.array(rule, { maxLength: 4 }));

  const slots = (home: Home): (Slot & { priority: number; booked: number; state: string })[] =>
    home.reservations.flatMap((one) => {
      const station = home.stations.get(one.stationId);
      if (station === undefined || one.endAt <= home.now) return [];
      const { type, channel } = station;
      const before = one.marginBefore ?? home.settings.marginBefore;
      const after = one.marginAfter ?? home.settings.marginAfter;
      const from = Math.max(one.startAt, home.now);
      return [
        {
          id: one.programId,
          type,
          channel,
          from,
          to: one.endAt,
          before,
          after,
          held: null,
          priority: one.priority,
          booked: one.id,
          state: one.state,
        },
      ];
    });

  test('run again it changes nothing, also after time and guide went on', () => {
    fc.assert(
      fc.property(given, fc.array(fc.nat(24), { maxLength: 4 }), (start, gone) => {
        const home = build(start);
        home.run();
        settled(home);
        for (const [step, index] of gone.entries()) {
          const reservation = home.reservations[index % Math.max(1, home.reservations.length)];
          home.now = NOON + step * 40 * MINUTE;
          if (reservation !== undefined && step % 2 === 0) home.guide.remove(reservation.programId);
          home.run();
          settled(home);
        }
      }),
      { seed: SEED, numRuns: 800 },
    );
  });

  test('never more than the tuners take, and no conflict that a tuner could have', () => {
    fc.assert(
      fc.property(given, (start) => {
        const home = build(start);
        home.run();
        const all = slots(home);
        const scheduled = all.filter(({ state }) => state === 'scheduled');
        expect(placeAll(home.tuners ?? [], scheduled)).toBeDefined();
        const order = (one: (typeof all)[number], other: (typeof all)[number]) =>
          other.priority - one.priority || one.booked - other.booked;
        for (const lost of all.filter(({ state }) => state === 'conflict')) {
          const stronger = scheduled.filter((other) => order(other, lost) < 0);
          // Only what claims more holds it back: no lower priority displaces it.
          expect(placeAll(home.tuners ?? [], [...stronger, lost])).toBeUndefined();
          const reservation = home.of(lost.id as Claim['programId']);
          const able = (home.tuners ?? []).some(({ types }) => types.includes(lost.type));
          expect((reservation?.blockers.length ?? 0) > 0).toBe(able);
        }
      }),
      { seed: SEED, numRuns: 800 },
    );
  });

  test('records what the best choice by priority records', () => {
    const small = fc.tuple(homes, fc.array(slot, { maxLength: 9 }), fc.array(rule, { maxLength: 2 }));
    fc.assert(
      fc.property(small, (start) => {
        const home = build([start[0], start[1], start[2].map((one) => ({ ...one, dedupe: false }))]);
        home.run();
        const all = slots(home)
          .filter(({ state }) => state !== 'skipped')
          .sort((a, b) => b.priority - a.priority || a.booked - b.booked);
        // Of all sets that fit, the one that has the strongest claim where they differ first.
        let best = 0;
        for (let set = 0; set < 2 ** all.length; set++) {
          const chosen = all.filter((_, index) => (set >> (all.length - 1 - index)) & 1);
          if (set > best && placeAll(home.tuners ?? [], chosen) !== undefined) best = set;
        }
        const wanted = all.filter((_, index) => (best >> (all.length - 1 - index)) & 1);
        const names = (list: typeof all) => list.map(({ id }) => id);
        expect(names(all.filter(({ state }) => state === 'scheduled'))).toEqual(names(wanted));
      }),
      { seed: SEED, numRuns: 400 },
    );
  });
});
