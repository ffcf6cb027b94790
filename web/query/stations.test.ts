import { expect, test } from 'bun:test';
import type { Station } from '../../wire/api.ts';
import { neighbour, stationOfKey } from './stations.ts';

const station = (id: number, type: Station['type'], remoteControlKey: number): Station => ({
  id,
  type,
  name: `局${id}`,
  remoteControlKey,
  logo: null,
  live: '',
  now: null,
});
const list = [station(1, 'GR', 1), station(2, 'GR', 1), station(3, 'GR', 4), station(9, 'BS', 101)];

test('channel up and down go around within the broadcast type', () => {
  expect(neighbour(list, 1, 1)?.id).toBe(2);
  expect(neighbour(list, 1, -1)?.id).toBe(3);
  expect(neighbour(list, 3, 1)?.id).toBe(1);
  expect(neighbour(list, 9, 1)).toBeUndefined();
  expect(neighbour(list, 77, 1)).toBeUndefined();
});

test('a number of the remote control means the first terrestrial station that has it', () => {
  expect(stationOfKey(list, 1)?.id).toBe(1);
  expect(stationOfKey(list, 4)?.id).toBe(3);
  expect(stationOfKey(list, 101)).toBeUndefined();
});
