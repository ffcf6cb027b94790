import { expect, test } from 'bun:test';
import { Value } from '@sinclair/typebox/value';
import { CardSchema, TunerSchema } from '../../lib/wire/agent.ts';
import { tunerOf } from '../../test/tuner.ts';
import { tunersOfPlan } from '../booking/plan-tuners.ts';
import { japanese } from './agent-sentence.ts';
import { readCard, readChannels, readDevices, readTuners } from './agent-tables.ts';

const OWN = tunerOf(['GR'], { id: 'a', users: [{ use: 'live GR/T27', priority: 9, lagBytes: 0 }] });

test('tuners of this version are read unchanged', () => {
  expect(readTuners([OWN, tunerOf(['BS', 'CS'], { id: 'b', rank: null, disabled: true })])).toEqual([
    OWN,
    tunerOf(['BS', 'CS'], { id: 'b', rank: null, disabled: true }),
  ]);
});

test('an unknown word changes only what it concerns, and no other tuner', () => {
  const strange: [unknown, object][] = [
    [
      { ...OWN, driver: 'usb4' },
      { ...OWN, driver: 'usb4' },
    ],
    [
      { ...OWN, state: 'calibrating' },
      { ...OWN, state: 'tuned' },
    ],
    [
      { ...OWN, types: ['GR', 'BS4K'] },
      { ...OWN, types: ['GR'] },
    ],
    [{ ...OWN, tuned: { type: 'BS4K', channel: 'X' } }, OWN],
    [{ ...OWN, descrambling: { state: 'melted', failure: null } }, OWN],
    [{ ...OWN, signal: 'strong', stats: [], retryAt: 'soon', extra: { a: 1 } }, OWN],
    [{ ...OWN, users: [...OWN.users, { name: 'no use' }, 7] }, OWN],
  ];
  for (const [sent, read] of strange) {
    const [first, second, third] = readTuners([sent, 'no tuner', OWN, null]) ?? [];
    expect(first as object).toEqual(read);
    expect(second).toEqual(OWN);
    expect(third).toBeUndefined();
    expect(Value.Check(TunerSchema, first)).toBe(true);
  }
  for (const answer of [null, {}, 'x', 7]) expect(readTuners(answer)).toBeUndefined();
});

test('an agent that sends only rank and uses has tuners that can be planned with', () => {
  const tuners = readTuners([
    { rank: 0, users: [{ use: 'rec 7' }] },
    { rank: 1, users: [] },
    { rank: null, users: [] },
  ]);
  expect(tuners?.map(({ users }) => users.map(({ use }) => use))).toEqual([['rec 7'], [], []]);
  expect(tunersOfPlan(tuners ?? [], new Map()).map(({ rank, types }) => [rank, types])).toEqual([
    [0, ['GR', 'BS', 'CS']],
    [1, ['GR', 'BS', 'CS']],
  ]);
  expect(new Set(tuners?.map(({ id }) => id)).size).toBe(3);
  for (const tuner of tuners ?? []) expect(Value.Check(TunerSchema, tuner)).toBe(true);
});

test('channels of an unknown type are kept apart, and a table without any known one is invalid', () => {
  const own = { type: 'GR', channel: 'T27', tsid: 1, networkId: 2, stations: [] };
  const later = { type: 'BS4K', channel: 'X1', polarisation: 'left' };
  expect(readChannels([later, own])).toEqual({ channels: [own as never], others: [later] });
  const bare = { type: 'BS', channel: 'BS01_0', stations: [{ serviceId: 101, name: '局' }] };
  expect(readChannels([bare])?.channels).toEqual([
    {
      ...{ type: 'BS', channel: 'BS01_0', tsid: null, networkId: null },
      stations: [{ serviceId: 101, name: '局', serviceType: 1, remoteControlKey: null }],
    },
  ]);
  expect(readChannels([])).toEqual({ channels: [], others: [] });
  for (const answer of [[later], [{ type: 'GR' }], {}, null]) expect(readChannels(answer)).toBeUndefined();
});

test('a card with an unknown state or reason has a general fault', () => {
  const ecm = { requests: 0, cached: 0, failed: 0, medianMs: null };
  const card = { state: 'frozen', reader: null, caSystemId: null, failure: 'too_cold', ecm };
  const read = readCard({ ...card, share: null, upstream: null });
  expect(read).toMatchObject({ state: 'error', failure: 'card_error' });
  expect(Value.Check(CardSchema, read)).toBe(true);
  expect(readCard([])).toBeUndefined();
});

test('what an agent passes on from its system is replaced by a sentence for users', () => {
  const own = '/dev/px4video0 を開けません。';
  const errorOf = (error: unknown) => readTuners([{ ...OWN, error }])?.[0]?.error;
  expect([errorOf(own), errorOf(null), errorOf(7)]).toEqual([own, null, null]);
  const device = { driver: 'px4', device: '/dev/px4video0', types: [], model: '' };
  const problemOf = (message: string) =>
    readDevices({ devices: [{ ...device, problem: { code: 'failed', message } }] })?.devices[0]?.problem
      ?.message;
  expect(problemOf(own)).toBe(own);
  for (const raw of ['tuner is not locked', 'EIO: i/o error, read', '500 {"code":"internal"}', ''])
    for (const shown of [errorOf(raw), problemOf(raw)])
      expect(shown).toBe('チューナーを使えません。接続と、svc-agent のログを確認してください。');
  expect(readDevices({ devices: [{ ...device, problem: null }] })?.devices).toHaveLength(1);
  expect(readDevices([])).toBeUndefined();
});

test('of a sentence with what a command said, the sentence is for users', () => {
  for (const [text, sentence] of [
    [
      '選局コマンドが終了しました (終了コード 7): no-lock: at T27',
      '選局コマンドが終了しました (終了コード 7)',
    ],
    ['チューナーを開けません。', 'チューナーを開けません。'],
    ['選局に失敗: ロックできません', '選局に失敗: ロックできません'],
    ['開けません ENOENT', null],
    ['no lock: at all', null],
    [`終了: ${': '.repeat(100_000)}`, '終了'],
  ] as const)
    expect(japanese(text)).toBe(sentence);
});
