import { expect, test } from 'bun:test';
import { ApiFailure, type FailureCode } from '../query/api.ts';
import { adviceFor, reasonUnder } from './advice.ts';

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
  expect(under('agent_unavailable', 'エージェントが応答しません。')).toBe('エージェントが応答しません。');
});
