import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { broadcastMs, latest } from '../../../lib/arib/time.ts';
import {
  ANY_TUNER,
  CHANNELS,
  GR_TUNER,
  Home,
  MINUTE,
  NAMES,
  NOON,
  SATELLITE_TUNER,
} from '../../../test/schedule/plan-home.ts';
import { settled } from '../../../test/schedule/settled.ts';
import type { Claim } from './claims.ts';
import { type Decisions, planDecisions } from './reservation-plan.ts';
import { placeAll, type Slot } from './tuner-allocation.ts';

const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000);

describe('for any guide, rules and tuners', () => {
  const HOMES = {
    one: [GR_TUNER],
    usual: [GR_TUNER, GR_TUNER, SATELLITE_TUNER],
    universal: [ANY_TUNER, ANY_TUNER],
    mixed: [GR_TUNER, SATELLITE_TUNER, ANY_TUNER],
  };
  const TITLES = [...NAMES, '灯台 #1「波」[字]'];
  const slot = fc.record({
    station: fc.nat(CHANNELS.length - 1),
    name: fc.constantFrom(...TITLES),
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

  function shown({ reservations }: Home, { create, update, remove, passedOver }: Decisions) {
    const kept = reservations.filter(({ id }) => !remove.includes(id));
    const planned = [...create, ...update.map(({ to }) => to)];
    const decided = [...kept, ...planned].map(
      ({ programId, state, reason }) => [programId, { state, reason }] as const,
    );
    return { decided: new Map(decided), remove, passedOver };
  }

  test('a preview decides as a plan', () => {
    fc.assert(
      fc.property(given, (start) => {
        const home = build(start);
        for (let plans = 0; plans < 2; plans++) {
          const decisions = planDecisions(home.input());
          expect(shown(home, decisions)).toEqual(shown(home, home.look()));
          home.run();
        }
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  const slots = (home: Home): (Slot & { priority: number; booked: number; state: string })[] =>
    home.reservations.flatMap((one) => {
      const station = home.stations.get(one.stationId);
      if (station === undefined || one.endAt <= home.now) return [];
      const { type, channel } = station;
      const before = one.marginBefore ?? home.settings.marginBefore;
      const after = one.marginAfter ?? home.settings.marginAfter;
      const from = latest(one.startAt, home.now);
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

  test('planning again changes nothing, also after time and guide advanced', () => {
    fc.assert(
      fc.property(given, fc.array(fc.nat(24), { maxLength: 4 }), (start, gone) => {
        const home = build(start);
        home.run();
        settled(home);
        for (const [step, index] of gone.entries()) {
          const reservation = home.reservations[index % Math.max(1, home.reservations.length)];
          home.now = broadcastMs(NOON + step * 40 * MINUTE);
          if (reservation !== undefined && step % 2 === 0) home.guide.remove(reservation.programId);
          home.run();
          settled(home);
        }
      }),
      { seed: SEED, numRuns: 800 },
    );
  });

  test('no more is planned than the tuners can receive, and no conflict while a tuner is free', () => {
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
          // Only stronger claims prevent it: no lower priority displaces it.
          expect(placeAll(home.tuners ?? [], [...stronger, lost])).toBeUndefined();
          const reservation = home.of(lost.id as Claim['programId']);
          const able = (home.tuners ?? []).some(({ types }) => types.includes(lost.type));
          expect((reservation?.blockers.length ?? 0) > 0).toBe(able);
        }
      }),
      { seed: SEED, numRuns: 800 },
    );
  });

  test('records the same as the best selection by priority', () => {
    const small = fc.tuple(homes, fc.array(slot, { maxLength: 9 }), fc.array(rule, { maxLength: 2 }));
    fc.assert(
      fc.property(small, (start) => {
        const home = build([start[0], start[1], start[2].map((one) => ({ ...one, dedupe: false }))]);
        home.run();
        const all = slots(home)
          .filter(({ state }) => state !== 'skipped')
          .sort((a, b) => b.priority - a.priority || a.booked - b.booked);
        // Of all sets that fit, the one with the strongest claim at the first difference.
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
