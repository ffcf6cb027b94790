import { expect, test } from 'bun:test';
import { withMajor, withMiddle } from './genres.ts';

const DRAMA = { lv1: 3, lv2: null };
const ANIME = { lv1: 7, lv2: 0 };

test('a major genre is added as a whole and removed with all its subgenres', () => {
  expect(withMajor([], 3)).toEqual([DRAMA]);
  expect(withMajor([DRAMA, ANIME, { lv1: 7, lv2: 2 }], 7)).toEqual([DRAMA]);
});

test('the first subgenre replaces the whole genre, which returns when the last one is removed', () => {
  const first = withMiddle([ANIME, DRAMA], 3, 1);
  expect(first).toEqual([ANIME, { lv1: 3, lv2: 1 }]);
  const second = withMiddle(first, 3, 0);
  expect(second).toEqual([ANIME, { lv1: 3, lv2: 1 }, { lv1: 3, lv2: 0 }]);
  expect(withMiddle(withMiddle(second, 3, 1), 3, 0)).toEqual([ANIME, DRAMA]);
});
