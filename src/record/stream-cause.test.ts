import { expect, test } from 'bun:test';
import type { GapCause } from '../../lib/wire/gap-causes.ts';
import { Failure } from '../model/failure.ts';
import { type AgentStreamErrorCode, streamFailure } from '../tuner/agent-stream.ts';
import { causeOfEnd, causeOfRefusal } from './stream-cause.ts';

test('a silent stream is told as bad reception only if the agent says that its tuner receives nothing', () => {
  expect(causeOfEnd({ code: 'silent' }, 'tuning', undefined)).toBe('agent_silent');
  expect(causeOfEnd({ code: 'silent' }, 'tuning', 'agent_silent')).toBe('agent_silent');
  expect(causeOfEnd({ code: 'silent' }, 'tuning', 'stalled')).toBe('stream_ended');
  expect(causeOfEnd({ code: 'ended' }, 'tuning', 'agent_silent')).toBe('stream_ended');
  expect(causeOfEnd({ code: 'silent' }, 'worker', undefined)).toBe('recorder_failed');
});

test.each<[AgentStreamErrorCode, GapCause]>([
  ['tuners_busy', 'no_tuner'],
  ['no_signal', 'no_signal'],
  ['agent_unreachable', 'agent_unavailable'],
  ['agent_misconfigured', 'agent_unavailable'],
  ['agent_silent', 'agent_silent'],
  ['silent', 'agent_silent'],
  ['ended', 'no_signal'],
])('a stream that cannot be opened because of %s has the cause %s', (code, cause) => {
  expect(causeOfRefusal(streamFailure({ code, reason: '', sentence: null }))).toBe(cause);
});

test('a worker that died, or any other error, is not the agent', () => {
  expect(causeOfRefusal(new Failure('internal', ''))).toBe('recorder_failed');
  expect(causeOfRefusal(new Error('a fault'))).toBe('stream_ended');
});
