import { expect, test } from 'bun:test';
import type { BroadcastType } from '../arib/ids.ts';
import { ChannelsSchema } from '../wire/agent.ts';
import { parseChannelName } from './channel-name.ts';
import { parseAs } from './config/validate.ts';
import { STANDARD_CHANNELS, standardTsid } from './standard-channels.ts';

const ROWS: [BroadcastType, string, number | null][] = [
  ['CS', 'CS02', 0x6020],
  ['CS', 'CS04', 0x7040],
  ['CS', 'CS08', 0x6080],
  ['CS', 'CS10', 0x60a0],
  ['CS', 'CS24', 0x7180],
  ['BS', 'BS01_0', 0x4010],
  ['BS', 'BS03_1', 0x4631],
  ['BS', 'BS09_1', 0x4092],
  ['BS', 'BS23_2', 0x4973],
  ['BS', 'BS07_0', null],
  ['BS', 'BS05_2', null],
  ['GR', 'T27', null],
];

for (const [type, channel, tsid] of ROWS) {
  test(`the transport stream id of ${channel} before a scan`, () => {
    expect(standardTsid(type, channel)).toBe(tsid);
  });
}

test('the standard table is a valid channel table, with each channel and each id once', () => {
  expect(parseAs(ChannelsSchema, [...STANDARD_CHANNELS])).toEqual([...STANDARD_CHANNELS]);
  for (const { type, channel } of STANDARD_CHANNELS) expect(parseChannelName(type, channel)).toBe(channel);
  expect(new Set(STANDARD_CHANNELS.map((entry) => entry.channel)).size).toBe(STANDARD_CHANNELS.length);
  expect(new Set(STANDARD_CHANNELS.map((entry) => entry.tsid)).size).toBe(STANDARD_CHANNELS.length);
});

test('an id matches its network and transponder, slots ascend', () => {
  let before = { transponder: -1, slot: -1 };
  for (const { channel, tsid, networkId } of STANDARD_CHANNELS) {
    const id = tsid ?? 0;
    const place = { transponder: (id >> 4) & 0x1f, slot: id & 0x07 };
    expect([channel, id >> 12, place.transponder]).toEqual([
      channel,
      networkId ?? 0,
      Number(/^[BC]S(\d\d)/.exec(channel)?.[1]),
    ]);
    if (place.transponder === before.transponder) expect(place.slot).toBeGreaterThan(before.slot);
    before = place;
  }
});
