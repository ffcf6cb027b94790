import { expect, test } from 'bun:test';
import type { ProgramId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import { placeColumn } from '../ui/lanes.ts';
import { enterAt, placeFrom, programAt, within } from './column.ts';

const MINUTE = 60_000;
const at = (minutes: number): BroadcastMs => broadcastMs(minutes * MINUTE);
const program = (id: number, from: number, to: number) => ({
  id: id as ProgramId,
  startAt: at(from),
  endAt: at(to),
});

const PLAIN = placeColumn([program(3, 60, 90), program(1, 0, 30), program(2, 30, 60)]);

test('consecutive programmes use the full width of the column, in order', () => {
  expect(PLAIN.map(({ program: { id }, lane, lanes }) => [id, lane, lanes])).toEqual([
    [1, 0, 1],
    [2, 0, 1],
    [3, 0, 1],
  ]);
});

test('a few seconds of overlap make no second lane', () => {
  const column = placeColumn([program(1, 0, 30.3), program(2, 30, 60)]);
  expect(column.map(({ lanes }) => lanes)).toEqual([1, 1]);
});

test('overlapping programmes are side by side until the overlap ends', () => {
  const column = placeColumn([program(1, 0, 60), program(2, 10, 30), program(3, 30, 50), program(4, 60, 70)]);
  expect(column.map(({ program: { id }, lane, lanes }) => [id, lane, lanes])).toEqual([
    [1, 0, 2],
    [2, 1, 2],
    [3, 1, 2],
    [4, 0, 1],
  ]);
});

test('the visible part of a column includes programmes that began above it', () => {
  const ids = (from: number, to: number) =>
    within(PLAIN, { from: at(from), to: at(to) }).map((placed) => placed.program.id);
  expect(ids(10, 31)).toEqual<unknown>([1, 2]);
  expect(ids(30, 60)).toEqual<unknown>([2]);
  expect(ids(90, 200)).toEqual([]);
  const lanes = placeColumn([program(1, 0, 60), program(2, 10, 30), program(3, 31, 40)]);
  expect(within(lanes, { from: at(45), to: at(50) }).map((placed) => placed.program.id)).toEqual<unknown>([
    1,
  ]);
});

test('the nearest programme to a time is found across gaps', () => {
  const column = placeColumn([program(1, 0, 10), program(2, 100, 110)]);
  expect(programAt(column, at(5))?.id).toBe<unknown>(1);
  expect(programAt(column, at(20))?.id).toBe<unknown>(1);
  expect(programAt(column, at(90))?.id).toBe<unknown>(2);
  expect(programAt([], at(0))).toBeUndefined();
});

test('moving sideways by arrows keeps the time and returns to the start', () => {
  const table = [
    placeColumn([program(11, 0, 120)]),
    [],
    placeColumn([program(31, 0, 30), program(32, 30, 60), program(33, 60, 120)]),
  ];
  const columns = { count: 3, at: (index: number) => table[index] ?? [] };
  const start = enterAt(columns, 0, at(70));
  expect(start).toEqual<unknown>({ column: 0, programId: 11, anchor: 70 * MINUTE });
  if (start === undefined) return;
  const right = placeFrom(columns, start, 'right');
  expect(right).toEqual<unknown>({ column: 2, programId: 33, anchor: 70 * MINUTE });
  if (right === undefined) return;
  expect(placeFrom(columns, right, 'left')).toEqual(start);
  const up = placeFrom(columns, right, 'up');
  expect(up).toEqual<unknown>({ column: 2, programId: 32, anchor: 30 * MINUTE });
  expect(placeFrom(columns, right, 'down')).toBeUndefined();
  expect(placeFrom(columns, start, 'left')).toBeUndefined();
});

test('overlapping programmes are reached sideways within their column', () => {
  const table = [placeColumn([program(1, 0, 60), program(2, 10, 50)]), placeColumn([program(9, 0, 60)])];
  const columns = { count: 2, at: (index: number) => table[index] ?? [] };
  const first = { column: 0, programId: 1 as ProgramId, anchor: at(20) };
  const second = placeFrom(columns, first, 'right');
  expect(second?.programId).toBe<unknown>(2);
  expect(second && placeFrom(columns, second, 'right')?.programId).toBe<unknown>(9);
  expect(second && placeFrom(columns, second, 'left')?.programId).toBe<unknown>(1);
});
