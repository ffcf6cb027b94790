import { expect, test } from 'bun:test';
import type { Card, Channel, DetectedDevice, Tuner } from '../../lib/wire/agent.ts';
import type { GuideStatus, ScanStatus } from '../../lib/wire/api.ts';
import { tunerOf } from '../../test/tuner.ts';
import { ApiFailure } from '../query/api.ts';
import { type SetupFacts, setupSteps } from './steps.ts';

const CARD: Card = {
  ...{ state: 'ready', reader: 'SCR3310', caSystemId: 5, failure: null, share: null, upstream: null },
  ecm: { requests: 0, cached: 0, failed: 0, medianMs: null },
};
const CHANNEL: Channel = {
  ...{ type: 'GR', channel: 'T27', tsid: 1, networkId: 1 },
  stations: [{ serviceId: 1, name: 'x', serviceType: 1, remoteControlKey: 1 }],
};
const SCAN: ScanStatus = {
  ...{ state: 'idle', types: [], done: 0, total: 0, current: [], found: [], failed: [] },
  ...{ startedAt: null, endedAt: null, message: null },
};
const DEVICE: DetectedDevice = {
  driver: 'px4',
  device: '/dev/px4video2',
  types: ['GR'],
  model: 'px4_drv',
  problem: null,
};

function guide(known: number, total: number): GuideStatus {
  const stations = Array.from({ length: total }, (_, index) => ({
    noGuide: false,
    filledUntil: index < known ? 1 : null,
  }));
  return { stations } as unknown as GuideStatus;
}

const DONE: SetupFacts = {
  ...{ tuners: [tunerOf(['GR'])], devices: [DEVICE], card: CARD, channels: [CHANNEL], scan: SCAN },
  ...{ guide: guide(3, 3), failure: undefined },
};
const states = (facts: Partial<SetupFacts>): string =>
  setupSteps({ ...DONE, ...facts })
    .map(({ state }) => state)
    .join(' ');

test('after a complete setup every step is done', () => {
  expect(states({})).toBe('done done done done');
  expect(states({ guide: guide(1, 3) })).toBe('done done done running');
});

test('after plugging in a tuner the next step is offered, with or without a card', () => {
  const fresh = {
    channels: [],
    guide: guide(0, 0),
    card: { ...CARD, state: 'absent', failure: 'no_card' },
  } as const;
  expect(states(fresh)).toBe('done later now waiting');
  expect(states({ ...fresh, tuners: [], devices: [] })).toBe('now later waiting waiting');
  expect(states({ ...fresh, scan: { ...SCAN, state: 'running', total: 50, done: 5 } })).toBe(
    'done later running waiting',
  );
  expect(states({ ...fresh, scan: { ...SCAN, state: 'failed', message: '見つかりません。' } })).toBe(
    'done later problem waiting',
  );
});

test('a missing card can wait, one that cannot be used is a problem', () => {
  const card = (failure: Card['failure']): string | undefined =>
    setupSteps({ ...DONE, card: { ...CARD, state: 'error', failure } })[1]?.state;
  expect((['no_library', 'no_daemon', 'no_reader', 'no_card'] as const).map(card)).toEqual(
    Array(4).fill('later'),
  );
  expect((['card_error', 'unsuitable_card', 'refused'] as const).map(card)).toEqual(Array(3).fill('problem'));
});

test('a tuner of several bands is counted once', () => {
  const text = (...kinds: Parameters<typeof tunerOf>[0][]): string | undefined =>
    setupSteps({ ...DONE, tuners: kinds.map((types) => tunerOf(types)) })[0]?.text;
  const [terrestrial, satellite] = [['GR'], ['BS', 'CS']] as [Tuner['types'], Tuner['types']];
  expect(text(terrestrial, satellite, satellite)).toBe('3台使えます（地デジ\u00a01台、BS・CS\u00a02台）。');
  expect(text(['GR', 'BS', 'CS'], ['GR', 'BS', 'CS'])).toBe('2台使えます（地デジ・BS・CS）。');
});

test('the stations that can be received are as many as those of the guide', () => {
  const data = { ...CHANNEL, stations: [...CHANNEL.stations, { ...CHANNEL.stations[0], serviceType: 0xc0 }] };
  const channels = [data, CHANNEL] as Channel[];
  const texts = (total: number, scan = SCAN) =>
    setupSteps({ ...DONE, channels, scan, guide: guide(1, total) })
      .slice(2)
      .map(({ text }) => text);
  expect(texts(2)).toEqual([expect.stringContaining('2局を受信'), expect.stringContaining('残り1局')]);
  expect(texts(2, { ...SCAN, state: 'finished', found: channels })[0]).toStartWith('2局が見つかりました');
  // Before the service has read the channels.
  expect(texts(0)[0]).toStartWith('3局');
});

test('standard satellite stations do not count as scanned terrestrial ones', () => {
  const satellite = { ...CHANNEL, type: 'BS', channel: 'BS01_0' } as const;
  expect(states({ channels: [satellite] })).toBe('done done now waiting');
  expect(states({ channels: [satellite], tuners: [tunerOf(['BS'])] })).toBe('done done done done');
});

test('satellites without reception, without power for the dish, are reported with the next step', () => {
  const scan: ScanStatus = { ...SCAN, state: 'finished', types: ['GR', 'BS'], found: [CHANNEL] };
  const lines = (facts: Partial<SetupFacts>): readonly string[] | undefined =>
    setupSteps({ ...DONE, scan, ...facts })[2]?.lines;
  const dish = { driver: 'px4', device: '/dev/px4video0' } as const;
  expect(lines({ tuners: [tunerOf(['BS', 'CS'], dish)] })?.[0]).toContain('アンテナに給電');
  expect(lines({ tuners: [tunerOf(['BS', 'CS'], { ...dish, lnb: true })] })).toEqual([]);
  expect(lines({ tuners: [tunerOf(['GR'], dish)] })).toEqual([]);
  const found: Channel[] = [{ ...CHANNEL, type: 'BS', channel: 'BS15_0' }];
  expect(lines({ tuners: [tunerOf(['BS', 'CS'], dish)], scan: { ...scan, found } })).toEqual([]);
});

test('faults of devices are reported once, also beside working tuners', () => {
  const problem = { code: 'permission', message: '/dev/px4video2 を開く権限がありません' } as const;
  const broken = tunerOf(['GR'], { state: 'error', rank: null, error: problem.message });
  const steps = setupSteps({ ...DONE, devices: [{ ...DEVICE, problem }], tuners: [broken] });
  expect(steps[0]).toMatchObject({ state: 'problem', lines: [problem.message] });
  expect(setupSteps({ ...DONE, devices: [{ ...DEVICE, problem }] })[0]).toMatchObject({
    ...{ state: 'done', lines: [problem.message] },
  });
});

test('an unavailable agent is reported first', () => {
  const failure = new ApiFailure('agent_unavailable', 'チューナーエージェントに接続できません。', 503);
  const gone = {
    tuners: undefined,
    devices: undefined,
    card: undefined,
    channels: undefined,
    scan: undefined,
  };
  const steps = setupSteps({ ...DONE, ...gone, guide: undefined, failure });
  expect(steps.map(({ state }) => state)).toEqual(['problem', 'waiting', 'waiting', 'waiting']);
  expect(steps[0]?.lines[0]).toContain('svc-agent');
});
