import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { select, type TunerView, type UserView } from '../../../agent/select.ts';
import type { BroadcastType } from '../../../lib/arib/ids.ts';
import { broadcastMs } from '../../../lib/arib/time.ts';
import { type Opening, openings, type RetuneCost } from './openings.ts';
import { type PlanTuner, placeAll, type Slot, TunerTime } from './tuner-allocation.ts';

const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000);
const NOW = broadcastMs(0);

interface Named extends Slot {
  readonly name: string;
}

const HOMES: Record<string, readonly PlanTuner[]> = {
  small: [{ rank: 0, types: ['GR'] }],
  usual: [
    { rank: 0, types: ['GR'] },
    { rank: 0, types: ['GR'] },
    { rank: 1, types: ['BS', 'CS'] },
    { rank: 1, types: ['BS', 'CS'] },
  ],
  mixed: [
    { rank: 0, types: ['GR'] },
    { rank: 1, types: ['BS', 'CS'] },
    { rank: 2, types: ['GR', 'BS', 'CS'] },
  ],
  universal: [
    { rank: 0, types: ['GR', 'BS', 'CS'] },
    { rank: 0, types: ['GR', 'BS', 'CS'] },
  ],
};

function slot(name: string, channel: string, from: number, to: number, margins = [10, 15]): Named {
  const type: BroadcastType = channel.startsWith('T') ? 'GR' : 'BS';
  const [before = 0, after = 0] = margins;
  return {
    id: Number(name.slice(1)) || name.charCodeAt(0),
    name,
    type,
    channel,
    from: broadcastMs(from),
    to: broadcastMs(to),
    before,
    after,
    held: null,
  };
}

interface Outcome {
  /** Streams that the agent refused or aborted, and programmes that lost their end. */
  readonly faults: string[];
}

/** Executes the openings by the agent's own rules. */
function carryOut(tuners: readonly PlanTuner[], list: readonly Opening<Named>[], cost?: RetuneCost): Outcome {
  const faults: string[] = [];
  const views: TunerView[] = tuners.map(({ rank, types }, index) => ({
    id: String(index),
    rank,
    types,
    tuning: null,
    failed: false,
  }));
  const users: Map<number, UserView>[] = tuners.map(() => new Map());
  const closing = new Map<number, { at: number; end: number; name: string }>();
  const leave = (id: number): void => {
    for (const [index, held] of users.entries()) {
      if (!held.delete(id)) continue;
      const view = views[index];
      if (view?.tuning) views[index] = { ...view, tuning: { ...view.tuning, users: [...held.values()] } };
    }
    closing.delete(id);
  };
  const events = list.map((opening, order) => ({ opening, order }));
  events.sort((a, b) => a.opening.openAt - b.opening.openAt || a.order - b.order);
  for (const [id, { opening }] of events.entries()) {
    for (const [other, { at }] of [...closing]) if (at <= opening.openAt) leave(other);
    const { type, channel, name } = opening.slot;
    const decision = select(views, {
      type,
      channel,
      priority: 10,
      after: opening.after.map((one) => one.name),
    });
    if (decision.kind === 'refuse') {
      faults.push(`${name} refused`);
      continue;
    }
    if (decision.kind === 'tune') faults.push(...decision.abort.map((user) => `${user} broken by ${name}`));
    for (const user of decision.end) {
      const ended = closing.get(user);
      const retuneMs = cost === 'first' ? (tuners[Number(decision.tuner)]?.retuneMs ?? 0) : 0;
      if (ended !== undefined && ended.end > opening.openAt + retuneMs)
        faults.push(`${ended.name} cut by ${name}`);
      leave(user);
    }
    const tuner = Number(decision.tuner);
    users[tuner]?.set(id, { id, use: name, priority: 10 });
    const view = views[tuner];
    if (view !== undefined)
      views[tuner] = { ...view, tuning: { type, channel, users: [...(users[tuner]?.values() ?? [])] } };
    closing.set(id, { at: opening.closeAt, end: opening.slot.to, name });
    if (opening.openAt > opening.slot.from) faults.push(`${name} late`);
  }
  return { faults };
}

describe('tuning periods of reservations', () => {
  test('keep their margins where tuners are left', () => {
    const list = openings(HOMES.usual ?? [], [slot('a', 'T1', 100, 200), slot('b', 'T2', 200, 300)], NOW);
    expect(list.map(({ openAt, closeAt, after }) => [openAt, closeAt, after.length])).toEqual([
      [90, 215, 0],
      [190, 315, 0],
    ]);
  });

  test('are yielded on the only tuner: the second starts when the first has ended', () => {
    const list = openings(HOMES.small ?? [], [slot('a', 'T1', 100, 200), slot('b', 'T2', 200, 300)], NOW);
    expect(list.map(({ openAt, after }) => [openAt, after.map((one) => one.name)])).toEqual<unknown>([
      [90, []],
      [200, ['a']],
    ]);
    const apart = openings(HOMES.small ?? [], [slot('a', 'T1', 100, 200), slot('b', 'T2', 212, 300)], NOW);
    expect(apart.map(({ openAt, after }) => [openAt, after.map((one) => one.name)])).toEqual<unknown>([
      [90, []],
      [202, ['a']],
    ]);
  });

  test('take the retuning time from the end of the first, as far as the gap is too short, and report it on both', () => {
    const home: PlanTuner[] = [{ rank: 0, types: ['GR'], retuneMs: 20 }];
    const meet = (begin: number, cost?: RetuneCost) =>
      openings(home, [slot('a', 'T1', 100, 200), slot('b', 'T2', begin, 300)], NOW, cost).map(
        ({ openAt, headCut, tailCut }) => [openAt, headCut?.ms, tailCut?.ms],
      );
    expect(meet(200)).toEqual([
      [90, undefined, 20],
      [180, undefined, undefined],
    ]);
    expect(meet(212)).toEqual([
      [90, undefined, 8],
      [192, undefined, undefined],
    ]);
    expect(meet(220)).toEqual([
      [90, undefined, undefined],
      [200, undefined, undefined],
    ]);
    expect(meet(200, 'second')).toEqual([
      [90, undefined, undefined],
      [200, 20, undefined],
    ]);
    expect(meet(212, 'second')).toEqual([
      [90, undefined, undefined],
      [202, 10, undefined],
    ]);
    const [first, second] = openings(home, [slot('a', 'T1', 100, 200), slot('b', 'T2', 200, 300)], NOW);
    expect(first?.tailCut?.neighbour.name).toBe('b');
    expect(second?.after.map(({ name }) => name)).toEqual(['a']);
  });

  test('take nothing from a programme that runs over, nor more than the length of a short one', () => {
    const home: PlanTuner[] = [{ rank: 0, types: ['GR'], retuneMs: 20 }];
    const open = { ...slot('a', 'T1', 100, 200), held: 0, isOpen: true };
    expect(
      openings(home, [open, slot('b', 'T2', 200, 300)], broadcastMs(150)).map(({ openAt }) => openAt),
    ).toEqual([broadcastMs(150), broadcastMs(200)]);
    const short = openings(home, [slot('a', 'T1', 190, 200), slot('b', 'T2', 200, 300)], NOW);
    expect(short.map(({ openAt }) => openAt)).toEqual([broadcastMs(180), broadcastMs(190)]);
    expect(short[1]?.headCut?.ms).toBe(10);
  });

  test('back-to-back programmes on one channel share a tuning, with all margins', () => {
    const list = openings(HOMES.small ?? [], [slot('a', 'T1', 100, 200), slot('b', 'T1', 200, 300)], NOW);
    expect(list.map(({ openAt, closeAt, after }) => [openAt, closeAt, after.length])).toEqual([
      [90, 215, 0],
      [190, 315, 0],
    ]);
  });

  test('a programme that has begun is opened at once', () => {
    const [opening] = openings(HOMES.small ?? [], [slot('a', 'T1', 150, 200)], broadcastMs(145));
    expect(opening?.openAt).toBe(broadcastMs(145));
  });

  test('a programme joins a tuning of its channel before that ends, whatever else begins meanwhile', () => {
    // Seed 206017 of the next test.
    const given = [
      slot('r1', 'B1', 210, 250, [0, 0]),
      slot('r2', 'B2', 240, 290, [0, 5]),
      slot('r4', 'T1', 300, 310, [0, 0]),
      slot('r5', 'B2', 320, 390, [30, 5]),
      slot('r6', 'B2', 390, 490, [0, 5]),
      slot('r7', 'T3', 390, 500, [0, 0]),
      slot('r8', 'B3', 410, 490, [0, 5]),
      slot('r9', 'T1', 490, 500, [0, 0]),
    ];
    const list = openings(HOMES.mixed ?? [], given, NOW);
    expect(list.find(({ slot: { name } }) => name === 'r5')?.openAt).toBe(broadcastMs(290));
    expect(carryOut(HOMES.mixed ?? [], list, 'first').faults).toEqual([]);
  });

  test('a plan that fits is carried out by the agent without a refusal, abort, delay or cut', () => {
    const one = fc.record({
      channel: fc.constantFrom('T1', 'T2', 'T3', 'B1', 'B2', 'B3'),
      from: fc.integer({ min: 20, max: 60 }).map((value) => value * 10),
      length: fc.integer({ min: 1, max: 12 }).map((value) => value * 10),
      margins: fc.tuple(fc.constantFrom(0, 5, 10, 30), fc.constantFrom(0, 5, 15, 40)),
    });
    const home = fc.constantFrom(...Object.keys(HOMES));
    const retuning = fc.tuple(fc.constantFrom(0, 3, 20), fc.constantFrom<RetuneCost>('first', 'second'));
    fc.assert(
      fc.property(
        home,
        fc.array(one, { maxLength: 12 }),
        fc.boolean(),
        retuning,
        (which, given, equal, [retuneMs, cost]) => {
          const tuners = (HOMES[which] ?? []).map((tuner) => ({ ...tuner, retuneMs }));
          const time = new TunerTime<Named>(tuners);
          for (const [index, { channel, from, length, margins }] of given.entries())
            time.add(slot(`r${index}`, channel, from, from + length, equal ? [10, 15] : margins));
          for (const cluster of time.clusters()) {
            const list = openings(tuners, cluster, NOW, cost);
            expect(list).toHaveLength(cluster.length);
            expect(carryOut(tuners, list, cost).faults).toEqual([]);
            // The predicted cut is the actual one.
            for (const { slot: own, tailCut } of list) {
              const taken = list
                .filter(({ after }) => after.includes(own))
                .map(({ openAt }) => own.to - openAt);
              expect(tailCut?.ms ?? 0).toBe(Math.max(0, ...taken));
            }
          }
        },
      ),
      { seed: SEED, numRuns: 3000 },
    );
  });
});

describe('TunerTime', () => {
  test('accepts what displaces no other, and shares a physical channel', () => {
    const time = new TunerTime<Named>(HOMES.small ?? []);
    expect(time.add(slot('a', 'T1', 100, 200))).toBe(true);
    expect(time.add(slot('b', 'T2', 150, 250))).toBe(false);
    expect(time.fits(slot('b', 'T2', 200, 250))).toBe(true);
    expect(time.add(slot('c', 'T1', 150, 250))).toBe(true);
    expect(time.fits(slot('b', 'T2', 200, 250))).toBe(false);
    expect(time.fits(slot('b', 'B2', 900, 950))).toBe(false);
    expect(time.overlapping(slot('b', 'T2', 200, 260)).map((one) => one.name)).toEqual(['c']);
  });

  test('a tuning stays on its tuner until its last reader ends', () => {
    // The tuner for both types gets the second terrestrial programme and keeps it.
    const time = new TunerTime<Named>(HOMES.mixed ?? []);
    for (const one of [slot('a', 'T1', 0, 100), slot('b', 'T2', 10, 200), slot('c', 'B1', 0, 200)])
      expect(time.add(one)).toBe(true);
    expect(time.fits(slot('d', 'B2', 150, 180))).toBe(false);
    expect(time.fits(slot('d', 'T3', 150, 180))).toBe(true);
  });

  test('a programme that joins a running tuning takes no tuner from another', () => {
    const time = new TunerTime<Named>(HOMES.mixed ?? []);
    expect(time.add({ ...slot('a', 'T1', 0, 100), held: 0 })).toBe(true);
    expect(time.add({ ...slot('b', 'B1', 0, 90), held: 1 })).toBe(true);
    expect(time.add(slot('c', 'T1', 50, 120))).toBe(true);
    expect(time.add(slot('d', 'T2', 60, 120))).toBe(true);
    expect(time.add(slot('e', 'B1', 70, 110))).toBe(true);
    expect(time.fits(slot('f', 'T3', 70, 110))).toBe(false);
  });

  test('a running recording keeps its tuner, even if the rules would place it elsewhere', () => {
    const time = new TunerTime<Named>(HOMES.mixed ?? []);
    expect(time.add({ ...slot('a', 'T1', 0, 100), held: 2 })).toBe(true);
    expect(time.add(slot('b', 'B1', 10, 50))).toBe(true);
    expect(time.fits(slot('c', 'B2', 10, 50))).toBe(false);
  });

  test('everything accepted has a tuner', () => {
    const one = fc.record({
      channel: fc.constantFrom('T1', 'T2', 'T3', 'B1', 'B2'),
      from: fc.integer({ min: 0, max: 50 }),
      length: fc.integer({ min: 1, max: 20 }),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(HOMES)),
        fc.array(one, { maxLength: 14 }),
        (which, given) => {
          const tuners = HOMES[which] ?? [];
          const time = new TunerTime<Named>(tuners);
          const taken = given
            .map(({ channel, from, length }, index) => slot(`r${index}`, channel, from, from + length))
            .filter((each) => time.add(each));
          expect(time.clusters().flat()).toHaveLength(taken.length);
          expect(placeAll(tuners, taken)).toBeDefined();
          // Checked by counting: at no time more channels of a type than tuners that can receive it.
          for (let at = 0; at < 70; at++) {
            const channels = new Set(
              taken.filter((each) => each.from <= at && at < each.to).map(({ channel }) => channel),
            );
            const terrestrial = [...channels].filter((channel) => channel.startsWith('T')).length;
            expect(terrestrial).toBeLessThanOrEqual(
              tuners.filter(({ types }) => types.includes('GR')).length,
            );
            expect(channels.size).toBeLessThanOrEqual(tuners.length);
          }
        },
      ),
      { seed: SEED, numRuns: 1000 },
    );
  });
});
