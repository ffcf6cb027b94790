import { expect, test } from 'bun:test';
import { monotonicMs } from '../../lib/wire/times.ts';
import { judgeLag, NO_LAG } from './playback-session.ts';

/** Shows pictures with the given delay, ten a second; returns the times of jumps, ms. */
function jumps(lateness: (at: number) => number, seconds: number): number[] {
  const found: number[] = [];
  let lag = NO_LAG;
  for (let at = 0; at < seconds * 1000; at += 100) {
    const judged = judgeLag(lag, {
      at: monotonicMs(at),
      mediaTime: at / 1000 - lateness(at),
      position: at / 1000,
    });
    lag = judged.lag;
    if (judged.seekTo !== undefined) found.push(at);
  }
  return found;
}

test('pictures in time, and a single late one, cause no correction', () => {
  expect(jumps(() => 0.08, 10)).toEqual([]);
  expect(jumps((at) => (at % 500 === 0 ? 0.4 : 0), 10)).toEqual([]);
});

test('pictures that stay behind the audio are corrected, at most every 3 s', () => {
  expect(jumps(() => 0.15, 9)).toEqual([400, 3_400, 6_400]);
});

test('the correction seeks to the picture that is shown', () => {
  let judged = judgeLag(NO_LAG, { at: monotonicMs(0), mediaTime: 7.8, position: 8 });
  for (let at = 1; at < 5; at += 1)
    judged = judgeLag(judged.lag, { at: monotonicMs(at), mediaTime: 7.8, position: 8 });
  expect(judged.seekTo).toBe(7.8);
});
