import { expect, test } from 'bun:test';
import type { BroadcastType } from '../arib/ids.ts';
import { rankTuners } from './rank.ts';

function ranks(...sets: (string | null)[]): (number | null)[] {
  return rankTuners(
    sets.map((set) => ({
      types: (set ?? 'GR').split('+') as BroadcastType[],
      disabled: set === null,
    })),
  );
}

test('tuners that receive fewer types rank first', () => {
  expect(ranks('GR+BS+CS', 'BS+CS', 'GR')).toEqual([2, 1, 0]);
});

test('equal counts are ordered by the first definition of their set of types', () => {
  expect(ranks('BS', 'GR', 'BS')).toEqual([0, 1, 0]);
  expect(ranks('GR', 'BS', 'GR')).toEqual([0, 1, 0]);
});

test('tuners of one rank support exactly the same types, in any order', () => {
  expect(ranks('BS+CS', 'CS+BS', 'GR+BS')).toEqual([0, 0, 1]);
});

test('a disabled tuner has no rank and does not affect the others', () => {
  expect(ranks(null, 'BS', 'GR')).toEqual([null, 0, 1]);
});

test('an empty list has no ranks', () => {
  expect(ranks()).toEqual([]);
});
