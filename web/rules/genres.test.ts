import { expect, test } from 'bun:test';
import { withMajor, withMiddle } from './genres.ts';

const DRAMA = { lv1: 3, lv2: null };
const ANIME = { lv1: 7, lv2: 0 };

test('a major genre goes in as a whole and out with all its parts', () => {
  expect(withMajor([], 3)).toEqual([DRAMA]);
  expect(withMajor([DRAMA, ANIME, { lv1: 7, lv2: 2 }], 7)).toEqual([DRAMA]);
});

test('the first part takes the place of the whole, which comes back without the last', () => {
  const first = withMiddle([ANIME, DRAMA], 3, 1);
  expect(first).toEqual([ANIME, { lv1: 3, lv2: 1 }]);
  const second = withMiddle(first, 3, 0);
  expect(second).toEqual([ANIME, { lv1: 3, lv2: 1 }, { lv1: 3, lv2: 0 }]);
  expect(withMiddle(withMiddle(second, 3, 1), 3, 0)).toEqual([ANIME, DRAMA]);
});
