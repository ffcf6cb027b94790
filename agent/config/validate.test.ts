import { describe, expect, test } from 'bun:test';
import { ChannelsSchema, TunerDefinitionsSchema } from '../../lib/wire/agent.ts';
import { BadValue, parseAs } from './validate.ts';

const TUNER = { driver: 'fake', device: '', types: ['GR'] };
const CHANNEL = { type: 'GR', channel: 'T27', tsid: null, networkId: 1, stations: [] };

const TUNERS: [unknown, string][] = [
  [null, '配列'],
  [{}, '配列'],
  [[1], '[0]: オブジェクト'],
  [[{ ...TUNER, driver: 'x' }], '[0].driver: dvb, px4, fake のいずれか'],
  [[TUNER, { ...TUNER, types: ['GR', 'XX'] }], '[1].types[1]: GR, BS, CS のいずれか'],
  [[{ ...TUNER, types: [] }], '[0].types: 重複のない配列'],
  [[{ ...TUNER, types: ['GR', 'GR'] }], '[0].types: 重複のない配列'],
  [[{ driver: 'fake', types: ['GR'] }], '[0].device: 必須です'],
  [[{ ...TUNER, lnb: 'on' }], '[0].lnb: true か false'],
  [[{ ...TUNER, id: '' }], '[0].id: 文字列 (1〜64 文字)'],
  [Array.from({ length: 65 }, () => TUNER), '配列'],
];

describe('an invalid value is reported with its field', () => {
  for (const [value, message] of TUNERS) {
    test(message, () => {
      expect(() => parseAs(TunerDefinitionsSchema, value)).toThrow(BadValue);
      expect(() => parseAs(TunerDefinitionsSchema, value)).toThrow(message);
    });
  }

  test('in the channel table', () => {
    expect(() => parseAs(ChannelsSchema, [{ ...CHANNEL, tsid: 70_000 }])).toThrow(
      '[0].tsid: 整数 (0〜65535)',
    );
    const station = { serviceId: 1, name: 'x', serviceType: 1, remoteControlKey: 1.5 };
    expect(() => parseAs(ChannelsSchema, [{ ...CHANNEL, stations: [station] }])).toThrow(
      '[0].stations[0].remoteControlKey',
    );
  });
});

test('unknown fields are dropped, for example a command', () => {
  expect(parseAs(TunerDefinitionsSchema, [{ ...TUNER, command: 'rm -rf /', extra: { a: 1 } }])).toEqual([
    TUNER as never,
  ]);
});
