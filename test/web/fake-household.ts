/** Fake tuners, settings and system facts of the service for tests of the UI. */
import { wallMs } from '../../lib/host/clock.ts';
import type { Access } from '../../lib/wire/access.ts';
import type { Card, Channel, DetectedDevice, Tuner } from '../../lib/wire/agent.ts';
import type { DeviceToken, ReceptionTest, ScanStatus, Settings, SystemFacts } from '../../lib/wire/api.ts';
import { settingDefaults } from '../../lib/wire/api.ts';
import { tunerOf } from '../tuner.ts';

export function fakeTuners(): Tuner[] {
  return [
    tunerOf(['GR'], {
      id: 't1',
      name: '地デジ 1',
      driver: 'dvb',
      device: '/dev/dvb/adapter0/frontend0',
      state: 'tuned',
      tuned: { type: 'GR', channel: 'T27' },
      users: [
        { use: 'live GR/T27', priority: 9, lagBytes: 0 },
        { use: 'logo GR/T27', priority: 1, lagBytes: 0 },
      ],
      signal: { locked: true, cnr: 27.4, strength: -48 },
      stats: { packets: 1_234_567, syncErrors: 0, transportErrors: 0, continuityErrors: 0, scrambled: 0 },
      descrambled: true,
    }),
    tunerOf(['GR'], {
      id: 't2',
      name: '地デジ 2',
      driver: 'dvb',
      state: 'tuned',
      tuned: { type: 'GR', channel: 'T13' },
      users: [{ use: 'epg T13', priority: 3, lagBytes: 0 }],
      signal: { locked: true, cnr: 19.2, strength: null },
      stats: { packets: 98_765, syncErrors: 0, transportErrors: 12, continuityErrors: 31, scrambled: 0 },
      descrambled: true,
    }),
    tunerOf(['BS', 'CS'], {
      ...{ id: 's1', name: 'BS・CS 1', driver: 'px4', device: '/dev/px4video0', rank: 1, lnb: true },
    }),
    tunerOf(['BS', 'CS'], {
      ...{ id: 's2', name: 'BS・CS 2', driver: 'px4', rank: 1 },
      ...{ state: 'error', error: '/dev/px4video1 を開けません。' },
    }),
    tunerOf(['GR'], { id: 'd1', name: '予備', driver: 'dvb', rank: null, disabled: true }),
  ];
}

const station = (serviceId: number, name: string, remoteControlKey: number) => ({
  serviceId,
  name,
  serviceType: 1,
  remoteControlKey,
});

export function fakeChannels(): Channel[] {
  return [
    { type: 'GR', channel: 'T27', tsid: 1, networkId: 32740, stations: [station(1024, 'みなと総合', 1)] },
    { type: 'GR', channel: 'T13', tsid: 2, networkId: 32741, stations: [station(1032, 'みなとＥテレビ', 2)] },
  ];
}

export const NO_SCAN: ScanStatus = {
  state: 'idle',
  types: [],
  done: 0,
  total: 0,
  current: [],
  found: [],
  failed: [],
  startedAt: null,
  endedAt: null,
  message: null,
};

export function runningScan(now: number): ScanStatus {
  return {
    ...NO_SCAN,
    state: 'running',
    types: ['GR'],
    done: 15,
    total: 50,
    current: [
      { type: 'GR', channel: 'T28' },
      { type: 'GR', channel: 'T29' },
    ],
    found: fakeChannels().map((channel) => ({ ...channel })),
    failed: [{ type: 'GR', channel: 'T14', message: '30秒待っても局の情報が届きませんでした。' }],
    startedAt: wallMs(now - 60_000),
  };
}

export const fakeSettings = (): Settings => settingDefaults({ gpu: false });

export function fakeSystem(now: number): SystemFacts {
  return {
    version: '0.1.0',
    startedAt: wallMs(now - 3 * 86_400_000),
    agent: { url: 'http://127.0.0.1:25252', state: 'connected', message: null },
    ffmpeg: {
      state: 'ready',
      path: '/usr/bin/ffmpeg',
      version: '7.1',
      encoders: [
        { name: 'libx264', hardware: false, usable: true },
        { name: 'libsvtav1', hardware: false, usable: true },
        { name: 'h264_vaapi', hardware: true, usable: false },
      ],
    },
    folders: [
      {
        role: 'data',
        path: '/var/lib/svc',
        totalBytes: 64_000_000_000,
        freeBytes: 41_000_000_000,
        floorBytes: 0,
      },
      {
        role: 'recordings',
        path: '/srv/recordings',
        totalBytes: 8_000_000_000_000,
        freeBytes: 1_250_000_000_000,
        floorBytes: 50_000_000_000,
      },
    ],
    database: { bytes: 84_000_000, programs: 58_231 },
    clocks: [],
    defaults: settingDefaults({ gpu: false }),
  };
}

export function fakeDevices(): DetectedDevice[] {
  const dvb = { driver: 'dvb', types: ['GR'], problem: null, model: 'Sony CXD2880' } as const;
  const px4 = { driver: 'px4', problem: null, model: 'px4_drv (PX-W3U4, PX-Q3U4, PX-W3PE4 ほか)' } as const;
  return [
    { ...dvb, types: ['GR'], device: '/dev/dvb/adapter0/frontend0' },
    { ...px4, types: ['BS', 'CS'], device: '/dev/px4video0' },
    {
      ...{ ...px4, types: ['GR'], device: '/dev/px4video2' },
      problem: {
        code: 'permission',
        message:
          '/dev/px4video2 を開く権限がありません。svc-agent のユーザーをグループ video に加えてください',
      },
    },
  ];
}

export function fakeCard(): Card {
  return {
    ...{ state: 'ready', reader: 'SCM Microsystems SCR3310', caSystemId: 5, failure: null },
    ecm: { requests: 5_321, cached: 1_200, failed: 2, medianMs: 84.2 },
    share: {
      port: 25_253,
      peers: ['192.168.1.20'],
      refused: [
        {
          peer: '203.0.113.9',
          reason: 'address outside CARD_SHARE_NETWORKS',
          at: wallMs(Date.now() - 600_000),
        },
      ],
    },
    upstream: null,
  };
}

export function fakeReceptionTest(): ReceptionTest {
  return {
    ...{ type: 'GR', channel: 'T27', received: true, message: null, tuner: { id: 't2', name: '地デジ 2' } },
    signal: { locked: true, cnr: 26.1, strength: -51 },
    stats: { packets: 40_000, syncErrors: 0, transportErrors: 0, continuityErrors: 0, scrambled: 0 },
    keyFailure: null,
  };
}

/** A browser inside the trusted network, in a household that also logs in from outside. */
export function fakeAccess(now: number): Access {
  const session = (id: number, name: string, agent: string) => ({
    ...{ id, name, agent, address: '203.0.113.24', current: false },
    ...{ createdAt: wallMs(now - id * 86_400_000), expiresAt: wallMs(now + 86_400_000) },
  });
  return {
    you: { by: 'network', address: '192.168.1.20', network: '192.168.0.0/16', name: null },
    login: {
      configured: true,
      issuer: 'https://id.example/home/v2.0',
      group: 'family',
      redirectUri: 'https://tv.example/login/callback',
    },
    trustedNetworks: ['192.168.0.0/16', 'fd00::/8'],
    trustedProxies: [],
    sessions: [
      session(2, '港 花子', 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5) Version/17.5 Mobile Safari/604.1'),
      session(1, '港 太郎', 'Mozilla/5.0 (Windows NT 10.0) Chrome/131.0.0.0 Safari/537.36'),
    ],
  };
}

export function fakeDeviceTokens(now: number): DeviceToken[] {
  const paired = { approver: '港 花子', pairedAt: wallMs(now - 40 * 86_400_000) };
  return [
    { ...paired, id: 7, name: '寝室のテレビ', usedAt: null },
    { ...paired, id: 3, name: '居間のテレビ', usedAt: wallMs(now - 5 * 60_000) },
  ];
}
