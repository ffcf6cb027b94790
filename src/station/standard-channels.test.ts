import { expect, test } from 'bun:test';
import type { BroadcastType } from '../../lib/arib/ids.ts';
import type { Channel } from '../../lib/wire/agent.ts';
import { tunerOf } from '../../test/tuner.ts';
import {
  hasStandard,
  receivableChannels,
  standardChannels,
  withStandardChannels,
} from './standard-channels.ts';
import { stationsOfChannels } from './station-changes.ts';

const own = (type: BroadcastType, channel: string, serviceType = 1): Channel => ({
  type,
  channel,
  tsid: 1,
  networkId: { GR: 0x7fe8, BS: 4, CS: 6 }[type],
  stations: [{ serviceId: 1024, name: '局', serviceType, remoteControlKey: 1 }],
});
const empty = (type: BroadcastType, channel: string): Channel => ({ ...own(type, channel), stations: [] });
const types = (channels: readonly Channel[] | undefined) => [...new Set(channels?.map(({ type }) => type))];

test('every stream of the table has a station and appears once', () => {
  for (const type of ['BS', 'CS'] as const) {
    const table = standardChannels(type);
    expect(table.every(({ stations }) => stations.length === 1)).toBe(true);
    const listed = stationsOfChannels(table);
    expect(new Set(listed.map(({ id }) => id)).size).toBe(table.length);
  }
  expect(standardChannels('GR')).toEqual([]);
});

test('is added for a satellite type without a station, in place of its empty channels', () => {
  const table = withStandardChannels([own('GR', 'T27'), empty('BS', 'BS01_0'), own('CS', 'CS02')]);
  expect(table).toEqual([own('GR', 'T27'), own('CS', 'CS02'), ...standardChannels('BS')]);
  expect(types(withStandardChannels([]))).toEqual(['BS', 'CS']);
  // A data-only service does not count as a station.
  expect(types(withStandardChannels([own('BS', 'BS01_0', 0xc0), own('CS', 'CS02')]))).toEqual(['CS', 'BS']);
});

test('is not added where a station of the type exists, nor twice', () => {
  const both = [own('BS', 'BS01_0'), own('CS', 'CS02')];
  expect(withStandardChannels(both)).toBeUndefined();
  expect(withStandardChannels(withStandardChannels([]) ?? [])).toBeUndefined();
});

test('is listed only with a tuner for the type; channels of a scan are always listed', () => {
  const table = [own('GR', 'T27'), ...standardChannels('BS'), ...standardChannels('CS')];
  expect(hasStandard(table)).toBe(true);
  expect(types(receivableChannels(table, [tunerOf(['GR'])]))).toEqual(['GR']);
  expect(types(receivableChannels(table, [tunerOf(['BS'], { disabled: true })]))).toEqual(['GR', 'BS']);
  expect(receivableChannels(table, [tunerOf(['BS', 'CS'])])).toEqual(table);
  const scanned = [own('BS', 'BS01_0'), own('CS', 'CS02')];
  expect(hasStandard(scanned)).toBe(false);
  expect(receivableChannels(scanned, [])).toEqual(scanned);
});
