import { expect, test } from 'bun:test';
import { media90k, TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import { LayoutChanges } from './recording-streams.ts';

const SECOND = TICKS_PER_SECOND;

test('a change is found from a second before it to the given time after it; the last one where two are near', () => {
  const changes = new LayoutChanges();
  const first = { media: media90k(100 * SECOND), at: 1_000 };
  const second = { media: media90k(110 * SECOND), at: 2_000 };
  changes.note(1, second);
  changes.note(1, first);
  expect(changes.near(1, 98 * SECOND, 15 * SECOND)).toBeUndefined();
  expect(changes.near(1, 99.5 * SECOND, 15 * SECOND)).toBe(first);
  expect(changes.near(1, 112 * SECOND, 15 * SECOND)).toBe(second);
  expect(changes.near(1, 126 * SECOND, 15 * SECOND)).toBeUndefined();
  expect(changes.near(2, 100 * SECOND, 15 * SECOND)).toBeUndefined();
});

test('the least recently changed recordings are evicted', () => {
  const changes = new LayoutChanges();
  for (let id = 0; id < 1_000; id += 1) changes.note(id, { media: media90k(SECOND), at: 0 });
  expect(changes.near(0, SECOND, SECOND)).toBeUndefined();
  expect(changes.near(999, SECOND, SECOND)).toBeDefined();
});
