import { expect, test } from 'bun:test';
import { ApiFailure, type FailureCode } from '../query/api.ts';
import { adviceFor, detailsBeside, reasonUnder } from './advice.ts';

test('each cause of a refused live stream has its own title and next step', () => {
  const codes: FailureCode[] = [
    'no_tuner',
    'no_signal',
    'agent_unavailable',
    'agent_misconfigured',
    'card_unavailable',
    'not_subscribed',
    'ffmpeg_unavailable',
  ];
  const advice = codes.map((code) => adviceFor(new ApiFailure(code, '')));
  const general = adviceFor(new ApiFailure('internal', ''));
  expect(new Set([general, ...advice].map(({ title }) => title)).size).toBe(codes.length + 1);
  expect(new Set([general, ...advice].map(({ next }) => next)).size).toBe(codes.length + 1);
});

test('the reason of the service stands under the title where it says more', () => {
  const under = (code: FailureCode, message: string): string | undefined => {
    const failure = new ApiFailure(code, message);
    return reasonUnder(adviceFor(failure).title, failure);
  };
  expect(under('not_found', '局が見つかりません。')).toBeUndefined();
  expect(under('timeout', 'サーバーから応答がありません。')).toBeUndefined();
  expect(under('busy', 'サーバが混んでいます')).toBeUndefined();
  expect(under('network', 'サーバーに接続できませんでした。')).toBeUndefined();
  expect(under('not_found', 'この局は音声を放送していません')).toBe('この局は音声を放送していません');
  expect(under('timeout', 'サーバーからの配信が途絶えました。')).toBe('サーバーからの配信が途絶えました。');
  expect(under('no_signal', '放送を受信できません。アンテナを確認してください。')).toBe(
    'アンテナを確認してください。',
  );
  expect(under('agent_unavailable', 'エージェントが応答しません。')).toBe('エージェントが応答しません。');
});

test('details tell only what the advice does not say', () => {
  const advice = {
    title: '放送を受信できません',
    next: '放送休止中でなければ、アンテナ線を確かめてください。',
  };
  const details = (message: string) => detailsBeside(advice, new ApiFailure('no_signal', message));
  expect(details('放送を受信できません。放送休止中でなければ、受信状態を確認してください。')).toBeUndefined();
  expect(details('放送の受信が途切れました')).toBe('放送の受信が途切れました');
});
