import { expect, test } from 'bun:test';
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { Station } from '../../lib/wire/api.ts';
import { neighbour, stationOfKey, withoutCopies } from './stations.ts';

const station = (id: number, type: Station['type'], remoteControlKey: number): Station => ({
  id: id as StationId,
  type,
  name: `局${id}`,
  remoteControlKey,
  logo: null,
  live: '',
  now: null,
});
const list = [station(1, 'GR', 1), station(2, 'GR', 1), station(3, 'GR', 4), station(9, 'BS', 101)];

test('channel up and down wrap around within the broadcast type', () => {
  expect(neighbour(list, 1 as StationId, 1)?.id).toBe<unknown>(2);
  expect(neighbour(list, 1 as StationId, -1)?.id).toBe<unknown>(3);
  expect(neighbour(list, 3 as StationId, 1)?.id).toBe<unknown>(1);
  expect(neighbour(list, 9 as StationId, 1)).toBeUndefined();
  expect(neighbour(list, 77 as StationId, 1)).toBeUndefined();
});

test('a sub-channel that shows the same as its main station is skipped', () => {
  const program = {
    id: 1 as ProgramId,
    title: '',
    name: '',
    startAt: broadcastMs(0),
    endAt: broadcastMs(1),
    reserved: false,
    recording: false,
    audios: [],
  };
  const copy = { ...station(2, 'GR', 1), now: { ...program, mainStationId: 1 as StationId } };
  const three = [station(1, 'GR', 1), copy, station(3, 'GR', 4)];
  expect(withoutCopies(three).map(({ id }) => id)).toEqual<unknown>([1, 3]);
  expect(neighbour(three, 1 as StationId, 1)?.id).toBe<unknown>(3);
  // Who watches it stays where he is.
  expect(withoutCopies(three, 2).map(({ id }) => id)).toEqual<unknown>([1, 2, 3]);
  expect(neighbour(three, 2 as StationId, 1)?.id).toBe<unknown>(3);
  // Without its main station in the list it is the only one to show the programme.
  expect(withoutCopies([copy]).map(({ id }) => id)).toEqual<unknown>([2]);
});

test('a number of the remote control means the first terrestrial station that has it', () => {
  expect(stationOfKey(list, 1)?.id).toBe<unknown>(1);
  expect(stationOfKey(list, 4)?.id).toBe<unknown>(3);
  expect(stationOfKey(list, 101)).toBeUndefined();
});
