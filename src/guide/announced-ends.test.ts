import { describe, expect, test } from 'bun:test';
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import { type AnnouncedEnds, announce, endOfReplaced, standingEnd } from './announced-ends.ts';

const minutes = (count: number): BroadcastMs => broadcastMs(count * 60_000);

/** @param said announced end from a minute on; null: undefined there */
function tables(...said: readonly [at: number, end: number | null][]): AnnouncedEnds {
  let announced: AnnouncedEnds | undefined;
  for (const [at, end] of said)
    announced = announce(announced, end === null ? null : minutes(end), minutes(at));
  if (announced === undefined) throw new Error('nothing was said');
  return announced;
}

describe('the end of a programme that another one replaced', () => {
  test.each<[string, [at: number, end: number | null][], number, number | null, number]>([
    ['is the announced one', [[0, 30]], 30, 90, 30],
    ['is the announced one if the tables change slightly later', [[0, 30]], 30.2, 90, 30],
    ['is when the tables change, long after the announced one', [[0, 30]], 33, 90, 33],
    ['is still to come if it is merely interrupted', [[0, 30]], 25, 28, 30],
    ['is when the tables change, if it was undefined', [[0, null]], 47, 90, 47],
    [
      'is not that of a withdrawn extension',
      [
        [0, 30],
        [10, 90],
        [20, 30],
      ],
      30,
      60,
      30,
    ],
    [
      'is not that of a brief wrong table from its start on',
      [
        [0, 90],
        [0.1, 30],
      ],
      30,
      60,
      30,
    ],
    [
      'is not that of a longer one, if it was announced for long itself',
      [
        [0, 90],
        [10, 30],
      ],
      30,
      60,
      30,
    ],
    [
      'is not that of an extension that was still announced, if no time is left',
      [
        [0, 30],
        [10, 90],
      ],
      30,
      90,
      30,
    ],
    [
      'is that of an extension, if it may still return',
      [
        [0, 30],
        [10, 90],
      ],
      30,
      35,
      90,
    ],
    [
      'is the earlier announced one at a wrong earlier one',
      [
        [0, 30],
        [14.8, 15],
      ],
      15,
      18,
      30,
    ],
    [
      'is the earlier announced one at a wrong earlier one, of unknown length',
      [
        [0, 30],
        [14.8, 15],
      ],
      15,
      null,
      30,
    ],
    [
      'is the corrected one after an interruption',
      [
        [0, 30],
        [10, 90],
        [10.1, 30],
      ],
      25,
      28,
      30,
    ],
    [
      'is the corrected one after an undefined one',
      [
        [0, 30],
        [20, null],
        [20.1, 30],
      ],
      30,
      90,
      30,
    ],
  ])('%s', (_, said, until, otherEndsAt, end) => {
    const from = otherEndsAt === null ? null : minutes(otherEndsAt);
    expect(endOfReplaced(tables(...said), minutes(until), { from, to: null })).toBe(minutes(end));
  });

  test.each([
    ['the next begins at the end of the other one', 40, 30],
    ['the next begins later', 60, 90],
    ['the next is still listed at the first end', 30, 90],
    ['the next is unknown', null, 90],
  ])('after an extension that was not withdrawn, another is on from 30 to 40, and %s', (_, next, end) => {
    const to = next === null ? null : minutes(next);
    const announced = tables([0, 30], [20, 90]);
    expect(endOfReplaced(announced, minutes(30), { from: minutes(40), to })).toBe(minutes(end));
  });

  test('is bounded: of many announced ends the briefest are forgotten', () => {
    const many = Array.from({ length: 500 }, (_, index): [number, number] => [10 + index / 60, 100 + index]);
    const announced = tables([0, 30], ...many, [20, 30]);
    expect(announced.ends.length).toBeLessThanOrEqual(8);
    expect(endOfReplaced(announced, minutes(30), { from: minutes(60), to: null })).toBe(minutes(30));
  });
});

test('while it is present, the end to plan with is the announced one, unless an earlier one was wrong for a moment', () => {
  expect(standingEnd(tables([0, 30], [10, 90]), minutes(11))).toBe(minutes(90));
  expect(standingEnd(tables([0, 30], [10, 90], [10.1, 30]), minutes(11))).toBe(minutes(30));
  expect(standingEnd(tables([0, 30], [10, 15]), minutes(10.5))).toBe(minutes(30));
  expect(standingEnd(tables([0, 30], [10, null]), minutes(11))).toBeUndefined();
});
