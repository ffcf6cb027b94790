import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { broadcastMs } from '../../lib/arib/time.ts';
import { ruleId } from '../../lib/wire/ids.ts';
import { HOUR, Home, MINUTE, NOON } from '../../test/schedule/plan-home.ts';
import type { IndexedProgram } from './match/program-rows.ts';
import { nearest } from './rule-match-limit.ts';

const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000);

/** Consecutive programmes of half an hour, beginning at an offset in minutes from noon. */
const [ONE, TWO] = [ruleId(1), ruleId(2)];

function programmes(count: number, from = 0): IndexedProgram[] {
  const home = new Home();
  const station = home.station('T27');
  const ids = Array.from({ length: count }, (_, index) =>
    home.program(station, '灯台', { at: from + index * 30, minutes: 30 }),
  );
  return ids.flatMap((id) => home.guide.get(id) ?? []);
}

describe('the matches of rules that are planned', () => {
  test('are all matches below the limit, past ones too', () => {
    const programs = programmes(10, -90);
    expect(nearest(new Map([[ONE, programs]]), NOON, 10, 100)).toEqual(
      new Map([[ONE, { programs, left: 0 }]]),
    );
  });

  test('are the earliest upcoming matches above the limit', () => {
    const programs = programmes(10, -90);
    const near = nearest(new Map([[ONE, programs.toReversed()]]), NOON, 4, 100).get(ONE);
    expect(near?.programs).toEqual(programs.slice(3, 7));
    expect(near?.left).toBe(3);
  });

  test('include all matches of a narrow rule beside one that matches everything', () => {
    const all = programmes(100);
    const near = nearest(
      new Map([
        [ONE, all],
        [TWO, all.slice(90)],
        [ruleId(3), all],
      ]),
      NOON,
      1000,
      60,
    );
    expect([...near.values()].map(({ programs }) => programs.length)).toEqual([25, 10, 25]);
    expect(near.get(TWO)?.programs).toEqual(all.slice(90));
  });

  test('reach every match as time advances', () => {
    const programs = programmes(50);
    const planned = new Set<IndexedProgram>();
    for (let now = NOON - HOUR; now < NOON + 26 * HOUR; now += 10 * MINUTE) {
      const near = nearest(new Map([[ONE, programs]]), broadcastMs(now), 2, 100).get(ONE)?.programs ?? [];
      for (const program of near) if (program.startAt > now) planned.add(program);
    }
    expect(planned.size).toBe(50);
  });

  test('never exceed the limit, and never skip an earlier match for a later one', () => {
    const guide = programmes(200, -600);
    const rules = fc.array(fc.array(fc.nat(199), { maxLength: 200 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(
        rules,
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 6, max: 150 }),
        (given, own, all) => {
          const matches = new Map(
            given.map((list, id) => [ruleId(id), [...new Set(list)].flatMap((at) => guide[at] ?? [])]),
          );
          const near = nearest(matches, NOON, own, all);
          const counts = [...near.values()].map(({ programs }) => programs.length);
          expect(Math.max(...counts)).toBeLessThanOrEqual(own);
          expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(all);
          for (const [id, { programs, left }] of near) {
            const taken = new Set(programs);
            const others = (matches.get(id) ?? []).filter((one) => !taken.has(one) && one.endAt > NOON);
            expect(others).toHaveLength(left);
            const last = Math.max(...programs.map(({ startAt }) => startAt));
            for (const { startAt } of others) expect(startAt).toBeGreaterThanOrEqual(last);
          }
        },
      ),
      { seed: SEED },
    );
  });
});
