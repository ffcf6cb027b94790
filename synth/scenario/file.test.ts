import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { serviceId } from '../../lib/arib/ids.ts';
import { parseScenario } from './file.ts';
import { findChannel, loadScenario } from './load.ts';
import { logoKind } from './model.ts';

const EXAMPLE = join(import.meta.dir, 'example.json');

test('captions: true, false, and the full form', () => {
  const read = (captions: unknown) => {
    const station = {
      ...{ serviceId: 1, name: '局', audios: [{}], captions },
      video: { codec: 'mpeg2', width: 320, height: 240, bitrate: 1_000_000 },
    };
    const ids = { networkId: 4, transportStreamId: 0x4010, bitrate: 3_000_000 };
    const channel = { type: 'BS', channel: 'BS01_0', ...ids, stations: [station] };
    return parseScenario({ name: 'captioned', channels: [channel] }).channels[0]?.stations[0]?.captions;
  };
  expect(read(true)).toEqual({ languages: ['jpn'], newsflashSec: null });
  expect(read(false)).toBeUndefined();
  const all = { languages: ['jpn', 'eng'], newsflashSec: 60 };
  expect(read(all)).toEqual(all);
});

test('the example is read, with defaults for missing fields', () => {
  const scenario = loadScenario(EXAMPLE);
  const channel = findChannel(scenario, 'GR', 'T30');
  const [first, second] = channel.stations;
  expect(channel.clockReference).toBe('own');
  expect(first).toMatchObject({ serviceType: 1, theme: 'general' });
  expect(first?.audios[0]).toMatchObject({ mode: 'stereo', languages: ['jpn'], bitrate: 96_000 });
  expect(first?.programmes[1]).toMatchObject({ description: '', items: [] });
  expect(second?.programmes[0]).toMatchObject({ startAt: Date.UTC(2026, 10, 21, 11) });
  expect([first, second].map((station) => station && logoKind(station))).toEqual(['picture', 'shared']);
  expect(second).toMatchObject({ data: 'hybridcast', pay: true });
  expect(channel.dataServices).toEqual([{ serviceId: serviceId(9360), name: '例題データ', carousel: 'bml' }]);
});

describe('errors are reported with their path', () => {
  const programme = { durationSec: 10, title: '番組' };
  const station = {
    serviceId: 1,
    name: '局',
    video: { codec: 'mpeg2', width: 320, height: 240, bitrate: 1_000_000 },
    audios: [{}],
    programmes: [programme],
  };
  const withStation = (changed: object) => ({
    name: 'wrong',
    channels: [
      {
        type: 'BS',
        channel: 'BS01_0',
        networkId: 4,
        transportStreamId: 0x4010,
        bitrate: 3_000_000,
        stations: [{ ...station, ...changed }],
      },
    ],
  });
  const withChannel = (changed: object) => ({
    ...withStation({}),
    channels: withStation({}).channels.map((channel) => ({ ...channel, ...changed })),
  });
  const AT = 'channels[0].stations[0]';

  test('and the unmodified file is valid', () => {
    expect(parseScenario(withStation({})).channels).toHaveLength(1);
  });

  test.each([
    [null, '(全体)'],
    [{ name: 'empty' }, 'channels'],
    [withStation({ serviceId: 70_000 }), `${AT}.serviceId`],
    [withStation({ serviceID: 1 }), `${AT}.serviceID`],
    [withStation({ name: '長い名前の放送局の長い名前' }), `${AT}.name`],
    [withStation({ audios: [] }), `${AT}.audios`],
    [withStation({ audios: [{ mode: 'dual', languages: ['jpn'] }] }), `${AT}.audios[0].languages`],
    [withStation({ audios: [{ languages: ['ja'] }] }), `${AT}.audios[0].languages[0]`],
    [withStation({ theme: 'nothing' }), `${AT}.theme`],
    [withStation({ commercials: 'some' }), `${AT}.commercials`],
    [withStation({ commercials: { everySec: 10, lengthSec: 20 } }), `${AT}.commercials.lengthSec`],
    [withStation({ logo: 'huge' }), `${AT}.logo`],
    [withStation({ data: 'mheg' }), `${AT}.data`],
    [withStation({ pay: 'yes' }), `${AT}.pay`],
    [withChannel({ dataServices: [{ serviceId: 1, name: 'データ' }] }), 'channels[0].stations'],
    [withChannel({ dataServices: [{ serviceId: 2 }] }), 'channels[0].dataServices[0].name'],
    [
      withChannel({
        ...{ type: 'GR', channel: 'T30' },
        dataServices: [{ serviceId: 2, name: 'ロゴ', carousel: 'logos' }],
      }),
      'channels[0].dataServices',
    ],
    [withStation({ captions: 'yes' }), `${AT}.captions`],
    [withStation({ captions: { languages: ['jpn', 'eng', 'por'] } }), `${AT}.captions.languages`],
    [withStation({ captions: { newsflashSec: 59 } }), `${AT}.captions.newsflashSec`],
    [
      withStation({ captions: true, video: { codec: 'h264', width: 320, height: 180, bitrate: 200_000 } }),
      `${AT}.captions`,
    ],
    [withStation({ programmes: [{ ...programme, genres: [[16, 0]] }] }), `${AT}.programmes[0].genres[0][0]`],
    [withStation({ programmes: [{ ...programme, startAt: 'soon' }] }), `${AT}.programmes[0].startAt`],
    [
      withStation({ programmes: [programme, { ...programme, startAt: '2026-11-21T00:00:00Z' }] }),
      `${AT}.programmes`,
    ],
  ])('%#', (json, place) => {
    expect(() => parseScenario(json)).toThrow(`${place}:`);
  });
});
