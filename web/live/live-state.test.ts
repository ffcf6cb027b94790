import { expect, test } from 'bun:test';
import { broadcastMs } from '../../arib/time.ts';
import { ApiFailure } from '../query/api.ts';
import { type LiveEvent, type LiveState, nextState } from './live-state.ts';

const after = (...events: LiveEvent[]): LiveState => events.reduce<LiveState>(nextState, { kind: 'idle' });
const failure = new ApiFailure('no_tuner', '空きがありません');

test('tuning passes from the tuner to the picture', () => {
  expect(after({ kind: 'tune', kept: false })).toEqual({ kind: 'tuning', stage: 'tuner', kept: false });
  expect(after({ kind: 'tune', kept: false }, { kind: 'answered' })).toMatchObject({ stage: 'video' });
  expect(after({ kind: 'tune', kept: false }, { kind: 'answered' }, { kind: 'picture' }).kind).toBe(
    'playing',
  );
});

test('late data stalls a picture only while it plays', () => {
  const playing: LiveEvent[] = [{ kind: 'tune', kept: false }, { kind: 'picture' }];
  expect(after(...playing, { kind: 'starved' }).kind).toBe('stalled');
  expect(after(...playing, { kind: 'starved' }, { kind: 'picture' }).kind).toBe('playing');
  expect(after({ kind: 'tune', kept: false }, { kind: 'starved' }).kind).toBe('tuning');
});

test('a late picture does not hide a failure', () => {
  const failed = after({ kind: 'tune', kept: false }, { kind: 'giveUp', failure });
  expect(nextState(failed, { kind: 'picture' })).toEqual({ kind: 'failed', failure });
  expect(nextState(failed, { kind: 'tune', kept: true })).toMatchObject({ kind: 'tuning', kept: true });
});

test('the reason stays during a retry, until there is an answer', () => {
  const waiting = after(
    { kind: 'tune', kept: false },
    { kind: 'retryLater', failure, until: broadcastMs(5), kept: false },
  );
  expect(
    nextState(waiting, { kind: 'retryLater', failure, until: broadcastMs(9), kept: false }),
  ).toMatchObject({
    kind: 'waiting',
    until: 9,
  });
  expect(nextState(waiting, { kind: 'answered' })).toEqual({ kind: 'tuning', stage: 'video', kept: false });
});
