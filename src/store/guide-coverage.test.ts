import { beforeEach, expect, test } from 'bun:test';
import { networkId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { wallMs } from '../../lib/host/clock.ts';
import type { ReadCoverage } from '../model/guide-change.ts';
import { openDatabase } from './database.ts';
import { CoverageStore } from './guide-coverage.ts';
import { StationStore } from './station-store.ts';

const [NETWORK, SERVICE] = [networkId(4), serviceId(101)];
const HOME = stationId(NETWORK, SERVICE);

let store: CoverageStore;

beforeEach(() => {
  const database = openDatabase(':memory:');
  const place = { type: 'BS' as const, networkId: NETWORK, serviceId: SERVICE, transportStreamId: null };
  const home = { id: HOME, ...place, channel: 'BS01_0', name: '', serviceType: 1, remoteControlKey: 1 };
  new StationStore(database).apply({ put: [home], hide: [], retype: [] }, broadcastMs(0));
  store = new CoverageStore(database);
});

function put(over: Partial<ReadCoverage>) {
  store.put([{ stationId: HOME, filledUntil: null, whole: false, readAt: null, hasGuide: true, ...over }]);
  return store.all().get(HOME);
}

test('a partial collection does not reduce the coverage, a complete one may', () => {
  expect(put({ filledUntil: broadcastMs(500), readAt: wallMs(10) })).toEqual({
    filledUntil: broadcastMs(500),
    readAt: wallMs(10),
    hasGuide: true,
  });
  expect(put({ filledUntil: broadcastMs(300) })).toEqual({
    filledUntil: broadcastMs(500),
    readAt: wallMs(10),
    hasGuide: true,
  });
  expect(put({})).toEqual({ filledUntil: broadcastMs(500), readAt: wallMs(10), hasGuide: true });
  expect(put({ filledUntil: broadcastMs(300), whole: true, readAt: wallMs(20) })).toEqual({
    filledUntil: broadcastMs(300),
    readAt: wallMs(20),
    hasGuide: true,
  });
  expect(put({ whole: true, hasGuide: false })).toEqual({
    filledUntil: null,
    readAt: wallMs(20),
    hasGuide: false,
  });
});

test('a segment without earlier stored ones does not extend the coverage', () => {
  expect(put({})).toEqual({ filledUntil: null, readAt: null, hasGuide: true });
});

test('unknown stations are ignored', () => {
  const other = stationId(networkId(6), serviceId(1));
  store.put([
    { stationId: other, filledUntil: broadcastMs(1), whole: true, readAt: wallMs(1), hasGuide: true },
  ]);
  expect(store.all().size).toBe(0);
});

test('a reading that is ahead of the clock is not the newest: the clock has been set back since', () => {
  expect(store.newestReadAt(wallMs(50))).toBeNull();
  put({ readAt: wallMs(10) });
  expect(store.newestReadAt(wallMs(50))).toBe(wallMs(10));
  put({ readAt: wallMs(100) });
  expect(store.newestReadAt(wallMs(50))).toBe(wallMs(0));
});
