import { expect, test } from 'bun:test';
import { progressOf } from './progress-of.ts';

test('progress stays within 0 and 1', () => {
  expect(progressOf(100, 200, 150)).toBe(0.5);
  expect(progressOf(100, 200, 50)).toBe(0);
  expect(progressOf(100, 200, 900)).toBe(1);
  expect(progressOf(200, 200, 200)).toBe(0);
});
