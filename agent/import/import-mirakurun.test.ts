import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { importMirakurun } from './import-mirakurun.ts';
import { channelName, readMirakurunChannels } from './mirakurun-channels.ts';
import { ImportFailure } from './mirakurun-file.ts';
import { readMirakurunTuners } from './mirakurun-tuners.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-import-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const TUNERS = `
- name: W3U4-S1
  types:
    - BS
    - CS
  command: recpt1 --device /dev/px4video0 --lnb 15 <channel> - -
  decoder: arib-b25-stream-test
- name: W3U4-T1
  types: [GR]
  command: recisdb tune --device /dev/px4video2 --channel <channel> -
  isDisabled: true
- name: DVB-T
  types: [GR]
  command: dvbv5-zap -a 1 -c ./dvbconf-for-isdb/conf/dvbv5_channels_isdbt.conf -r -P <channel>
  dvbDevicePath: /dev/dvb/adapter1/dvr0
- name: DVB-S
  types: [BS, CS]
  command: dvbv5-zap --adapter=2 --frontend 1 -c conf -r -P <channel>
- name: MLT5-GR
  types: [GR]
  command: recpt1 --device "/dev/pxmlt5video1" <channel> - -
- name: MLT5-S
  types: [BS, CS]
  command: recpt1 --device /dev/pxmlt5video1 --lnb=0 <channel> - -
- name: Premium
  types: [SKY]
  command: szap-s2j -c conf <channel>
- name: Remote
  types: [GR]
  remoteMirakurunHost: 192.168.1.9
- name: Unknown
  types: [GR]
  command: my-tuner <channel>
- name: Old
  types: [GR]
  command: recpx4 --device /dev/px4-DTV2 <channel> - -
- types: [GR, BS]
  command: recpt1 --device /dev/px4video4 <channel> - -
`;

describe('tuners.yml', () => {
  const { tuners, notes } = readMirakurunTuners(TUNERS, 'tuners.yml');

  test('devices are read from the commands of the usual tuning programs', () => {
    expect(tuners).toEqual([
      { name: 'W3U4-S1', driver: 'px4', device: '/dev/px4video0', types: ['BS', 'CS'], lnb: true },
      { name: 'W3U4-T1', driver: 'px4', device: '/dev/px4video2', types: ['GR'], disabled: true },
      { name: 'DVB-T', driver: 'dvb', device: '/dev/dvb/adapter1/frontend0', types: ['GR'] },
      { name: 'DVB-S', driver: 'dvb', device: '/dev/dvb/adapter2/frontend1', types: ['BS', 'CS'] },
      { name: 'MLT5-GR', driver: 'px4', device: '/dev/pxmlt5video1', types: ['GR', 'BS', 'CS'] },
      { driver: 'px4', device: '/dev/px4video4', types: ['BS'] },
    ]);
  });

  test('an entry that cannot be imported is reported by its name, with the reason', () => {
    const report = notes.map(({ entry, text }) => `${entry} ${text}`).join('\n');
    expect(report).toContain('7 番目の「Premium」 取り込めません。types に GR・BS・CS のどれもありません');
    expect(report).toContain('8 番目の「Remote」 取り込めません。ほかの Mirakurun');
    expect(report).toContain('my-tuner のコマンドから');
    expect(report).toContain('/dev/px4-DTV2 のドライバーには対応していません');
    expect(report).toContain('11 番目の項目 GR は除きました');
    expect(report).toContain('6 番目の「MLT5-S」 /dev/pxmlt5video1 はすでにあるため');
    expect(report).toContain('decoder（1 件） 使いません');
    expect(notes).toHaveLength(7);
  });
});

describe('channels.yml', () => {
  test('stations of one physical channel become one channel, satellites with their ids', () => {
    const { channels, notes } = readMirakurunChannels(
      `
- {name: 'NHK総合', type: GR, channel: '27'}
- {name: Number, type: GR, channel: 26}
- {name: NHK BS, type: BS, channel: BS15_0, serviceId: 101}
- {name: NHK BS 2, type: BS, channel: BS15_0, serviceId: 102}
- {name: again, type: BS, channel: BS15_0, serviceId: 102}
- {name: shop, type: CS, channel: CS8, serviceId: 55}
- {name: off, type: BS, channel: BS09_0, serviceId: 211, isDisabled: true}
- {name: cable, type: GR, channel: C23}
- {name: sky, type: SKY, channel: CH585}
`,
      'channels.yml',
    );
    expect(channels).toEqual([
      { type: 'GR', channel: 'T27', tsid: null, networkId: null, stations: [] },
      { type: 'GR', channel: 'T26', tsid: null, networkId: null, stations: [] },
      {
        ...{ type: 'BS', channel: 'BS15_0', tsid: 0x40f1, networkId: 4 },
        stations: [
          { serviceId: 101, name: 'NHK BS', serviceType: 1, remoteControlKey: null },
          { serviceId: 102, name: 'NHK BS 2', serviceType: 1, remoteControlKey: null },
        ],
      },
      {
        ...{ type: 'CS', channel: 'CS08', tsid: 0x6080, networkId: 6 },
        stations: [{ serviceId: 55, name: 'shop', serviceType: 1, remoteControlKey: null }],
      },
    ]);
    expect(notes.map(({ entry }) => entry)).toEqual(['8 番目の「cable」', '9 番目の「sky」', '1 件']);
  });

  test.each([
    ['GR', '13', 'T13'],
    ['GR', 'T62', 'T62'],
    ['GR', '63', undefined],
    ['BS', 'BS1_2', 'BS01_2'],
    ['BS', 'BS02_0', undefined],
    ['BS', '101', undefined],
    ['CS', 'ND02', 'CS02'],
    ['CS', 'CS24', 'CS24'],
    ['CS', 'CS3', undefined],
  ] as const)('%s %s is %s', (type, text, name) => {
    expect(channelName(type, text)).toBe(name);
  });
});

describe('hostile files', () => {
  test.each([
    ['[', '読めません'],
    ['a: 1', '一覧'],
    ['['.repeat(200_000), '読めません'],
    [`${'- '.repeat(200_000)}x`, '読めません'],
    [`- x\n`.repeat(3_000), '多すぎます'],
    [
      `a: &a [${'x,'.repeat(99)}x]\n${Array.from(
        { length: 30 },
        (_, level) =>
          `${'b'.repeat(level + 1)}: &${'b'.repeat(level + 1)} [${Array(99)
            .fill(level === 0 ? '*a' : `*${'b'.repeat(level)}`)
            .join(',')}]`,
      ).join('\n')}`,
      '読めません',
    ],
  ])('%.20s', (text, message) => {
    expect(() => readMirakurunTuners(text, 'x.yml')).toThrow(ImportFailure);
    expect(() => readMirakurunChannels(text, 'x.yml')).toThrow(message);
  });

  test('control characters are removed from names and messages', () => {
    const text = JSON.stringify([
      { name: 'a\u001b[2Jb', types: ['GR'], command: 'recpt1 --device /dev/px4video2' },
      { name: 'c\u0007', types: ['GR'], command: 'x\u001b /dev/\u001bx' },
    ]);
    expect(JSON.stringify(readMirakurunTuners(text, 'x.yml'))).not.toMatch(/\\u001b|\\u0007/);
  });

  test('any list of entries is either refused or gives definitions that can be stored', () => {
    const entry = fc.record(
      {
        name: fc.anything(),
        types: fc.oneof(fc.constant(['GR', 'BS']), fc.anything()),
        command: fc.oneof(
          fc.string(),
          fc.nat(9).map((number) => `x -a ${number} --lnb 15`),
          fc.anything(),
        ),
        dvbDevicePath: fc.oneof(
          fc.string(),
          fc.nat(9).map((number) => `/dev/dvb/adapter${number}/dvr0`),
        ),
        type: fc.constantFrom('GR', 'BS', 'CS', 'SKY', 7),
        channel: fc.oneof(fc.string(), fc.nat(70), fc.anything()),
        serviceId: fc.anything(),
        isDisabled: fc.anything(),
      },
      { requiredKeys: [] },
    );
    const parsed = (read: () => unknown): void => {
      try {
        read();
      } catch (error) {
        expect(error).toBeInstanceOf(ImportFailure);
      }
    };
    fc.assert(
      fc.property(fc.array(fc.oneof(entry, fc.jsonValue())), (entries) => {
        const text = JSON.stringify(entries) ?? '';
        parsed(() => readMirakurunTuners(text, 'x.yml'));
        parsed(() => readMirakurunChannels(text, 'x.yml'));
      }),
      { numRuns: 200 },
    );
    fc.assert(fc.property(fc.string(), (text) => parsed(() => readMirakurunTuners(text, 'x.yml'))));
  });
});

describe('the command', () => {
  let serial = 0;
  function setting(files: Record<string, string>) {
    serial += 1;
    const folder = join(root, `mirakurun-${serial}`);
    mkdirSync(folder);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const lines: string[] = [];
    const options = {
      ...{ folder, isReplacing: false, isDry: false, print: (line: string) => void lines.push(line) },
      tunersFile: join(root, `tuners-${serial}.json`),
      channelsFile: join(root, `channels-${serial}.json`),
    };
    return { options, lines };
  }

  test('stores both files, and replaces existing ones only on request', async () => {
    const { options, lines } = setting({
      'tuners.yml': TUNERS,
      'channels.yml': '- {name: a, type: GR, channel: "27"}',
    });
    expect(await importMirakurun({ ...options, isDry: true })).toBe(true);
    expect(existsSync(options.tunersFile)).toBe(false);
    expect(await importMirakurun(options)).toBe(true);
    expect(JSON.parse(readFileSync(options.tunersFile, 'utf8'))).toHaveLength(6);
    expect(JSON.parse(readFileSync(options.channelsFile, 'utf8'))).toHaveLength(1);
    expect(lines.join('\n')).toContain('/dev/px4video0  BS・CS  W3U4-S1  LNB 給電あり');
    writeFileSync(options.tunersFile, '[]');
    lines.length = 0;
    expect(await importMirakurun(options)).toBe(false);
    expect(lines.join('\n')).toContain('--replace');
    expect(readFileSync(options.tunersFile, 'utf8')).toBe('[]');
    expect(await importMirakurun({ ...options, isReplacing: true })).toBe(true);
    expect(readFileSync(`${options.tunersFile}.before-import`, 'utf8')).toBe('[]');
  });

  test('an empty folder, an invalid file and one without a usable tuner change nothing', async () => {
    const empty = setting({});
    expect(await importMirakurun(empty.options)).toBe(false);
    expect(empty.lines.join()).toContain('tuners.yml も channels.yml もありません');
    const useless = setting({ 'tuners.yml': '- {types: [SKY]}' });
    expect(await importMirakurun(useless.options)).toBe(false);
    expect(existsSync(useless.options.tunersFile)).toBe(false);
    const folder = setting({});
    mkdirSync(join(folder.options.folder, 'tuners.yml'));
    expect(await importMirakurun(folder.options)).toBe(false);
    const large = setting({ 'tuners.yml': `# ${'x'.repeat(1024 * 1024)}` });
    expect(await importMirakurun(large.options)).toBe(false);
    expect(large.lines.join()).toContain('大きすぎます');
  });
});
