import { expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import { ApiFailure } from '../query/api.ts';
import { isCovered, nextState, type PlayerEvent, type PlayerState } from './player.ts';

const after = (...events: PlayerEvent[]): PlayerState =>
  events.reduce<PlayerState>(nextState, { kind: 'idle' });
const failure = new ApiFailure('no_tuner', '空きがありません');

test('opening passes from the source to the picture', () => {
  expect(after({ kind: 'open', kept: false })).toEqual({ kind: 'opening', stage: 'source', kept: false });
  expect(after({ kind: 'open', kept: false }, { kind: 'answered' })).toMatchObject({ stage: 'video' });
  expect(after({ kind: 'open', kept: false }, { kind: 'answered' }, { kind: 'picture' }).kind).toBe(
    'playing',
  );
});

test('late data stalls a picture only while it plays', () => {
  const playing: PlayerEvent[] = [{ kind: 'open', kept: false }, { kind: 'picture' }];
  expect(after(...playing, { kind: 'starved' }).kind).toBe('stalled');
  expect(after(...playing, { kind: 'starved' }, { kind: 'picture' }).kind).toBe('playing');
  expect(after({ kind: 'open', kept: false }, { kind: 'starved' }).kind).toBe('opening');
});

test('a late picture does not hide a failure', () => {
  const failed = after({ kind: 'open', kept: false }, { kind: 'giveUp', failure });
  expect(nextState(failed, { kind: 'picture' })).toEqual({ kind: 'failed', failure });
  expect(nextState(failed, { kind: 'open', kept: true })).toMatchObject({ kind: 'opening', kept: true });
});

test('the reason stays during a retry, until there is an answer', () => {
  const waiting = after(
    { kind: 'open', kept: false },
    { kind: 'retryLater', failure, until: broadcastMs(5), kept: false },
  );
  expect(
    nextState(waiting, { kind: 'retryLater', failure, until: broadcastMs(9), kept: false }),
  ).toMatchObject({
    kind: 'waiting',
    until: 9,
  });
  expect(nextState(waiting, { kind: 'answered' })).toEqual({ kind: 'opening', stage: 'video', kept: false });
});

test('the picture stays during a seek, and is covered before the first one', () => {
  const opening = nextState({ kind: 'playing' }, { kind: 'open', kept: false });
  expect(isCovered(nextState(opening, { kind: 'seek' }))).toBe(true);
  const seeking = nextState({ kind: 'playing' }, { kind: 'seek' });
  expect([seeking.kind, isCovered(seeking)]).toEqual(['opening', false]);
  expect(nextState(seeking, { kind: 'picture' }).kind).toBe('playing');
  expect(
    isCovered(nextState(opening, { kind: 'retryLater', failure, until: broadcastMs(0), kept: false })),
  ).toBe(true);
});
