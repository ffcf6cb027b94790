import { expect, test } from 'bun:test';
import type { BroadcastType } from '../../arib/ids.ts';
import { tunerOf } from '../../test/tuner.ts';
import type { Channel } from '../../wire/agent.ts';
import { standardChannels, withStandardChannels } from './standard-channels.ts';
import { stationsOfChannels } from './station-import.ts';

const own = (type: BroadcastType, channel: string, serviceType = 1): Channel => ({
  type,
  channel,
  tsid: 1,
  networkId: { GR: 0x7fe8, BS: 4, CS: 6 }[type],
  stations: [{ serviceId: 1024, name: '局', serviceType, remoteControlKey: 1 }],
});
const empty = (type: BroadcastType, channel: string): Channel => ({ ...own(type, channel), stations: [] });
const ALL = [tunerOf(['GR']), tunerOf(['BS', 'CS'])];
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
  const table = withStandardChannels([own('GR', 'T27'), empty('BS', 'BS01_0'), own('CS', 'CS02')], ALL);
  expect(table).toEqual([own('GR', 'T27'), own('CS', 'CS02'), ...standardChannels('BS')]);
  expect(types(withStandardChannels([], ALL))).toEqual(['BS', 'CS']);
  // A data-only service does not count as a station.
  expect(types(withStandardChannels([own('BS', 'BS01_0', 0xc0), own('CS', 'CS02')], ALL))).toEqual([
    'CS',
    'BS',
  ]);
});

test('is not added where a station of the type exists, nor twice, nor without a tuner for it', () => {
  const both = [own('BS', 'BS01_0'), own('CS', 'CS02')];
  expect(withStandardChannels(both, ALL)).toBeUndefined();
  expect(withStandardChannels(withStandardChannels([], ALL) ?? [], ALL)).toBeUndefined();
  const useless = [
    tunerOf(['GR']),
    tunerOf(['BS', 'CS'], { disabled: true }),
    tunerOf(['BS'], { rank: null }),
  ];
  expect(withStandardChannels([], useless)).toBeUndefined();
  expect(types(withStandardChannels([], [tunerOf(['BS'])]))).toEqual(['BS']);
});
