import { expect, test } from 'bun:test';
import type { StationId } from '../../lib/arib/ids.ts';
import type { Station } from '../../lib/wire/api.ts';
import { channelLabel, narrow } from './channel.ts';

const station = (id: number, type: Station['type'], remoteControlKey: number): Station => ({
  id: id as StationId,
  type,
  name: '',
  remoteControlKey,
  logo: null,
  live: '',
  now: null,
});

test('letters and digits are narrowed, everything else stays', () => {
  expect(narrow('第７話　ＮＥＷＳ（１）～「Ａ」！')).toBe('第7話　NEWS（1）～「A」！');
});

test('a station is called by its remote control number, a branch by three digits', () => {
  const list = [
    station(32740_01024, 'GR', 1),
    station(32740_01025, 'GR', 1),
    station(32740_01026, 'GR', 1),
    station(32999_05000, 'GR', 1),
    station(32745_01064, 'GR', 12),
    station(32745_01065, 'GR', 12),
    station(4_00101, 'BS', 101),
    station(6_00296, 'CS', 0),
  ];
  expect(list.map((entry) => channelLabel(entry, list))).toEqual([
    ...['1', '012', '013', '1', '12', '122'],
    ...['BS 101', 'CS'],
  ]);
});
