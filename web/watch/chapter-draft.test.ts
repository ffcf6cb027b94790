import { expect, test } from 'bun:test';
import { type ChapterBoundary, changeBeside, sameBreaks, withBoundary, withBreak } from './chapter-draft.ts';

const breaks = [
  { start: 100, end: 160 },
  { start: 400, end: 520 },
];
const LENGTH = 600;

const MOVES: readonly (readonly [string, ChapterBoundary, number, number])[] = [
  ['a start moves', { index: 1, edge: 'start' }, 398.5, 398.5],
  ['in whole milliseconds', { index: 0, edge: 'end' }, 160.03336, 160.033],
  ['not before the recording', { index: 0, edge: 'start' }, -3, 0],
  ['not beyond it', { index: 1, edge: 'end' }, 700, 600],
  ['not into the one before', { index: 1, edge: 'start' }, 150, 160],
  ['not into the one behind', { index: 0, edge: 'end' }, 450, 400],
  ['not beyond its own end', { index: 0, edge: 'start' }, 300, 159],
  ['not before its own start', { index: 1, edge: 'end' }, 10, 401],
];

test.each(MOVES)('%s', (_, boundary, to, at) => {
  const moved = withBoundary(breaks, boundary, to, LENGTH);
  expect(moved[boundary.index]?.[boundary.edge]).toBe(at);
  expect(moved[1 - boundary.index]).toEqual(breaks[1 - boundary.index]);
});

test('a break that is too short to be adjusted is unchanged', () => {
  const short = [{ start: 0, end: 0.5 }];
  expect(withBoundary(short, { index: 0, edge: 'start' }, 0.2, LENGTH)).toEqual(short);
  expect(withBoundary(short, { index: 4, edge: 'start' }, 0.2, LENGTH)).toEqual(short);
});

test('a break is added where there is room', () => {
  expect(withBreak(breaks, 200, LENGTH)?.[1]).toEqual({ start: 200, end: 260 });
  expect(withBreak(breaks, 370, LENGTH)?.[1]).toEqual({ start: 370, end: 400 });
  expect(withBreak(breaks, 560, LENGTH)?.[2]).toEqual({ start: 560, end: 600 });
  expect(withBreak(breaks, 599.5, LENGTH)).toBeUndefined();
  expect(withBreak(breaks, 120, LENGTH)).toBeUndefined();
});

test('the next scene change is not the one at the boundary', () => {
  const changes = [98, 100, 102.5].map((at) => ({ at, kind: 'cut' as const }));
  expect(changeBeside(changes, 100.01, 1)).toBe(102.5);
  expect(changeBeside(changes, 99.99, -1)).toBe(98);
  expect(changeBeside(changes, 102.5, 1)).toBeUndefined();
  expect(changeBeside([], 1, -1)).toBeUndefined();
});

test('moving a boundary and back is no change', () => {
  const boundary = { index: 0, edge: 'end' } as const;
  const there = withBoundary(breaks, boundary, 170, LENGTH);
  expect(sameBreaks(there, breaks)).toBe(false);
  expect(sameBreaks(withBoundary(there, boundary, 160, LENGTH), breaks)).toBe(true);
  expect(sameBreaks(breaks.slice(1), breaks)).toBe(false);
});
