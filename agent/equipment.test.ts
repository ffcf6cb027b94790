import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BroadcastType } from '../lib/arib/ids.ts';
import { SILENT_LOG } from '../lib/host/log.ts';
import { ChannelsSchema, type TunerDefinition } from '../lib/wire/agent.ts';
import { parseChannelName } from './channel-name.ts';
import { parseAs } from './config/validate.ts';
import { Equipment, STANDARD_CHANNELS, standardTsid } from './equipment.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'svc-equipment-'));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

const GR: TunerDefinition = { name: '地上波 1', driver: 'px4', device: '/dev/px4video2', types: ['GR'] };
const BS: TunerDefinition = {
  name: 'BS・CS 1',
  driver: 'px4',
  device: '/dev/px4video0',
  types: ['BS', 'CS'],
};

let files = 0;

function load(detected: TunerDefinition[], stored?: unknown): Promise<Equipment> {
  files += 1;
  const tunersFile = join(FOLDER, `tuners${files}.json`);
  if (stored !== undefined) writeFileSync(tunersFile, JSON.stringify(stored));
  return Equipment.load({
    tunersFile,
    channelsFile: join(FOLDER, 'none.json'),
    detect: async () => detected,
    fakeAllowed: false,
    log: SILENT_LOG,
  });
}

const shown = (equipment: Equipment): string[] =>
  equipment.tuners.map(({ id, device, types }) => `${id} ${device.slice(5)} ${types.join('+')}`);

describe('equipment without a tuners file', () => {
  test('is the detected equipment; devices keep their ids', async () => {
    const equipment = await load([GR]);
    expect(shown(equipment)).toEqual(['px40 px4video2 GR']);
    equipment.adapt([BS, GR]);
    expect(shown(equipment)).toEqual(['px40 px4video2 GR', 'px41 px4video0 BS+CS']);
    equipment.adapt([BS]);
    expect(shown(equipment)).toEqual(['px40 px4video2 GR', 'px41 px4video0 BS+CS']);
    equipment.adapt([{ ...BS, types: ['GR', 'BS', 'CS'] }, GR]);
    expect(shown(equipment)).toEqual(['px40 px4video2 GR', 'px41 px4video0 GR+BS+CS']);
  });

  test('is the stored list once a user saved one', async () => {
    const equipment = await load([GR, BS]);
    await equipment.replaceTuners([{ ...BS, name: '居間', lnb: true }]);
    equipment.adapt([GR]);
    expect(equipment.tuners).toMatchObject([{ name: '居間', lnb: true, device: '/dev/px4video0' }]);
  });
});

describe('a tuners file', () => {
  test('takes precedence over detected devices, also if its devices do not exist', async () => {
    const equipment = await load([GR], [BS]);
    equipment.adapt([GR]);
    expect(shown(equipment)).toEqual(['px40 px4video0 BS+CS']);
  });

  const BAD: [string, TunerDefinition[], string][] = [
    ['the same device twice', [BS, { ...BS, name: 'x' }], '[1].device'],
    ['a file that is no tuner', [{ ...GR, device: '/etc/passwd' }], '[0].device'],
    ['a path that leads elsewhere', [{ ...GR, device: '/dev/../dev/px4video2' }], '[0].device'],
    ['a frontend of the wrong driver', [{ ...GR, device: '/dev/dvb/adapter0/frontend0' }], '[0].device'],
    ['an adapter without a frontend', [{ ...GR, driver: 'dvb', device: '/dev/dvb/adapter0' }], '[0].device'],
  ];
  for (const [what, definitions, field] of BAD) {
    test(`with ${what} is refused with its field, in a request and in the file`, async () => {
      const equipment = await load([GR]);
      await expect(equipment.replaceTuners(definitions)).rejects.toThrow(field);
      expect(shown(equipment)).toEqual(['px40 px4video2 GR']);
      const broken = await load([GR], definitions);
      expect(() => broken.tuners).toThrow(field);
      expect(broken.tunersOrNone).toEqual([]);
    });
  }
});

test('station names in a channels file are shown without control and bidirectional characters', async () => {
  const channelsFile = join(FOLDER, 'channels.json');
  const stations = [
    { serviceId: 1024, name: 'みなと\u001b[31m総合\u202e１', serviceType: 1, remoteControlKey: 1 },
  ];
  const channel = { type: 'GR', channel: 'T27', tsid: 1, networkId: 32740 };
  writeFileSync(channelsFile, JSON.stringify([{ ...channel, stations }]));
  const equipment = await Equipment.load({
    ...{ channelsFile, tunersFile: join(FOLDER, 'none.json'), detect: async () => [] },
    ...{ fakeAllowed: false, log: SILENT_LOG },
  });
  expect(equipment.channels[0]?.stations[0]?.name).toBe('みなと[31m総合１');
  const replaced = await equipment.replaceChannels([{ ...channel, stations }]);
  expect(replaced[0]?.stations[0]?.name).toBe('みなと[31m総合１');
});

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
