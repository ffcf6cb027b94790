import { expect, test } from 'bun:test';
import {
  broadcastTypeOf,
  eventId,
  networkId,
  pid,
  programId,
  serviceId,
  splitProgramId,
  splitStationId,
  stationId,
} from './ids.ts';

test('a station id is network * 100000 + service, a programme id that * 100000 + event', () => {
  const station = stationId(networkId(0x7fe8), serviceId(1024));
  expect(station as number).toBe(3_274_401_024);
  const program = programId(station, eventId(65_535));
  expect(program as number).toBe(327_440_102_465_535);
  expect(splitStationId(station)).toEqual({ networkId: networkId(0x7fe8), serviceId: serviceId(1024) });
  expect(splitProgramId(program)).toEqual({ stationId: station, eventId: eventId(65_535) });
});

test('numbers out of range are rejected', () => {
  for (const value of [-1, 1.5, Number.NaN, 99_999, 6_553_600_000, 2 ** 60]) {
    expect([value, splitStationId(value)]).toEqual([value, undefined]);
  }
  expect(splitProgramId(99_999)).toBeUndefined();
  expect(() => pid(0x2000)).toThrow(RangeError);
  expect(() => serviceId(-1)).toThrow(RangeError);
});

test('a network id belongs to GR, BS or CS, or to no type', () => {
  expect([0x7fe8, 0x7880, 4, 6, 7, 1, 0x000b].map((id) => broadcastTypeOf(networkId(id)))).toEqual([
    'GR',
    'GR',
    'BS',
    'CS',
    'CS',
    undefined,
    undefined,
  ]);
});
