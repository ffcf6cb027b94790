import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { ProgramId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { reservationId, ruleId } from '../../lib/wire/ids.ts';
import { GR_TUNER, HOUR, Home, MINUTE, NOON } from '../../test/schedule/plan-home.ts';
import type { KnownStation } from '../model/station.ts';
import { IncrementalPlanner } from './incremental-planner.ts';
import { GuideIndex } from './match/guide-index.ts';
import { readRule } from './rule-body.ts';

const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000);

function known(home: Home, hidden: readonly number[] = []): KnownStation[] {
  return [...home.stations.values()].map((station) => ({
    ...station,
    hidden: hidden.includes(station.id),
    forgotten: false,
  }));
}

function circumstances({ now, reservations, recorded, cancellations, tuners, settings, airings }: Home) {
  return { now, reservations, recorded, cancellations, tuners, settings, airings };
}

test('the cost of a change depends on its size, and the plan equals a full computation', () => {
  const name = fc.constantFrom('灯台', '灯台 #2', '港', '海の灯台', '情報');
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('put' as const),
      event: fc.nat(9),
      station: fc.nat(1),
      name,
      at: fc.nat(30),
    }),
    fc.record({ kind: fc.constant('remove' as const), event: fc.nat(9), station: fc.nat(1) }),
    fc.record({ kind: fc.constant('rule' as const), keyword: name, regex: fc.boolean() }),
    fc.record({ kind: fc.constant('drop' as const), rule: fc.nat(5) }),
    fc.record({ kind: fc.constant('toggle' as const), rule: fc.nat(5) }),
    fc.record({ kind: fc.constant('hide' as const), station: fc.nat(2) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const home = new Home([GR_TUNER]);
      const stations = [home.station('T27'), home.station('T28')];
      const planning = new IncrementalPlanner(home.guide);
      let hidden: number[] = [];
      planning.setStations(known(home));
      for (const given of steps) {
        const station = 'station' in given ? stations[given.station] : undefined;
        if (given.kind === 'put' && station !== undefined) {
          home.program(station, given.name, { at: given.at * 10, event: given.event });
        } else if (given.kind === 'remove' && station !== undefined) {
          home.guide.remove((station * 100_000 + given.event) as ProgramId);
        } else if (given.kind === 'rule') home.rule(given.keyword, { regex: given.regex });
        else if (given.kind === 'drop') home.rules = home.rules.filter(({ id }) => id !== given.rule);
        else if (given.kind === 'toggle')
          home.rules = home.rules.map((rule) =>
            rule.id === given.rule ? { ...rule, enabled: !rule.enabled } : rule,
          );
        else hidden = station === undefined ? [] : [station];
        // The test home numbers its rules itself: no two may have the same number.
        home.rules = home.rules.filter(
          (rule, index) => home.rules.findIndex(({ id }) => id === rule.id) === index,
        );
        planning.setRules(home.rules);
        if (given.kind === 'hide') planning.setStations(known(home, hidden));
        const step = planning.plan(circumstances(home));
        const guide = new GuideIndex();
        for (const one of stations.flatMap((id) => home.guide.ofStation(id))) guide.put(one);
        const anew = new IncrementalPlanner(guide);
        anew.setStations(known(home, hidden));
        anew.setRules(home.rules);
        expect(step).toEqual(anew.plan(circumstances(home)));
      }
    }),
    { seed: SEED, numRuns: 300 },
  );
});

test('an unusable rule reports the reason, and counts as disabled', () => {
  const home = new Home([GR_TUNER]);
  const station = home.station('T27');
  const program = home.program(station, '灯台', { at: 30 });
  home.rule('灯台');
  const planning = new IncrementalPlanner(home.guide);
  planning.setStations(known(home));
  planning.setRules(home.rules);
  expect(planning.plan(circumstances(home)).create).toHaveLength(1);
  home.reserve(program, { ruleId: ruleId(1) });
  const [rule] = home.rules;
  if (rule === undefined) throw new Error('no rule');
  planning.setRules([{ ...rule, conditions: { ...rule.conditions, regex: true, keyword: '(?=灯台)' } }]);
  const plan = planning.plan(circumstances(home));
  expect(planning.faults().get(ruleId(1))).toEqual({ code: 'bad_expression' });
  expect(plan.remove).toEqual([reservationId(1)]);
  planning.setRules(home.rules);
  expect(planning.plan(circumstances(home)).remove).toEqual([]);
  expect(planning.faults().size).toBe(0);
});

test('bookings of a hidden station stay', () => {
  const home = new Home([GR_TUNER]);
  const station = home.station('T27');
  home.reserve(home.program(station, '灯台', { at: 30 }));
  const planning = new IncrementalPlanner(home.guide);
  planning.setStations(known(home, [station]));
  planning.setRules([]);
  expect(planning.plan(circumstances(home)).update[0]?.to).toMatchObject({
    state: 'scheduled',
    tuner: { rank: 0 },
  });
  home.now = broadcastMs(NOON + 2 * HOUR);
  expect(planning.plan(circumstances(home)).update[0]?.to).toMatchObject({ state: 'missed' });
});

test('what a rule booked on a station that is hidden for a while stays, and nothing more is booked there', () => {
  const home = new Home([GR_TUNER]);
  const station = home.station('T27');
  const booked = home.program(station, '灯台', { at: 150 });
  home.program(station, '灯台', { at: 200 });
  home.rule('灯台');
  const planning = new IncrementalPlanner(home.guide);
  planning.setRules(home.rules);
  planning.setStations(known(home));
  home.reserve(booked, { ruleId: ruleId(1), matchedAt: broadcastMs(NOON + 150 * MINUTE) });
  planning.setStations(known(home, [station]));
  const { create, remove } = planning.plan(circumstances(home));
  expect({ create, remove }).toEqual({ create: [], remove: [] });
});

test('a preview reports the result for each programme, and changes nothing', () => {
  const home = new Home([GR_TUNER]);
  const [one, two] = [home.station('T27'), home.station('T28')];
  const planning = new IncrementalPlanner(home.guide);
  planning.setStations(known(home));
  const ids = [
    home.program(one, '灯台 #1「波」', { at: 60 }),
    home.program(two, '灯台 #1「波」', { at: 200 }),
    home.program(one, '灯台 #2「風」', { at: 300 }),
    home.program(one, '灯台 #3「霧」', { at: 400, copyNever: true }),
    home.program(one, '灯台 #4「雪」', { at: 500 }),
    home.program(one, '灯台 #5「月」', { at: -100 }),
    home.program(one, '港', { at: 600 }),
  ];
  home.reserve(home.program(two, '歌', { at: 300 }), { priority: 9 });
  const [, , , , booked] = ids;
  if (booked === undefined) throw new Error('no programme');
  const { id } = home.reserve(booked, { tuner: { type: 'GR', rank: 0 } });
  const before = planning.plan(circumstances(home));
  const draft = readRule({ keyword: '灯台' }, () => {});
  const { programs, fault } = planning.preview(draft, circumstances(home), null);
  expect(fault).toBeNull();
  expect(programs.map(({ program, state, reservationId }) => [program.name, state, reservationId])).toEqual([
    ['灯台 #1「波」', 'scheduled', null],
    ['灯台 #1「波」', null, null],
    ['灯台 #2「風」', 'conflict', null],
    ['灯台 #3「霧」', 'skipped', null],
    ['灯台 #4「雪」', 'scheduled', id],
  ]);
  expect(programs[1]?.reason).toEqual({
    ...{ code: 'other_airing', startAt: programs[0]?.program.startAt ?? broadcastMs(0) },
  });
  expect(programs[2]?.reason).toMatchObject({ code: 'tuners_in_use', names: ['歌'] });
  expect(planning.plan(circumstances(home))).toEqual(before);
  // Replaces the rule that is being changed.
  home.rule('港');
  planning.setRules(home.rules);
  expect(planning.plan(circumstances(home)).create.map(({ name }) => name)).toContain('港');
  expect(planning.preview(draft, circumstances(home), ruleId(1)).programs).toHaveLength(5);
});

test('a rule with too many matches books the earliest ones, and reports the rest', () => {
  const home = new Home([GR_TUNER]);
  const stations = [home.station('T27'), home.station('T28'), home.station('T29')];
  const planning = new IncrementalPlanner(home.guide);
  planning.setStations(known(home));
  for (const station of stations) {
    for (let index = 0; index < 400; index++) home.program(station, '灯台', { at: 60 + index * 30 });
  }
  const narrow = home.rule('', { stationIds: stations.slice(0, 1), timeFrom: 13 * 60, timeTo: 13 * 60 + 1 });
  const wide = home.rule('', { stationIds: stations });
  planning.setRules(home.rules);
  const { create } = planning.plan(circumstances(home));
  expect([...planning.crowded()]).toEqual([[wide.id, 200]]);
  const booked = create.filter(({ ruleId }) => ruleId === wide.id);
  expect(Math.max(...booked.map(({ startAt }) => startAt))).toBeLessThan(NOON + 170 * HOUR);
  expect(create.filter(({ ruleId }) => ruleId === narrow.id)).toHaveLength(9);
  const { programs } = planning.preview(wide, circumstances(home), wide.id);
  expect(programs).toHaveLength(1200);
  expect(programs[0]?.reason).toBeNull();
  const far = programs.filter(({ reason }) => reason?.code === 'beyond_limit' && reason.limit === 1000);
  expect(far.length).toBeGreaterThanOrEqual(190);
  expect(far.every(({ state }) => state === null)).toBe(true);
  home.now = broadcastMs(NOON + 100 * HOUR);
  planning.plan(circumstances(home));
  expect([...planning.crowded()]).toEqual([]);
});
