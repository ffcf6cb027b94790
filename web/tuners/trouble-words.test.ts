import { expect, test } from 'bun:test';
import type { StationId } from '../../lib/arib/ids.ts';
import type { Channel } from '../../lib/wire/agent.ts';
import type { GuideStatus } from '../../lib/wire/api.ts';
import { wallMs } from '../../lib/wire/times.ts';
import { troubleWords } from './trouble-words.ts';

type Trouble = GuideStatus['troubles'][number];

const CHANNELS: Channel[] = [
  {
    type: 'GR',
    channel: 'T27',
    tsid: 1,
    networkId: 2,
    stations: [{ serviceId: 1024, name: 'みなとＴＶ', serviceType: 1, remoteControlKey: 1 }],
  },
];

const trouble = (over: Partial<Trouble>): Trouble => ({
  type: 'GR',
  channel: 'T27',
  stationIds: [1 as StationId],
  kind: 'unreadable',
  reason: '信号がありません。',
  failures: 1,
  at: wallMs(1000),
  ...over,
});

test('channels with the same problem are grouped, the worst problem first', () => {
  const words = troubleWords(
    [
      trouble({
        type: 'BS',
        channel: 'BS01_0',
        kind: 'no_tuner',
        reason: '空きがありません。',
        at: wallMs(10),
      }),
      trouble({ type: 'BS', channel: 'BS03_0', kind: 'no_tuner', reason: '空きは2台です。', at: wallMs(20) }),
      trouble({ type: 'CS', channel: 'CS02', kind: 'no_such_tuner', reason: null, at: null, failures: 0 }),
      trouble({}),
      trouble({ channel: 'T13', failures: 3, at: wallMs(3000) }),
      trouble({ channel: 'T14', reason: '途中で切れました。' }),
    ],
    CHANNELS,
  );
  expect(words.map(({ tone, title, places }) => [tone, title, places])).toEqual([
    ['bad', '地デジの2チャンネルを受信できませんでした', ['みなとTV（T27）', 'T13']],
    ['bad', '地デジの1チャンネルを受信できませんでした', ['T14']],
    ['bad', 'CSの1チャンネルを受信できるチューナーがありません', ['CS02']],
    ['quiet', 'BSの2チャンネルが空きチューナーを待っています', ['BS01_0', 'BS03_0']],
  ]);
  expect(words.map(({ reason, failures, at }) => [reason, failures, at])).toEqual([
    ['信号がありません。', 3, 3000],
    ['途中で切れました。', 1, 1000],
    [undefined, 0, undefined],
    [undefined, 1, 20],
  ]);
  expect(words.every(({ next }) => next !== '')).toBe(true);
  expect(troubleWords([], CHANNELS)).toEqual([]);
});
