import { expect, test } from 'bun:test';
import { ApiFailure, type FailureCode } from '../query/api.ts';
import { adviceFor } from './advice.ts';

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
