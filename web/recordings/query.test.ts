import { expect, test } from 'bun:test';
import { isFiltered, listParameters, queryOf } from './query.ts';

const queryIn = (address: string) => queryOf(new URLSearchParams(address));

test('the address selects what is listed; invalid parts are ignored', () => {
  expect(queryIn('show=bin&station=3274001024&q=灯台')).toMatchObject({
    show: 'bin',
    stationId: 3_274_001_024,
    q: '灯台',
  });
  expect(queryIn('show=all&station=x&rule=-1&series=&genre=12')).toEqual(queryIn(''));
  expect(queryIn('genre=0').genre).toBe(0);
  expect(queryIn('unwatched=1').unwatched).toBe(true);
  // What is in the bin or failed is not asked for whether it was watched.
  expect(queryIn('unwatched=1&show=bin').unwatched).toBe(false);
});

test('the request has the parameters of the service, and only those that are set', () => {
  expect(listParameters(queryIn(''), 'newest').toString()).toBe('sort=newest');
  expect(listParameters(queryIn('q=%20a%20&unwatched=1&rule=7&genre=3&series=k'), 'title').toString()).toBe(
    'q=a&unwatched=1&ruleId=7&genre=3&series=k&sort=title',
  );
});

test('a series alone is no filter', () => {
  expect(isFiltered(queryIn('series=k'))).toBe(false);
  expect(isFiltered(queryIn('q=%20'))).toBe(false);
  for (const address of ['q=a', 'show=failed', 'unwatched=1', 'station=1', 'rule=1', 'genre=0']) {
    expect(isFiltered(queryIn(address))).toBe(true);
  }
});
