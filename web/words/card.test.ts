import { expect, test } from 'bun:test';
import { KEY_FAILURE_WORDS } from '../../lib/wire/key-failure.ts';
import { answerTimeText, cardWords, refusalText, upstreamText } from './card.ts';

test("a card's state is described by what the user can do", () => {
  expect(cardWords({ state: 'ready', failure: null })).toEqual({
    ...{ text: 'カードを読み取れます', tone: 'good', next: undefined },
  });
  expect(cardWords({ state: 'shared', failure: null }).tone).toBe('good');
  expect(cardWords({ state: 'none', failure: null }).tone).toBe('quiet');
  expect(cardWords({ state: 'absent', failure: 'no_card' })).toEqual({
    ...{ text: KEY_FAILURE_WORDS.no_card.what, tone: 'bad', next: KEY_FAILURE_WORDS.no_card.next },
  });
});

test('how quickly it answers', () => {
  const ecm = { requests: 1, cached: 0, failed: 0 };
  expect(answerTimeText({ ecm: { ...ecm, medianMs: null } })).toBeUndefined();
  expect(answerTimeText({ ecm: { ...ecm, medianMs: 84.4 } })).toBe('84ミリ秒');
  expect(answerTimeText({ ecm: { ...ecm, medianMs: 1_240 } })).toBe('1.2秒');
});

test('the agent whose card is used is named with the reason for giving no keys', () => {
  const upstream = { url: 'http://192.168.1.5:25260', state: 'shared', reason: null };
  expect(upstreamText(upstream)).toBe('http://192.168.1.5:25260');
  expect(upstreamText({ ...upstream, reason: 'not_shared' })).toContain('カードが共有されていません）');
  expect(upstreamText({ ...upstream, reason: 'ECONNRESET' })).toContain('接続できません');
});

test('refusals of peers are in Japanese', () => {
  expect(refusalText('address outside CARD_SHARE_NETWORKS')).toContain('許可していない');
  expect(refusalText('round-trip time 12.5 ms exceeds CARD_SHARE_MAX_RTT')).toContain('12.5 ミリ秒');
  expect(refusalText('round-trip time cannot be measured (CARD_SHARE_MAX_RTT)')).toContain('測れません');
  expect(refusalText('another')).toBe('接続を断りました');
});
