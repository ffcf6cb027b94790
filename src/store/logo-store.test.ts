import { beforeEach, expect, test } from 'bun:test';
import { networkId, type StationId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { wallMs } from '../../lib/host/clock.ts';
import { LOGO_LIFE_MS } from '../model/logo.ts';
import { openDatabase } from './database.ts';
import { LogoStore } from './logo-store.ts';
import { StationStore } from './station-store.ts';

const HOME = stationId(networkId(0x7fe8), serviceId(1024));

let database: ReturnType<typeof openDatabase>;
let store: LogoStore;

beforeEach(() => {
  database = openDatabase(':memory:');
  new StationStore(database).apply(
    {
      put: [
        {
          id: HOME,
          type: 'GR',
          networkId: networkId(0x7fe8),
          serviceId: serviceId(1024),
          transportStreamId: null,
          channel: 'T27',
          name: '局',
          serviceType: 1,
          remoteControlKey: 1,
        },
      ],
      hide: [],
      retype: [],
    },
    broadcastMs(0),
  );
  store = new LogoStore(database);
});

const logo = (type: number, version: number | null, ...bytes: number[]) => ({
  stationId: HOME,
  type,
  version,
  png: Uint8Array.from(bytes),
});
const changes = () =>
  database.query<{ value: number }, []>("SELECT value FROM counters WHERE name = 'stations'").get()?.value;

test('the best logo is kept, and its ETag changes only with its picture', () => {
  const [small] = store.put([logo(2, 1, 1, 2)], wallMs(10));
  expect(store.png(HOME)).toEqual(Uint8Array.of(1, 2));
  const [large] = store.put([logo(5, 1, 3, 4)], wallMs(20));
  expect([small?.tag === large?.tag, store.png(HOME)]).toEqual([false, Uint8Array.of(3, 4)]);
  expect(store.put([logo(2, 1, 9)], wallMs(30))).toEqual(large === undefined ? [] : [large]);
  expect(store.all()).toEqual([
    { stationId: HOME, type: 5, version: 1, fetchedAt: wallMs(20), tag: large?.tag ?? '' },
  ]);
});

test('the same picture again is recorded without changing the station list', () => {
  store.put([logo(5, null, 3, 4)], wallMs(10));
  const before = changes();
  const [again] = store.put([logo(5, 7, 3, 4)], wallMs(50));
  expect(again).toMatchObject({ fetchedAt: 50, version: 7 });
  expect(changes()).toBe(before);
  store.put([logo(5, 7, 5, 5)], wallMs(60));
  expect(changes()).not.toBe(before);
});

test('a newer version replaces an older one, and an older one only an expired one', () => {
  store.put([logo(5, 2, 2)], wallMs(0));
  store.put([logo(5, 1, 1)], wallMs(10));
  expect(store.png(HOME)).toEqual(Uint8Array.of(2));
  store.put([logo(5, 3, 3)], wallMs(20));
  expect(store.png(HOME)).toEqual(Uint8Array.of(3));
  store.put([logo(2, 1, 1)], wallMs(30 + LOGO_LIFE_MS));
  expect(store.png(HOME)).toEqual(Uint8Array.of(1));
});

test('a logo of an unknown station is ignored', () => {
  expect(store.put([{ ...logo(5, 1, 1), stationId: 5 as StationId }], wallMs(0))).toEqual([]);
  expect([store.all(), store.png(HOME)]).toEqual([[], undefined]);
});
