import { expect, test } from 'bun:test';
import type { MonotonicMs } from '../../lib/host/clock.ts';
import { BoundedPlaces } from './bounded-places.ts';

function rig() {
  const clock = { ms: 0 };
  const places = new BoundedPlaces<number>(
    { most: 6, mostPerOwner: 3, lifetimeMs: 100 },
    () => clock.ms as MonotonicMs,
  );
  const held = (...keys: string[]): string => keys.filter((key) => places.get(key) !== undefined).join('');
  return { clock, places, held };
}

test('an owner beyond its share loses its own oldest value', () => {
  const { places, held } = rig();
  places.add('x', 'other', 0);
  for (const key of ['a', 'b', 'c', 'd', 'e']) places.add(key, 'mine', 1);
  expect(held('x', 'a', 'b', 'c', 'd', 'e')).toBe('xcde');
});

test('when all places are taken, the owner with the most loses its oldest one', () => {
  const { places, held } = rig();
  places.add('x', 'first', 0);
  for (const key of ['a', 'b', 'c']) places.add(key, 'greedy', 1);
  for (const key of ['p', 'q', 'r', 's']) places.add(key, `owner of ${key}`, 2);
  expect(places.size).toBe(6);
  expect(held('x', 'a', 'b', 'c', 'p', 'q', 'r', 's')).toBe('xcpqrs');
  places.add('t', 'owner of t', 2);
  // All have one: the oldest goes.
  expect(held('x', 'c', 't')).toBe('ct');
});

test('values expire, and leave their places', () => {
  const { clock, places, held } = rig();
  places.add('a', 'mine', 1);
  clock.ms = 99;
  places.add('b', 'mine', 2);
  expect([held('a', 'b'), places.some((value) => value === 1)]).toEqual(['ab', true]);
  clock.ms = 100;
  expect([held('a', 'b'), places.some((value) => value === 1), places.size]).toEqual(['b', false, 1]);
  places.delete('b');
  expect(places.size).toBe(0);
});
