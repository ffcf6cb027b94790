import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { StationId } from '../../lib/arib/ids.ts';
import type { Station } from '../../lib/wire/api.ts';
import { arranged } from './station-order.ts';

const station = (id: number): Station => ({
  id: id as StationId,
  type: 'GR',
  name: `局${id}`,
  remoteControlKey: id,
  logo: null,
  live: `/api/live/${id}`,
  now: null,
});
const LIST = [1, 2, 3, 4, 5].map(station);
const order = (pinned: readonly number[], hidden: readonly number[], kept?: number): number[] =>
  arranged(LIST, pinned, hidden, kept).map(({ id }) => id);

test('pinned stations come first in their own order, hidden ones not at all', () => {
  expect(order([], [])).toEqual([1, 2, 3, 4, 5]);
  expect(order([4, 2], [])).toEqual([4, 2, 1, 3, 5]);
  expect(order([4, 2], [2, 5])).toEqual([4, 1, 3]);
});

test('the station being watched stays', () => {
  expect(order([], [3], 3)).toEqual([1, 2, 3, 4, 5]);
});

test('each listed station appears once, whatever is stored for removed ones', () => {
  const ids = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 12 });
  fc.assert(
    fc.property(ids, ids, (pinned, hidden) => {
      const got = order(pinned, hidden);
      const wanted = LIST.map(({ id }) => id).filter((id) => !hidden.includes(id));
      expect([...got].sort()).toEqual(wanted);
    }),
  );
});
