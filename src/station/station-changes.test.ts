import { describe, expect, test } from 'bun:test';
import type { StationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { monotonicMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import type { Channel } from '../../lib/wire/agent.ts';
import { fuzzSeed, Random } from '../../test/fuzz/random.ts';
import { Hub } from '../notify/hub.ts';
import { openDatabase } from '../store/database.ts';
import { ProgramStore } from '../store/program-store.ts';
import { StationStore } from '../store/station-store.ts';
import { stationsOfChannels } from './station-changes.ts';
import { StationList } from './station-list.ts';

type ChannelStation = Channel['stations'][number];

const NETWORK = 0x7fe8;
const MINUTE = 60_000;

function station(serviceId: number, over: Partial<ChannelStation> = {}): ChannelStation {
  return { serviceId, name: `局${serviceId}`, serviceType: 1, remoteControlKey: 1, ...over };
}

function channel(stations: ChannelStation[], over: Partial<Channel> = {}): Channel {
  return { type: 'GR', channel: 'T27', tsid: NETWORK, networkId: NETWORK, stations, ...over };
}

function open() {
  const database = openDatabase(':memory:');
  const hub = new Hub(() => {});
  const events: string[] = [];
  hub.subscribe((event) => events.push(event.name));
  const clock = { now: 0, wall: 1_000_000 };
  const store = new StationStore(database);
  const start = () =>
    new StationList({
      stations: store,
      programs: new ProgramStore(database),
      hub,
      log: SILENT_LOG,
      now: () => broadcastMs(clock.wall),
      monotonic: () => monotonicMs(clock.now),
      forgetAfterMs: 30 * MINUTE,
    });
  const id = (serviceId: number) => (NETWORK * 100_000 + serviceId) as StationId;
  const forgotten = () =>
    store
      .known()
      .filter((one) => one.forgotten)
      .map(({ id: known }) => known);
  return { database, store, stations: start(), start, events, clock, id, forgotten };
}

describe('an import', () => {
  test('hides a missing station at once, and deletes it once after a long absence', () => {
    const { stations, clock, id, forgotten, events, database } = open();
    stations.import([channel([station(1024), station(1032)])]);
    stations.import([channel([station(1024)])]);
    expect(stations.list().map((one) => one.id)).toEqual([id(1024)]);
    expect(stations.findKnown(id(1032))?.name).toBe('局1032');
    database.run(`INSERT INTO reservations (program_id, station_id, state, priority, name, description, start_at,
      end_at, created_at, updated_at) VALUES (1, ${id(1032)}, 'scheduled', 2, '', '', 9000000, 9100000, 0, 0)`);
    clock.now = 29 * MINUTE;
    stations.import([channel([station(1024)])]);
    expect(forgotten()).toEqual([]);
    clock.now = 30 * MINUTE;
    stations.import([channel([station(1024)])]);
    expect(forgotten()).toEqual([id(1032)]);
    const state = () => database.query('SELECT state FROM reservations').values();
    expect(state()).toEqual([['cancelled']]);
    expect(events).toContain('reservations');
    // Restored by a user: it is not cancelled again.
    database.run("UPDATE reservations SET state = 'scheduled'");
    clock.now = 90 * MINUTE;
    stations.import([channel([station(1024)])]);
    expect(state()).toEqual([['scheduled']]);
  });

  test('that contains the station again resets its absence', () => {
    const { stations, clock, forgotten } = open();
    const both = [channel([station(1024), station(1032)])];
    const one = [channel([station(1024)])];
    stations.import(both);
    stations.import(one);
    clock.now = 29 * MINUTE;
    stations.import(both);
    expect(stations.list()).toHaveLength(2);
    clock.now = 31 * MINUTE;
    stations.import(one);
    clock.now = 60 * MINUTE;
    stations.import(one);
    expect(forgotten()).toEqual([]);
    clock.now = 61 * MINUTE;
    stations.import(one);
    expect(forgotten()).toHaveLength(1);
    stations.import(both);
    expect([stations.list().length, forgotten()] as unknown).toEqual([2, []]);
  });

  test('without any station changes nothing, for any duration', () => {
    const { stations, clock, forgotten } = open();
    stations.import([channel([station(1024)])]);
    for (const answer of [[], [channel([])], [channel([station(1408, { serviceType: 0xc0 })])]]) {
      clock.now += 60 * MINUTE;
      expect(stations.import(answer)).toBe(false);
    }
    expect([stations.list().length, forgotten()] as unknown).toEqual([1, []]);
  });

  test('a clock step deletes nothing; a restart restarts the count', () => {
    const { stations, start, clock, forgotten } = open();
    stations.import([channel([station(1024), station(1032)])]);
    stations.import([channel([station(1024)])]);
    clock.wall += 365 * 24 * 60 * MINUTE;
    stations.import([channel([station(1024)])]);
    expect(forgotten()).toEqual([]);
    clock.now = 29 * MINUTE;
    const again = start();
    again.import([channel([station(1024)])]);
    clock.now = 58 * MINUTE;
    again.import([channel([station(1024)])]);
    expect(forgotten()).toEqual([]);
    clock.now = 59 * MINUTE;
    again.import([channel([station(1024)])]);
    expect(forgotten()).toHaveLength(1);
  });

  test('a station that changes its service id becomes a new station, and the old one is removed', () => {
    const { stations, clock, id, forgotten } = open();
    stations.import([channel([station(1024, { name: '局' })])]);
    stations.import([channel([station(1025, { name: '局' })])]);
    expect(stations.list().map((one) => one.id)).toEqual([id(1025)]);
    clock.now = 30 * MINUTE;
    stations.import([channel([station(1025, { name: '局' })])]);
    expect(forgotten()).toEqual([id(1024)]);
  });

  test('two networks that claim one service are two stations; two channels of one network are one', () => {
    const { stations } = open();
    stations.import([
      channel([station(1024)]),
      channel([station(1024)], { channel: 'T30', networkId: 0x7fd8 }),
      channel([station(1024, { name: '中継局' })], { channel: 'T40' }),
    ]);
    expect(stations.list().map((one) => [one.networkId, one.channel, one.name] as unknown)).toEqual([
      [0x7fd8, 'T30', '局1024'],
      [0x7fe8, 'T27', '局1024'],
    ]);
  });

  test('a station that becomes a data service leaves the list, and finally the table', () => {
    const { stations, store, clock, id } = open();
    stations.import([channel([station(1024), station(1032)])]);
    const data = [channel([station(1024), station(1032, { serviceType: 0xc0 })])];
    stations.import(data);
    expect(stations.list().map((one) => one.id)).toEqual([id(1024)]);
    expect(stations.findKnown(id(1032))).toMatchObject({ serviceType: 0xc0, hidden: true });
    clock.now = 30 * MINUTE;
    stations.import(data);
    expect(store.known()).toHaveLength(2);
    stations.import(data);
    expect(store.known().map((one) => one.id)).toEqual([id(1024)]);
    // A television station that disappeared permanently keeps its row.
    stations.import([channel([station(1040)])]);
    for (const minutes of [60, 90]) {
      clock.now = minutes * MINUTE;
      stations.import([channel([station(1040)])]);
    }
    expect(store.known()).toHaveLength(2);
  });

  test('for any series of imports the list equals the last one with stations, and no present television station is deleted', () => {
    const seed = fuzzSeed();
    const random = new Random(seed);
    for (let round = 0; round < 30; round++) {
      const { stations, store, start, clock, database } = open();
      let current = stations;
      let last: number[] = [];
      const everListed = new Set<number>();
      const everData = new Set<number>();
      for (let step = 0; step < 40; step++) {
        clock.now += random.below(20) * MINUTE;
        clock.wall += (random.below(3) - 1) * 1e9;
        if (random.below(10) === 0) current = start();
        const services = Array.from({ length: random.below(4) }, () => 1024 + random.below(6));
        const types = services.map(() => (random.below(5) === 0 ? 0xc0 : 1));
        current.import([
          channel(services.map((service, at) => station(service, { serviceType: types[at] ?? 1 }))),
        ]);
        for (const [at, service] of services.entries()) if (types[at] !== 1) everData.add(service);
        const listed = [...new Set(services.filter((_, at) => types[at] === 1))].sort();
        if (listed.length > 0) last = listed;
        const what = `seed ${seed} round ${round} step ${step}`;
        expect(
          current.list().map((one) => one.serviceId as number),
          what,
        ).toEqual(last);
        for (const one of last) everListed.add(one);
        const rows = store.known();
        for (const row of rows) if (!row.hidden) expect(row.forgotten, what).toBe(false);
        for (const service of everListed) {
          const kept = rows.some((row) => row.serviceId === service);
          if (!everData.has(service)) expect(kept, what).toBe(true);
        }
        expect(start().list(), what).toEqual(current.list());
      }
      database.close();
    }
  });
});

describe('station import', () => {
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
});
