import { expect, test } from 'bun:test';
import { PlaybackActivity } from './playback-activity.ts';

test('who watches says so again and again; who has stopped is forgotten', () => {
  let now = 0;
  const watching = new PlaybackActivity(() => now);
  watching.note(1);
  now += 300_000;
  watching.note(2);
  expect([1, 2, 3].map((id) => watching.isWatched(id))).toEqual([true, true, false]);
  now += 300_000;
  expect([1, 2].map((id) => watching.isWatched(id))).toEqual([false, true]);
  watching.note(2);
  now += 599_999;
  expect(watching.isWatched(2)).toBe(true);
  // A clock that was set by a day says nothing of who watches.
  now -= 86_400_000;
  expect(watching.isWatched(2)).toBe(false);
});
