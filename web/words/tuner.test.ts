import { describe, expect, test } from 'bun:test';
import type { Channel } from '../../lib/wire/agent.ts';
import { wallMs } from '../../lib/wire/times.ts';
import { errorAdvice, signalWords, userWords } from './tuner.ts';

const CHANNELS: Channel[] = [
  {
    type: 'GR',
    channel: 'T27',
    tsid: 1,
    networkId: 2,
    stations: [{ serviceId: 1024, name: 'みなとＴＶ', serviceType: 1, remoteControlKey: 1 }],
  },
];

const nameOf = (id: number) => (id === 12 ? '港の朝' : undefined);

describe('users of a tuner', () => {
  test('are described by their use and station', () => {
    expect(userWords('live GR/T27', CHANNELS, nameOf)).toEqual([{ text: '視聴', detail: 'みなとTV（T27）' }]);
    expect(userWords('epg T27', CHANNELS, nameOf)).toEqual([
      { text: '番組表の取得', detail: 'みなとTV（T27）' },
    ]);
    expect(userWords('still GR/T27', CHANNELS, nameOf)[0]?.text).toBe('ホームの画像の取得');
    expect(userWords('epg T13', CHANNELS, nameOf)).toEqual([{ text: '番組表の取得', detail: 'T13' }]);
    expect(userWords('rec 12', CHANNELS, nameOf)).toEqual([{ text: '録画', detail: '港の朝' }]);
  });

  test('several users in one label are listed; unknown ones keep their name', () => {
    expect(userWords('rec 12 live GR/T27', CHANNELS, nameOf).map(({ text }) => text)).toEqual([
      '録画',
      '視聴',
    ]);
    expect(userWords('anonymous', CHANNELS, nameOf)).toEqual([
      { text: 'ほかのプログラム', detail: undefined },
    ]);
    expect(userWords('my script', CHANNELS, nameOf)).toEqual([{ text: 'my script', detail: undefined }]);
  });
});

test('a signal is judged by the scale of its broadcast type', () => {
  const signal = { locked: true, cnr: 14, strength: null };
  expect(signalWords({ signal, tuned: { type: 'GR', channel: 'T27' } })?.tone).toBe('bad');
  expect(signalWords({ signal, tuned: { type: 'BS', channel: 'BS01_0' } })?.text).toBe('良好');
  expect(signalWords({ signal: { ...signal, locked: false }, tuned: null })?.tone).toBe('bad');
  expect(signalWords({ signal: { ...signal, cnr: null }, tuned: null })).toMatchObject({ db: '', part: 1 });
  expect(signalWords({ signal: null, tuned: null })).toBeUndefined();
  const satellite = signalWords({ signal, tuned: { type: 'BS', channel: 'BS01_0' } });
  expect(satellite).toMatchObject({ part: 14 / 20, weak: 8 / 20, good: 11 / 20 });
});

test('of an unusable tuner the next step is described', () => {
  const now = wallMs(Date.parse('2026-11-21T12:00:00+09:00'));
  const broken = { state: 'error', driver: 'px4' } as const;
  expect(errorAdvice({ ...broken, retryAt: wallMs(now + 5_000) }, now)).toStartWith(
    'まもなく自動で試し直します。',
  );
  expect(errorAdvice({ ...broken, retryAt: wallMs(now + 300_000) }, now)).toStartWith(
    '12:05 に自動で試し直します。',
  );
  // A device that is not there is used again once it is.
  expect(errorAdvice(broken, now)).toContain('自動で戻ります');
  // An empty channel is no fault of the tuner.
  expect(errorAdvice({ ...broken, state: 'idle' }, now)).toStartWith('アンテナの接続');
});
