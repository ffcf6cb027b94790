import { expect, test } from 'bun:test';
import { broadcastMs } from '../../arib/time.ts';
import { recordingId } from '../model/ids.ts';
import { PlaybackActivity } from './playback-activity.ts';

test('viewers renew their activity; those that stopped expire', () => {
  let now = 0;
  const watching = new PlaybackActivity(() => broadcastMs(now));
  watching.note(recordingId(1));
  now += 300_000;
  watching.note(recordingId(2));
  expect([1, 2, 3].map((id) => watching.isWatched(recordingId(id)))).toEqual([true, true, false]);
  now += 300_000;
  expect([1, 2].map((id) => watching.isWatched(recordingId(id)))).toEqual([false, true]);
  watching.note(recordingId(2));
  now += 599_999;
  expect(watching.isWatched(recordingId(2))).toBe(true);
  // A clock step of a day does not affect who is watching.
  now -= 86_400_000;
  expect(watching.isWatched(recordingId(2))).toBe(false);
});
