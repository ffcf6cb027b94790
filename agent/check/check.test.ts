import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatCheck } from '../../lib/host/log.ts';
import type { DetectedDevice } from '../../lib/wire/agent.ts';
import { checkLines, unitAccess } from './check.ts';
import type { CheckFacts } from './check-source.ts';

const URL = 'http://127.0.0.1:25252';
const DEVICE: DetectedDevice = {
  ...{ driver: 'px4', device: '/dev/px4video2', types: ['GR'], model: 'px4_drv (PX-W3U4)', problem: null },
};
const GOOD: CheckFacts = {
  isRunning: true,
  devices: [DEVICE],
  tuners: [{ name: '地上波 1', driver: 'px4', device: '/dev/px4video2', types: ['GR'], error: null }],
  channels: [
    {
      ...{ type: 'GR', channel: 'T27', tsid: null, networkId: 1 },
      stations: [{ serviceId: 1, name: 'x', serviceType: 1, remoteControlKey: 1 }],
    },
  ],
  card: { state: 'ready', reader: 'SCR3310', failure: null },
};

const text = (facts: Partial<CheckFacts>, access?: Parameters<typeof checkLines>[2]): string =>
  checkLines({ ...GOOD, ...facts }, URL, access)
    .map(formatCheck)
    .join('\n');

test('every part of a working machine is reported as such', () => {
  expect(text({})).toBe(
    [
      'OK    svc-agent: http://127.0.0.1:25252 で動いています',
      'OK    デバイス /dev/px4video2: px4_drv (PX-W3U4)、地上波',
      'OK    チューナー: 1 台（地上波 1、BS 0、CS 0）',
      'OK    カード: 読み取れます（SCR3310）',
      'OK    チャンネル: 1 件（地上波 1、BS 0、CS 0）',
    ].join('\n'),
  );
});

test.each<[string, Partial<CheckFacts>, string]>([
  [
    'no device',
    { devices: [], tuners: [] },
    '問題  デバイス: チューナーのデバイスが見つかりません。チューナーをつなぎ',
  ],
  [
    'a device that may not be opened',
    {
      devices: [
        { ...DEVICE, problem: { code: 'permission', message: '権限がありません。グループ video に' } },
      ],
    },
    '問題  デバイス /dev/px4video2: 権限がありません',
  ],
  [
    'a tuner whose device is not there',
    { isRunning: false, devices: [{ ...DEVICE, device: '/dev/px4video3' }] },
    '/dev/px4video2 がありません。つなぐか',
  ],
  [
    'a broken tuners.json',
    { tuners: '/x/tuners.json: 1 行 2 文字目' },
    '問題  チューナーの設定: /x/tuners.json',
  ],
  [
    'all tuners off',
    { tuners: [{ ...DEVICE, disabled: true }] },
    '問題  チューナー: 使えるチューナーがありません',
  ],
  [
    'no card',
    { card: { state: 'absent', reader: null, failure: 'no_card' } },
    '問題  カード: カードが入っていません。カードリーダーに',
  ],
  [
    'a card daemon that does not answer, or refuses',
    { card: { state: 'absent', reader: null, failure: 'no_daemon' } },
    '50-svc-agent.rules に次の 1 行を書いてください：polkit.addRule(function',
  ],
  ['no scan yet', { channels: [] }, '注意  チャンネル: まだ局がありません。'],
  [
    'no agent',
    { isRunning: false },
    '注意  svc-agent: http://127.0.0.1:25252 では動いていません。systemctl enable',
  ],
])('%s is reported with the next step', (_, facts, expected) => {
  expect(text(facts)).toContain(expected);
});

test('a fake tuner needs no device', () => {
  const fake = text({ devices: [], tuners: [{ driver: 'fake', device: '', types: ['GR'] }] });
  expect(fake).not.toContain('問題');
});

test("without a running agent the service user's permissions are checked, not those of root", async () => {
  const groups = join(await mkdtemp(join(tmpdir(), 'svc-check-')), 'group');
  writeFileSync(groups, `root:x:0:\nvideo:x:${process.getgid?.() ?? 0}:\nbroken\n`);
  const access = unitAccess(groups);
  const device = { ...DEVICE, device: groups };
  const tuners = [{ ...DEVICE, device: groups }];
  expect(text({ isRunning: false, devices: [device], tuners }, access)).toContain(
    '/etc/udev/rules.d/90-tuners.rules に KERNEL=="group", GROUP="video"',
  );
  await Bun.$`chmod 0660 ${groups}`;
  expect(text({ isRunning: false, devices: [device], tuners }, access)).not.toContain('udev');
  expect(unitAccess('/nonexistent')).toBeUndefined();
});
