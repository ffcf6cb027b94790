import { describe, expect, test } from 'bun:test';
import { broadcastMs } from '../../arib/time.ts';
import { SILENT_LOG } from '../../host/log.ts';
import type { Channel, ChannelStation } from '../../wire/agent.ts';
import { Hub } from '../hub/hub.ts';
import { openDatabase } from '../store/database.ts';
import { ProgramStore } from '../store/program-store.ts';
import { StationStore } from '../store/station-store.ts';
import { stationsOfChannels } from './station-import.ts';
import { StationList } from './station-list.ts';

function station(serviceId: number, over: Partial<ChannelStation> = {}): ChannelStation {
  return { serviceId, name: `局${serviceId}`, serviceType: 1, remoteControlKey: null, ...over };
}

function channel(over: Partial<Channel>): Channel {
  return { type: 'GR', channel: 'T27', tsid: 0x7fe8, networkId: 0x7fe8, stations: [], ...over };
}

describe('stationsOfChannels', () => {
  test('one-segment, data and engineering services are omitted, radio stays', () => {
    const found = stationsOfChannels([
      channel({
        stations: [
          station(1024, { remoteControlKey: 1 }),
          station(1024 + 0x180), // one-segment by its id, although its type is television
          station(1025, { serviceType: 0xc0 }),
          station(1026, { serviceType: 0xa4 }),
          station(1027, { serviceType: 2 }),
        ],
      }),
    ]);
    expect(found.map((row) => row.serviceId as number)).toEqual([1024, 1027]);
  });

  test('satellite stations have their service id as key, whatever the scan reported', () => {
    const [bs] = stationsOfChannels([
      channel({
        type: 'BS',
        channel: 'BS01_0',
        networkId: 4,
        tsid: 16400,
        stations: [station(151, { remoteControlKey: 5 })],
      }),
    ]);
    expect(bs).toMatchObject({ id: 400151, remoteControlKey: 151, transportStreamId: 16400 });
  });

  test('a satellite service id with the bits of a terrestrial one-segment service is listed', () => {
    const cs = channel({ type: 'CS', channel: 'CS02', networkId: 6, stations: [station(0x180)] });
    expect(stationsOfChannels([cs])).toHaveLength(1);
  });

  test('names have no control and no bidirectional characters', () => {
    const [found] = stationsOfChannels([
      channel({ stations: [station(1024, { name: '\u202e みなと\u0007総合\u2066\n１ ' })] }),
    ]);
    expect(found?.name).toBe('みなと総合 １');
  });

  test('a station on two channels is taken from the first; one without a network has no id', () => {
    const found = stationsOfChannels([
      channel({ channel: 'T13', networkId: null, stations: [station(1024)] }),
      channel({ channel: 'T27', stations: [station(1024)] }),
      channel({ channel: 'T32', stations: [station(1024)] }),
    ]);
    expect(found.map((row) => row.channel)).toEqual(['T27']);
  });
});

describe('Stations', () => {
  function open() {
    const database = openDatabase(':memory:');
    const hub = new Hub(() => {});
    const events: string[] = [];
    hub.subscribe((event) => events.push(event.name));
    const make = () =>
      new StationList({
        stations: new StationStore(database),
        programs: new ProgramStore(database),
        hub,
        log: SILENT_LOG,
        now: () => broadcastMs(1000),
      });
    return { stations: make(), events, make };
  }
  const one = channel({ stations: [station(1024, { remoteControlKey: 1 })] });

  test('publishes only when the list changed', () => {
    const { stations, events } = open();
    expect(stations.import([one])).toBe(true);
    expect(stations.import([one])).toBe(false);
    expect(stations.import([{ ...one, stations: [station(1024, { name: '改名' })] }])).toBe(true);
    expect(events).toEqual(['services', 'services']);
    expect(stations.list().map((row) => row.name)).toEqual(['改名']);
  });

  test('an answer without any station changes nothing', () => {
    const { stations } = open();
    stations.import([one]);
    expect(stations.import([])).toBe(false);
    expect(stations.import([channel({})])).toBe(false);
    expect(stations.list()).toHaveLength(1);
  });

  test('the list is available after a restart, before the agent answers', () => {
    const { stations, make } = open();
    stations.import([one]);
    expect(make().list()).toEqual(stations.list());
  });

  test('a station without a programme offers 0:both', () => {
    const { stations } = open();
    stations.import([one]);
    const [listed] = stations.list();
    expect(listed && stations.audios(listed.id).map((option) => option.id)).toEqual(['0:both']);
  });
});
