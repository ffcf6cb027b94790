import { expect, test } from 'bun:test';
import { type BroadcastType, networkId, type StationId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { newNumbers } from './tv-handler.ts';

function station(type: BroadcastType, network: number, service: number, remoteControlKey = 0) {
  const own = serviceId(service);
  return { id: stationId(networkId(network), own), type, serviceId: own, remoteControlKey };
}

const numbersOf = (
  stations: ReturnType<typeof station>[],
  given = new Map<StationId, string>(),
): string[] => {
  const added = newNumbers(stations, given);
  return stations.map(({ id }) => added.get(id) ?? given.get(id) ?? '');
};

test('terrestrial stations have key and branch, satellites their service id, and none is given twice', () => {
  const stations = [
    station('GR', 0x7fe8, 1024, 1),
    station('GR', 0x7fe8, 1025, 1),
    station('GR', 0x7fe0, 2048, 1),
    station('GR', 0x7fe1, 1040),
    station('BS', 4, 161, 6),
    station('CS', 6, 161, 0),
  ];
  expect(numbersOf(stations)).toEqual(['1.1', '1.2', '1.11', '1040', '161', '10161']);
});

test('given numbers stay, also of stations that are gone', () => {
  const gone = station('GR', 0x7fe8, 1024, 1);
  const other = station('GR', 0x7fe0, 2048, 1);
  expect(numbersOf([other], new Map([[gone.id, '1.1']]))).toEqual(['1.11']);
  expect(numbersOf([gone], new Map([[gone.id, '9.9']]))).toEqual(['9.9']);
});
