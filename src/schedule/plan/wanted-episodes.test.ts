import { describe, expect, test } from 'bun:test';
import { eventId, networkId, programId, serviceId } from '../../../lib/arib/ids.ts';
import { broadcastMs } from '../../../lib/arib/time.ts';
import { reservationId, ruleId } from '../../../lib/wire/ids.ts';
import { type GivenProgram, GR_TUNER, Home, MINUTE, NOON } from '../../../test/schedule/plan-home.ts';
import { settled } from '../../../test/schedule/settled.ts';

describe('reservations that no rule matches any more', () => {
  function booked(given: Partial<GivenProgram> = {}) {
    const home = new Home();
    const station = home.station('T27');
    const program = home.program(station, '灯台', { at: 120, ...given });
    const rule = home.rule('灯台');
    home.run();
    return { home, program, rule };
  }

  test('are deleted, unless they begin within the grace period', () => {
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

  test('have no grace period when the rule was deleted or disabled', () => {
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

  test('stay if they are manual, recording, missing in the guide, or without a title', () => {
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

  test('move to the new event id of their programme', () => {
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

  test('are merged with a reservation that exists under the new event id', () => {
    for (const isManual of [false, true]) {
      const { home, program } = booked();
      const station = home.reservations[0]?.stationId;
      if (station === undefined) throw new Error('nothing booked');
      if (isManual)
        home.reservations = home.reservations.map((one) => ({ ...one, ruleId: null, marginAfter: 99 }));
      const moved = home.program(station, '灯台[字]', { at: 125 });
      home.run();
      expect(home.reservations).toHaveLength(2);
      home.guide.remove(program);
      home.run();
      // The older one stays, with its options.
      expect(home.reservations).toMatchObject([
        { id: 1, programId: moved, marginAfter: isManual ? 99 : null },
      ]);
      settled(home);
    }
  });

  test('leave a recording or cancelled one under that event id unchanged', () => {
    for (const state of ['recording', 'cancelled'] as const) {
      const { home, program } = booked();
      const station = home.reservations[0]?.stationId;
      if (station === undefined) throw new Error('nothing booked');
      const moved = home.program(station, '灯台', { at: 125 });
      home.run();
      home.reservations = home.reservations.map((one) => (one.programId === moved ? { ...one, state } : one));
      home.guide.remove(program);
      home.run();
      expect(home.of(moved)?.state).toBe(state);
      expect(home.of(program)?.id).toBe(reservationId(1));
      settled(home);
    }
  });
});

test('a rule applies its priority, also to programmes that begin soon, and books none that is over', () => {
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

describe('a programme that a user cancelled', () => {
  test('is not booked again by a rule under any event id within ten minutes', () => {
    const home = new Home();
    const station = home.station('T27');
    home.rule('灯台');
    const cancelled = home.program(station, '灯台[字]', { at: 120 });
    home.run();
    home.reservations = home.reservations.map((one) => ({ ...one, state: 'cancelled' }));
    home.cancellations = [
      {
        id: 1,
        ruleId: ruleId(1),
        type: 'GR',
        channel: 'T27',
        title: '灯台',
        startAt: broadcastMs(NOON + 120 * MINUTE),
        cancelledAt: NOON,
      },
    ];
    home.guide.remove(cancelled);
    const near = home.program(station, '灯台', { at: 130 });
    const far = home.program(station, '灯台', { at: 131 });
    const { passedOver } = home.run();
    expect(home.of(near)).toBeUndefined();
    expect(passedOver.get(near)).toEqual({ code: 'cancelled_before' });
    expect(home.of(far)?.state).toBe('scheduled');
    expect(home.of(cancelled)?.state).toBe('cancelled');
    settled(home);
  });
});

describe('branches of a station', () => {
  test('that show the same programme count as one', () => {
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

describe('satellite stations that share an event', () => {
  /** Each station has a key of its own there, and the programme of the first station lists itself. */
  function shown(
    names: readonly [string, string, string],
    at: readonly [number, number, number] = [60, 60, 60],
  ) {
    const home = new Home();
    const services = [151, 152, 153];
    const stations = services.map((service) => home.station('BS01_0', service, service));
    const events = [{ networkId: networkId(4), serviceId: serviceId(151), eventId: eventId(77) }];
    const ids = stations.map((station, index) =>
      home.program(station, names[index] ?? '', {
        at: at[index] ?? 0,
        event: 77 + index,
        groups: [{ type: 'shared', events }],
      }),
    );
    home.rule('灯台', { dedupe: false });
    home.run();
    settled(home);
    return home.reservations.map(({ programId }) => ids.indexOf(programId));
  }

  test('are recorded once', () => {
    expect(shown(['灯台', '灯台', '灯台'])).toEqual([0]);
  });

  test('but separately where one shows something else, or at another time', () => {
    expect(shown(['灯台', '灯台の裏', '灯台']).sort()).toEqual([0, 1]);
    expect(shown(['灯台', '灯台', '灯台'], [60, 60, 120]).sort()).toEqual([0, 2]);
  });

  test("are recorded once where the main station's event group names both and the branch names only the main one", () => {
    for (const [main, branch] of [
      [151, 152],
      [152, 151],
    ] as const) {
      const home = new Home();
      const event = (service: number) => ({
        networkId: networkId(4),
        serviceId: serviceId(service),
        eventId: eventId(77),
      });
      const put = (service: number, events: ReturnType<typeof event>[]) =>
        home.program(home.station('BS01_0', service, service), '灯台', {
          at: 60,
          event: 77,
          groups: [{ type: 'shared', events }],
        });
      put(main, [event(main), event(branch)]);
      put(branch, [event(main)]);
      home.rule('灯台', { dedupe: false });
      home.run();
      expect(home.reservations).toHaveLength(1);
    }
  });

  test('are recorded separately where nothing is shared', () => {
    const home = new Home();
    for (const service of [151, 152])
      home.program(home.station('BS01_0', service, service), '灯台', { at: 60 });
    home.rule('灯台', { dedupe: false });
    home.run();
    expect(home.reservations).toHaveLength(2);
  });
});

test('a programme continued on another station is recorded there too', () => {
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

test('a running airing counts as the first also for a rule that takes it over from another', () => {
  const home = new Home();
  const station = home.station('T27');
  const NAME = '灯台 #1「波」';
  // All of one episode: the manually reserved airing ends unrecorded, the next has begun, the last must not be
  // copied.
  const missed = home.program(station, NAME, { at: 0, minutes: 15 });
  const running = home.program(station, NAME, { at: 15, minutes: 120 });
  home.program(station, NAME, { at: 45, minutes: 15, copyNever: true });
  home.reserve(missed);
  home.rule('灯台', { priority: 0, dedupe: false });
  const first = home.rule('灯台', { priority: 1, dedupe: true });
  home.run();
  expect(home.of(running)?.ruleId).not.toBe(first.id);
  home.now = broadcastMs(NOON + 40 * MINUTE);
  home.run();
  expect(home.of(missed)?.state).toBe('missed');
  expect(home.of(running)).toMatchObject({ state: 'scheduled', ruleId: first.id });
  settled(home);
});

describe('why a programme is passed over', () => {
  function episodes(ats: readonly number[]) {
    const home = new Home([GR_TUNER]);
    const station = home.station('T27');
    const ids = ats.map((at) => home.program(station, '灯台 #1「波」', { at }));
    home.rule('灯台', { dedupe: true });
    const why = (index: number) => home.look().passedOver.get(ids[index] ?? programId(station, eventId(0)));
    return { home, ids, why };
  }

  test('names the airing that is recorded, where the first one finds no tuner', () => {
    const { home, why } = episodes([100, 200, 300]);
    home.reserve(home.program(home.station('T40'), '会見', { at: 100 }), { priority: 9 });
    home.run();
    expect(why(2)).toEqual({ code: 'other_airing', startAt: broadcastMs(NOON + 200 * MINUTE) });
  });

  test('names the airing that is being recorded: it is not recorded yet', () => {
    const { home, ids, why } = episodes([100, 200]);
    home.run();
    const [first] = ids;
    const program = first === undefined ? undefined : home.guide.get(first);
    if (first === undefined || program === undefined) throw new Error('no programme');
    home.begin(first);
    home.recorded = [{ ...program, programId: first }];
    home.now = broadcastMs(NOON + 105 * MINUTE);
    expect(why(1)).toEqual({ code: 'other_airing', startAt: broadcastMs(NOON + 100 * MINUTE) });
    home.reservations = home.reservations.map((one) => ({ ...one, state: 'finished' }));
    expect(why(1)).toEqual({ code: 'recorded_before' });
  });
});
