import { expect, test } from 'bun:test';
import { admits, hasRoom, type MachineNeed } from './machine-load.ts';

test.each([
  [2, 0, 8, true],
  [2, 1, 0, false],
  [4, 1, 0, true],
  [4, 1, 8, false],
  [4, 2, 0, true],
  [4, 3, 0, false],
])('%p processors with %p viewers and %p recordings: %p', (processors, viewers, recordings, expected) => {
  expect(hasRoom({ processors, viewers, recordings })).toBe(expected);
});

test.each([
  ['nobody', 0, 0, ['none', 'unwatched', 'processor', 'idle']],
  ['a recording', 0, 1, ['none', 'unwatched', 'processor']],
  ['a viewer', 1, 0, ['none']],
] as const)('%s beside background work', (_, viewers, recordings, expected) => {
  const needs: MachineNeed[] = ['none', 'unwatched', 'processor', 'idle'];
  const use = { processors: 2, viewers, recordings };
  expect(needs.filter((need) => admits(need, use))).toEqual([...expected]);
});
