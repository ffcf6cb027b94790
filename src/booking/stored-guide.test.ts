import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  eventId,
  networkId,
  type ProgramId,
  programId,
  type StationId,
  serviceId,
} from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import { monotonicMs } from '../../lib/host/clock.ts';
import { reservationId, ruleId } from '../../lib/wire/ids.ts';
import { applied } from '../../test/schedule/applied.ts';
import { BookedHome } from '../../test/schedule/booked-home.ts';
import { GR_TUNER, Home, MINUTE, NOON } from '../../test/schedule/plan-home.ts';
import { putPrograms } from '../../test/service/guide-rows.ts';
import type { Airing } from '../model/airing.ts';
import type { KnownStation } from '../model/station.ts';
import { IncrementalPlanner, type PlanCircumstances } from '../schedule/incremental-planner.ts';
import type { GuideIndex } from '../schedule/match/guide-index.ts';
import { RuleMatcher } from '../schedule/match/rule-matcher.ts';
import type { Plan } from '../schedule/plan/plan-types.ts';
import { PlanningDatabase } from '../store/planning-database.ts';
import { StoredGuide } from './stored-guide.ts';

const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000);
const LONG_MS = 10 * MINUTE;

const stored = new BookedHome();
const STATIONS = ['T27', 'T28', 'T29'].map((channel) => stored.station(channel));
const database = new PlanningDatabase(stored.path);
afterAll(() => {
  database.close();
  stored.close();
});

/**
 * A home whose guide is both in memory and in the database, with a planner of the latter that is kept between plans.
 */
class TwiceStoredHome extends Home {
  time = 0;
  /** Stations that were read completely. */
  readonly read: StationId[] = [];
  /** Number of queries for texts of one programme. */
  queries = 0;
  readonly stored = new StoredGuide(
    () => ({
      guideVersion: database.guideVersion,
      changedSince: (version) => database.changedSince(version),
      programs: (station) => {
        this.read.push(station);
        return database.programs(station);
      },
      program: (id) => database.program(id),
      texts: (id) => {
        this.queries += 1;
        return database.texts(id);
      },
      extended: (id) => {
        this.queries += 1;
        return database.extended(id);
      },
      textsOf: (ids) => database.textsOf(ids),
      extendedOf: (ids) => database.extendedOf(ids),
    }),
    () => monotonicMs(this.time),
  );
  readonly planning = new IncrementalPlanner(this.stored);
  #booked = 1;

  constructor() {
    super([GR_TUNER]);
    for (const channel of ['T27', 'T28', 'T29']) this.station(channel);
    this.planning.setStations(this.known());
  }

  known(): KnownStation[] {
    return [...this.stations.values()].map((station) => ({ ...station, hidden: false, forgotten: false }));
  }

  circumstances(): PlanCircumstances {
    const { now, reservations, recorded, cancellations, tuners, settings, airings } = this;
    return { now, reservations, recorded, cancellations, tuners, settings, airings };
  }

  /** Plan of the guide in the database. */
  planned(): Plan {
    return database.reading(() => {
      this.stored.follow();
      this.planning.setRules(this.rules);
      return this.planning.plan(this.circumstances());
    });
  }

  /** Plan of the complete guide in memory, by a planner without state. */
  expected(): Plan {
    const planning = new IncrementalPlanner(this.guide);
    planning.setStations(this.known());
    planning.setRules(this.rules);
    return planning.plan(this.circumstances());
  }

  apply(plan: Plan): void {
    const none = { marginBefore: null, marginAfter: null, encode: null, keepTs: null, commercials: null };
    const first = reservationId(1_000 * this.#booked++);
    this.reservations = applied(this.reservations, plan, first, () => none, this.now);
  }

  put(
    event: number,
    name: string,
    at: number,
    over: { openEnd?: boolean; relayTo?: number } = {},
  ): ProgramId {
    const id = idOf(event);
    const { openEnd = false, relayTo } = over;
    const target = splitOf(relayTo);
    const groups = target === undefined ? [] : [{ type: 'relay' as const, events: [target] }];
    const station = stationOf(event);
    this.program(station, name, { at, event, openEnd, groups });
    const startAt = NOON + at * MINUTE;
    putPrograms(stored.database, [
      { station, event, startAt, endAt: startAt + 30 * MINUTE, name, openEnd, groups },
    ]);
    return id;
  }

  take(event: number): void {
    this.guide.remove(idOf(event));
    stored.database.query('DELETE FROM programs WHERE id = ?').run(idOf(event));
  }
}

function stationOf(event: number): StationId {
  const station = STATIONS[event % STATIONS.length];
  if (station === undefined) throw new Error('no station');
  return station;
}

function idOf(event: number): ProgramId {
  return programId(stationOf(event), eventId(event));
}

function splitOf(event: number | undefined) {
  if (event === undefined) return undefined;
  const station = stationOf(event);
  const [network, service] = [Math.floor(station / 100_000), station % 100_000];
  return { networkId: networkId(network), serviceId: serviceId(service), eventId: eventId(event) };
}

function airingOf(state: Airing['state'], now: BroadcastMs): Airing {
  const begun = state === 'next' ? null : broadcastMs(now - 5 * MINUTE);
  return { state, from: begun, until: state === 'over' ? now : null };
}

beforeEach(() => stored.database.run('DELETE FROM programs'));

test('a plan that reads what it needs from the database equals that of the whole guide', () => {
  const event = fc.integer({ min: 1, max: 12 });
  const name = fc.constantFrom('灯台 #1', '灯台 #1「波」', '灯台 #2', '港', '海の灯台');
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('put' as const),
        event,
        name,
        at: fc.nat(20).map((value) => value * 10 - 20),
        over: fc.record(
          { openEnd: fc.boolean(), relayTo: fc.integer({ min: 1, max: 12 }) },
          { requiredKeys: [] },
        ),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('take' as const), event }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('reserve' as const),
        event,
        state: fc.constantFrom('scheduled' as const, 'recording' as const, 'cancelled' as const),
        rule: fc.constantFrom(null, ruleId(1)),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('airing' as const),
        event,
        state: fc.constantFrom('next' as const, 'on' as const, 'over' as const),
      }),
    },
    fc.record({ kind: fc.constant('rule' as const), keyword: name }),
    fc.record({ kind: fc.constant('toggle' as const), enabled: fc.boolean() }),
    fc.record({
      kind: fc.constant('quiet' as const),
      ms: fc.constantFrom(0, LONG_MS),
      isPlanned: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('pass' as const), minutes: fc.nat(40) }),
    fc.record({ kind: fc.constant('apply' as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 30 }), (steps) => {
      stored.database.run('DELETE FROM programs');
      const home = new TwiceStoredHome();
      for (const given of steps) {
        if (given.kind === 'put') home.put(given.event, given.name, given.at, given.over);
        else if (given.kind === 'take') home.take(given.event);
        else if (given.kind === 'reserve') {
          const id = idOf(given.event);
          if (home.guide.get(id) !== undefined && home.of(id) === undefined)
            home.reserve(id, { state: given.state, ruleId: given.rule });
        } else if (given.kind === 'airing')
          home.airings.set(idOf(given.event), airingOf(given.state, home.now));
        else if (given.kind === 'rule') home.rule(given.keyword, { dedupe: true });
        else if (given.kind === 'toggle')
          home.rules = home.rules.map((rule) => ({ ...rule, enabled: given.enabled }));
        else if (given.kind === 'pass') home.now = broadcastMs(home.now + given.minutes * MINUTE);
        else if (given.kind === 'quiet') {
          home.time += given.ms;
          if (given.isPlanned) home.planned();
          home.stored.release();
          home.stored.sweep();
        }
        const plan = home.planned();
        expect(plan).toEqual(home.expected());
        if (given.kind === 'apply') home.apply(plan);
      }
    }),
    { seed: SEED, numRuns: 100 },
  );
});

describe('the whole guide', () => {
  test('is not read for reservations without rules and conflicts', () => {
    const home = new TwiceStoredHome();
    for (let event = 1; event <= 9; event++) home.put(event, `番組${event}`, event * 60);
    home.reserve(idOf(1));
    home.reserve(idOf(2));
    expect(home.planned().openings).toHaveLength(2);
    home.put(2, '改題', 130);
    const { update } = home.planned();
    expect(update.map(({ to }) => [to.name, to.startAt])).toContainEqual([
      '改題',
      broadcastMs(NOON + 130 * MINUTE),
    ]);
    expect(home.read).toEqual([]);
  });

  test('is read of the station of a reservation whose programme vanished, while it changes', () => {
    const home = new TwiceStoredHome();
    home.put(1, '灯台', 60);
    home.reserve(idOf(1));
    home.take(1);
    home.put(4, '灯台', 65);
    expect(home.planned()).toEqual(home.expected());
    home.planned();
    expect(home.read).toEqual([stationOf(1)]);
    home.put(4, '灯台', 70);
    expect(home.planned()).toEqual(home.expected());
    expect(home.read).toEqual([stationOf(1), stationOf(1)]);
  });

  test('is read for a rule, and after a while only where it changes', () => {
    const home = new TwiceStoredHome();
    for (let event = 1; event <= 9; event++) home.put(event, `番組${event}`, event * 60);
    home.rule('番組1');
    expect(home.planned().create).toHaveLength(1);
    expect(new Set(home.read)).toEqual(new Set(STATIONS));
    home.read.length = 0;
    for (const name of ['番組11', '番組12', '別の番組', '番組13']) {
      home.time += LONG_MS;
      home.put(1, name, 60);
      expect(home.planned()).toEqual(home.expected());
      home.stored.release();
    }
    home.take(4);
    home.put(4, '番組14', 260);
    expect(home.planned().create.map(({ name }) => name)).toEqual(['番組13', '番組14']);
    expect(new Set(home.read)).not.toContain(stationOf(2));
    home.rule('番組2');
    expect(home.planned().create).toHaveLength(3);
    expect(home.read).toContain(stationOf(2));
  });

  test('is searched for words without a query for each programme', () => {
    const home = new TwiceStoredHome();
    const rows = Array.from({ length: 3_000 }, (_, index) => {
      const startAt = NOON + index * MINUTE;
      const extended = [{ 内容: `「灯台」"${index}"` }, { 内容: '港' }, {}][index % 4];
      return {
        ...{ station: stationOf(index), event: index, startAt, endAt: startAt + MINUTE },
        ...{
          name: index % 5 === 0 ? '灯台' : `番組${index}`,
          description: index % 7 === 0 ? '灯台の話' : '',
        },
        ...(extended === undefined ? {} : { extended }),
      };
    });
    putPrograms(stored.database, rows);
    for (const { station, event, name, description, extended = null } of rows)
      home.program(station, name, { at: event, minutes: 1, event, description, extended });
    database.reading(() => {
      for (const keyword of ['灯台', '灯台 -港', '灯台 1']) {
        const { conditions } = home.rule(keyword);
        const found = (guide: GuideIndex) =>
          new RuleMatcher(conditions)
            .match(guide, home.stations)
            .programs.map(({ id }) => id)
            .sort((a, b) => a - b);
        const ids = found(home.stored.whole());
        expect(ids).not.toBeEmpty();
        expect(ids).toEqual(found(home.guide));
      }
    });
    expect(home.queries).toBe(0);
  });

  test('is released when nothing is searched any more, and what changed meanwhile is found later', () => {
    const home = new TwiceStoredHome();
    for (let event = 1; event <= 9; event++) home.put(event, `番組${event}`, event * 60);
    home.rule('番組1');
    expect(home.planned().create).toHaveLength(1);
    const [rule] = home.rules;
    home.rules = [];
    home.time += LONG_MS;
    home.stored.release();
    home.read.length = 0;
    home.put(1, '別の番組', 60);
    home.put(2, '番組12', 120);
    expect(home.planned().create).toEqual([]);
    expect(home.read).toEqual([]);
    home.rules = rule === undefined ? [] : [rule];
    expect(home.planned().create.map(({ name }) => name)).toEqual(['番組12']);
  });

  test('does not claim to know changes of the time in which it was released', () => {
    const home = new TwiceStoredHome();
    home.put(1, '灯台', 60);
    const { stored: guide } = home;
    home.planned();
    guide.whole();
    const { version } = guide;
    expect(guide.changedSince(version)).toEqual([]);
    home.time += LONG_MS;
    guide.release();
    home.put(1, '港', 60);
    home.planned();
    expect(guide.changedSince(version)).toBeUndefined();
    guide.whole();
    expect(guide.changedSince(version)).toBeUndefined();
    expect(guide.changedSince(guide.version)).toEqual([]);
  });
});
