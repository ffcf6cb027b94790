import { expect, test } from 'bun:test';
import type { StationId } from '../../lib/arib/ids.ts';
import { pathBelow, screenOf } from './router.ts';

test('addresses name screens', () => {
  expect(screenOf('')).toEqual({ name: 'home' });
  expect(screenOf('live/3274001024')).toEqual({ name: 'live', stationId: 3274001024 as StationId });
  for (const name of ['guide', 'reservations', 'rules', 'recordings'] as const) {
    expect(screenOf(name)).toEqual({ name });
  }
  expect(screenOf('live/')).toEqual({ name: 'unknown', path: 'live/' });
  expect(screenOf('live/1e9')).toEqual({ name: 'unknown', path: 'live/1e9' });
  expect(screenOf('guide2')).toEqual({ name: 'unknown', path: 'guide2' });
});

test('the base address may be a folder of a front proxy', () => {
  expect(pathBelow('/', '/live/1')).toBe('live/1');
  expect(pathBelow('/tv/', '/tv/live/1')).toBe('live/1');
  expect(pathBelow('/tv/', '/tv')).toBe('');
  expect(pathBelow('/tv/', '/other')).toBeUndefined();
  expect(pathBelow('/tv/index.html', '/tv/')).toBe('');
});
