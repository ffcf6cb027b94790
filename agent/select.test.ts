import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { BroadcastType } from '../lib/arib/ids.ts';
import { type Decision, select, type TuneRequest, type TunerView, type UserView } from './select.ts';
import { rankTuners } from './tuner-settings.ts';

const GR: BroadcastType[] = ['GR'];
const ALL: BroadcastType[] = ['GR', 'BS', 'CS'];

let nextUser = 100;
function user(use: string, priority: number, id = nextUser++): UserView {
  return { id, use, priority };
}

/** A tuner on a GR channel with these users; no channel: idle. */
function tuner(
  id: string,
  channel?: string,
  users: UserView[] = [],
  more: Partial<TunerView> = {},
): TunerView {
  const tuning = channel === undefined ? null : { type: 'GR' as const, channel, users };
  return { id, rank: 0, types: GR, tuning, failed: false, ...more };
}

function request(channel: string, priority: number, ...after: string[]): TuneRequest {
  return { type: 'GR', channel, priority, after };
}

const live = user('live', 9, 1);
const guide = user('epg', 3, 2);
const record = user('rec 1', 10, 3);
const logo = user('logo', 1, 4);

interface Row {
  name: string;
  tuners: TunerView[];
  ask: TuneRequest;
  answer: Decision;
}

const tune = (id: string, more: { end?: number[]; abort?: number[] } = {}): Decision => ({
  kind: 'tune',
  tuner: id,
  end: more.end ?? [],
  abort: more.abort ?? [],
});
const share = (id: string, end: number[] = []): Decision => ({ kind: 'share', tuner: id, end });
const refuse = (reason: 'type' | 'busy'): Decision => ({ kind: 'refuse', reason });

const ROWS: Row[] = [
  {
    name: 'rule 1: the smallest rank is used first',
    tuners: [tuner('a', undefined, [], { rank: 1, types: ALL }), tuner('b')],
    ask: request('T27', 9),
    answer: tune('b'),
  },
  {
    name: 'rule 1: a tuner of a larger rank is used when the smaller ones are held',
    tuners: [tuner('a', undefined, [], { rank: 1, types: ALL }), tuner('b', 'T21', [live])],
    ask: request('T27', 9),
    answer: tune('a'),
  },
  {
    name: 'rule 2: a tuner of smaller rank is taken from a lower priority although one of larger rank is idle',
    tuners: [tuner('a', 'T21', [guide]), tuner('b', undefined, [], { rank: 1, types: ALL })],
    ask: request('T27', 9),
    answer: tune('a', { abort: [2] }),
  },
  {
    name: 'rule 2: equal priorities never displace each other',
    tuners: [tuner('a', 'T21', [live])],
    ask: request('T27', 9),
    answer: refuse('busy'),
  },
  {
    name: 'rule 2: one user of equal priority protects all of its tuner',
    tuners: [tuner('a', 'T21', [guide, live])],
    ask: request('T27', 9),
    answer: refuse('busy'),
  },
  {
    name: 'rule 2: all users of lower priority are disconnected',
    tuners: [tuner('a', 'T21', [guide, live])],
    ask: request('T27', 10),
    answer: tune('a', { abort: [2, 1] }),
  },
  {
    name: 'rule 2: the chosen tuner on the same channel is shared without retuning',
    tuners: [tuner('a', 'T27', [guide])],
    ask: request('T27', 9),
    answer: share('a'),
  },
  {
    name: 'a broadcast type that no tuner supports is refused with that reason',
    tuners: [tuner('a')],
    ask: { type: 'BS', channel: 'BS01_0', priority: 9, after: [] },
    answer: refuse('type'),
  },
  {
    name: 'a disabled tuner is never selected',
    tuners: [tuner('a', undefined, [], { rank: null })],
    ask: request('T27', 9),
    answer: refuse('type'),
  },
  {
    name: 'rule 3: a user of equal priority on the channel is joined on any tuner',
    tuners: [tuner('a'), tuner('b', 'T27', [live], { rank: 1, types: ALL })],
    ask: request('T27', 9),
    answer: share('b'),
  },
  {
    name: 'rule 3: the same name of another broadcast type is another channel',
    tuners: [
      tuner('a', undefined, [], {
        types: ALL,
        tuning: { type: 'BS', channel: 'X', users: [live] },
      }),
    ],
    ask: { type: 'CS', channel: 'X', priority: 9, after: [] },
    answer: refuse('busy'),
  },
  {
    name: 'rule 3: a tuning of lower priorities is not joined on a later rank',
    tuners: [tuner('a'), tuner('b', 'T27', [guide], { rank: 1, types: ALL })],
    ask: request('T27', 9),
    answer: tune('a'),
  },
  {
    name: 'rule 3: a tuning of lower priorities is joined when its tuner is the first of its rank',
    tuners: [tuner('a'), tuner('b', 'T27', [guide])],
    ask: request('T27', 9),
    answer: share('b'),
  },
  {
    name: 'rule 4: a user named in `after` is not counted and is ended normally',
    tuners: [tuner('a', 'T21', [record])],
    ask: request('T27', 10, 'rec 1'),
    answer: tune('a', { end: [3] }),
  },
  {
    name: 'rule 4: on the same channel the user is ended without retuning',
    tuners: [tuner('a', 'T27', [record])],
    ask: request('T27', 10, 'rec 1'),
    answer: share('a', [3]),
  },
  {
    name: 'rule 4: another user of equal priority protects the tuner',
    tuners: [tuner('a', 'T21', [record, user('rec 2', 10, 9)]), tuner('b')],
    ask: request('T27', 10, 'rec 1'),
    answer: tune('b'),
  },
  {
    name: 'rule 4: lower priorities beside the user lose the tuner',
    tuners: [tuner('a', 'T21', [record, live])],
    ask: request('T27', 10, 'rec 1'),
    answer: tune('a', { end: [3], abort: [1] }),
  },
  {
    name: 'rule 4: a user on a tuner that is not chosen is not affected',
    tuners: [tuner('a'), tuner('b', 'T21', [record], { rank: 1, types: ALL })],
    ask: request('T27', 10, 'rec 1'),
    answer: tune('a'),
  },
  {
    name: 'rule 4: a user that shares the joined tuning is not affected',
    tuners: [tuner('a', 'T27', [record, user('rec 2', 10, 9)])],
    ask: request('T27', 10, 'rec 1'),
    answer: share('a'),
  },
  {
    name: 'rule 4: a user that no longer exists has no effect',
    tuners: [tuner('a', 'T21', [live]), tuner('b')],
    ask: request('T27', 9, 'rec 77'),
    answer: tune('b'),
  },
  {
    name: 'rule 4: a tuner that does not support the type is not affected',
    tuners: [tuner('a', 'T21', [record]), tuner('b', undefined, [], { types: ['BS'], rank: 1 })],
    ask: { type: 'BS', channel: 'BS01_0', priority: 10, after: ['rec 1'] },
    answer: tune('b'),
  },
  {
    name: 'rule 6: the lingering tuning of the channel comes first',
    tuners: [tuner('a'), tuner('b', 'T27', [guide]), tuner('c', 'T21'), tuner('d', 'T27')],
    ask: request('T27', 9),
    answer: share('d'),
  },
  {
    name: 'rule 6: then the tuner that is on the channel',
    tuners: [tuner('a'), tuner('c', 'T21'), tuner('b', 'T27', [guide])],
    ask: request('T27', 9),
    answer: share('b'),
  },
  {
    name: 'rule 6: then another lingering tuning, before an idle tuner',
    tuners: [tuner('a'), tuner('c', 'T21')],
    ask: request('T27', 9),
    answer: tune('c'),
  },
  {
    name: 'rule 6: then an idle tuner, before one that is taken away',
    tuners: [tuner('a', 'T21', [guide]), tuner('b')],
    ask: request('T27', 9),
    answer: tune('b'),
  },
  {
    name: 'rule 6: at last the tuner of the lowest priority',
    tuners: [tuner('a', 'T21', [guide]), tuner('b', 'T22', [logo]), tuner('c', 'T23', [live])],
    ask: request('T27', 10),
    answer: tune('b', { abort: [4] }),
  },
  {
    name: 'the priority of a tuner is the highest of its users',
    tuners: [tuner('a', 'T21', [logo, live]), tuner('b', 'T22', [guide])],
    ask: request('T27', 10),
    answer: tune('b', { abort: [2] }),
  },
  {
    name: 'a tuning without readers is released before one that a handover has to end',
    tuners: [tuner('a', 'T21', [record]), tuner('b', 'T22')],
    ask: request('T27', 10, 'rec 1'),
    answer: tune('b'),
  },
  {
    name: 'an idle tuner whose last tuning failed is tried after the others of its rank',
    tuners: [tuner('a', undefined, [], { failed: true }), tuner('b')],
    ask: request('T27', 9),
    answer: tune('b'),
  },
  {
    name: 'one whose device cannot be opened does not count as idle: another rank is used, even if a viewer loses it',
    tuners: [
      tuner('a', undefined, [], { failed: true, broken: true }),
      tuner('b', 'T22', [live], { rank: 1 }),
    ],
    ask: request('T27', 10),
    answer: tune('b', { abort: [live.id] }),
  },
  {
    name: 'it is tried if no other is allowed: the device may be back',
    tuners: [
      tuner('a', undefined, [], { failed: true, broken: true }),
      tuner('b', 'T22', [record], { rank: 1 }),
    ],
    ask: request('T27', 10),
    answer: tune('a'),
  },
  {
    name: 'priorities have no lower bound',
    tuners: [tuner('a', 'T21', [user('x', -5, 9)])],
    ask: request('T27', -4),
    answer: tune('a', { abort: [9] }),
  },
];

describe('select', () => {
  for (const row of ROWS) {
    test(row.name, () => {
      expect(select(row.tuners, row.ask)).toEqual(row.answer);
    });
  }
});

// --- Random histories: random opens and closes on a model of the pool; every decision satisfies the rules. ---

const TYPE_SETS: BroadcastType[][] = [['GR'], ['BS', 'CS'], ['GR', 'BS', 'CS'], ['BS']];
const CHANNELS: Record<BroadcastType, string[]> = {
  GR: ['T21', 'T22', 'T27'],
  BS: ['BS01_0', 'BS03_1'],
  CS: ['CS02'],
};

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('open' as const),
      type: fc.constantFrom<BroadcastType>('GR', 'GR', 'BS', 'CS'),
      channel: fc.nat(2),
      priority: fc.integer({ min: -1, max: 4 }),
      use: fc.constantFrom('a', 'b', 'c', 'd'),
      after: fc.subarray(['a', 'b', 'c', 'd'], { maxLength: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leave' as const), which: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const), which: fc.nat(20) }) },
);

interface MutableTuner {
  id: string;
  rank: number | null;
  types: BroadcastType[];
  failed: boolean;
  tuning: { type: BroadcastType; channel: string; users: UserView[] } | null;
}

function onChannel(tuning: MutableTuner['tuning'], ask: TuneRequest): boolean {
  return tuning?.type === ask.type && tuning.channel === ask.channel;
}

function checkPromises(pool: readonly MutableTuner[], ask: TuneRequest, decision: Decision): void {
  const able = pool.filter((one) => one.rank !== null && one.types.includes(ask.type));
  const stays = (one: UserView): boolean => !ask.after.includes(one.use);
  const equals = (one: MutableTuner): boolean =>
    (one.tuning?.users ?? []).some((held) => stays(held) && held.priority >= ask.priority);
  const allowed = able.filter((one) => !equals(one));
  const joinable = able.filter((one) => onChannel(one.tuning, ask) && equals(one));
  if (decision.kind === 'refuse') {
    expect(decision.reason).toBe(able.length === 0 ? 'type' : 'busy');
    expect([...allowed, ...joinable]).toEqual([]);
    return;
  }
  const chosen = able.find((one) => one.id === decision.tuner);
  if (chosen === undefined) throw new Error('a tuner that does not take the type');
  const users = chosen.tuning?.users ?? [];
  const find = (id: number): UserView => {
    const found = users.find((one) => one.id === id);
    if (found === undefined) throw new Error('a user of a tuner that is not chosen is touched');
    return found;
  };
  for (const id of decision.end) expect(ask.after).toContain(find(id).use);
  if (joinable.length > 0) {
    // Rule 3: shared on any tuner; other consumers are unaffected.
    expect(decision.kind).toBe('share');
    expect(joinable).toContain(chosen);
    expect(decision.end).toEqual([]);
    return;
  }
  expect(chosen.rank).toBe(Math.min(...allowed.map((one) => one.rank ?? 0)));
  expect(decision.kind).toBe(onChannel(chosen.tuning, ask) ? 'share' : 'tune');
  if (decision.kind === 'share') return;
  for (const id of decision.abort) expect(find(id).priority).toBeLessThan(ask.priority);
  // No user stays on a tuner that changes its channel.
  expect([...decision.end, ...decision.abort].sort()).toEqual(users.map((one) => one.id).sort());
}

function apply(
  pool: readonly MutableTuner[],
  ask: TuneRequest,
  use: string,
  id: number,
  made: Decision,
): void {
  const chosen = made.kind === 'refuse' ? undefined : pool.find((one) => one.id === made.tuner);
  if (made.kind === 'refuse' || chosen === undefined) return;
  const kept = made.kind === 'tune' ? [] : (chosen.tuning?.users ?? []);
  chosen.tuning = {
    type: ask.type,
    channel: ask.channel,
    users: [...kept.filter((one) => !made.end.includes(one.id)), { id, use, priority: ask.priority }],
  };
}

test('random histories satisfy every rule', () => {
  const runs = process.env.SVC_LONG === '1' ? 100_000 : 2_000;
  fc.assert(
    fc.property(
      fc.array(fc.record({ types: fc.constantFrom(...TYPE_SETS), disabled: fc.boolean() }), { maxLength: 6 }),
      fc.array(step, { maxLength: 30 }),
      (definition, steps) => {
        const tuners = definition.map((one, index) => ({
          ...one,
          disabled: one.disabled && index % 3 === 0,
        }));
        const ranks = rankTuners(tuners);
        const pool: MutableTuner[] = tuners.map((one, index) => ({
          id: `t${index}`,
          rank: ranks[index] ?? null,
          types: one.types,
          failed: index % 4 === 3,
          tuning: null,
        }));
        let id = 0;
        for (const one of steps) {
          if (one.do === 'open') {
            const names = CHANNELS[one.type];
            const ask = { ...one, channel: names[one.channel % names.length] ?? '' };
            const before = structuredClone(pool);
            const decision = select(pool, ask);
            expect(pool).toEqual(before);
            expect(select(structuredClone(pool), ask)).toEqual(decision);
            checkPromises(pool, ask, decision);
            id += 1;
            apply(pool, ask, one.use, id, decision);
          } else {
            const tuning = pool[one.which % Math.max(1, pool.length)];
            if (one.do === 'leave') tuning?.tuning?.users.pop();
            else if (tuning !== undefined && tuning.tuning?.users.length === 0) tuning.tuning = null;
          }
        }
      },
    ),
    { numRuns: runs, verbose: true },
  );
});
