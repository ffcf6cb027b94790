import { describe, expect, test } from 'bun:test';
import { eventId, networkId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { mainStationOf } from './main-station.ts';
import type { ProgramGroup } from './program.ts';

const station = (service: number, network = 0x7fe8) => stationId(networkId(network), serviceId(service));
const event = (service: number, network = 0x7fe8) => ({
  networkId: networkId(network),
  serviceId: serviceId(service),
  eventId: eventId(7),
});
const group = (type: ProgramGroup['type'], ...events: ProgramGroup['events']): ProgramGroup => ({
  type,
  events,
});
const all = (): boolean => true;

describe('the main station of a programme', () => {
  test('is the lowest-numbered one in its event group, for the sub-channels only', () => {
    const groups = [group('shared', event(1024), event(1025), event(1026))];
    const mains = [1024, 1025, 1026].map((service) =>
      mainStationOf({ stationId: station(service), groups }, all),
    );
    expect(mains).toEqual([undefined, station(1024), station(1024)]);
  });

  test('is the only one named in the event group of a sub-channel', () => {
    const own = { stationId: station(1025), groups: [group('shared', event(1024))] };
    expect(mainStationOf(own, all)).toBe(station(1024));
  });

  test('is one that is listed and of the same network', () => {
    const own = { stationId: station(1026), groups: [group('shared', event(1024), event(1025))] };
    expect(mainStationOf(own, (id) => id !== station(1024))).toBe(station(1025));
    const other = { stationId: station(1026), groups: [group('shared', event(101, 4))] };
    expect(mainStationOf(other, all)).toBeUndefined();
  });

  test('does not exist for a programme of its own, or one that continues elsewhere', () => {
    const own = { stationId: station(1025) };
    expect(mainStationOf({ ...own, groups: [] }, all)).toBeUndefined();
    const groups = [group('relay', event(1024)), group('movement', event(1024))];
    expect(mainStationOf({ ...own, groups }, all)).toBeUndefined();
  });
});
