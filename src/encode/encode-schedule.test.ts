import { describe, expect, test } from 'bun:test';
import { wallMs } from '../../host/clock.ts';
import { decideEncode, type EncodeWindow, hasRoom, isWithin } from './encode-schedule.ts';

const HOUR = 3_600_000;
/** Midnight in Japan. */
const MIDNIGHT = Date.UTC(2026, 0, 4, 15);
const ALL_DAY: EncodeWindow = { from: 0, to: 0 };
const NIGHT: EncodeWindow = { from: 60, to: 420 };
const IDLE = { processors: 2, viewers: 0, recordings: 0 };
const job = (id: number, more = {}) => ({
  ...{ id, state: 'waiting', readyAt: wallMs(0), isReady: true, awaits: false },
  ...more,
});
const at = (more = {}) => ({
  ...{ queue: [job(1), job(2)], now: wallMs(MIDNIGHT), isPaused: false, window: ALL_DAY, machine: IDLE },
  ...more,
});

describe('the next recording to encode', () => {
  test.each([
    ['the first one that waits', at(), { start: 1, hold: false, wait: null }],
    ['none where one runs', at({ queue: [job(1, { state: 'running' }), job(2)] }), { start: undefined }],
    ['not one in the bin', at({ queue: [job(1, { isReady: false }), job(2)] }), { start: 2 }],
    [
      'not one that is put off',
      at({ queue: [job(1, { readyAt: wallMs(MIDNIGHT + 1) }), job(2)] }),
      { start: 2 },
    ],
    [
      'not one whose commercials are being looked for',
      at({ queue: [job(1, { awaits: true }), job(2)] }),
      { start: 2 },
    ],
    ['none of an empty queue', at({ queue: [] }), { start: undefined, hold: false, wait: null }],
    ['none while paused', at({ isPaused: true }), { start: undefined, hold: true, wait: 'paused' }],
    ['none outside of the window', at({ window: NIGHT }), { start: undefined, hold: true, wait: 'window' }],
    ['one inside of it', at({ window: NIGHT, now: wallMs(MIDNIGHT + HOUR) }), { start: 1, wait: null }],
    [
      'none beside a viewer on two processors',
      at({ machine: { ...IDLE, viewers: 1 } }),
      { start: undefined, hold: true, wait: 'machine' },
    ],
    ['one beside eight recordings', at({ machine: { ...IDLE, recordings: 8 } }), { start: 1, hold: false }],
  ])('%s', (_, situation, expected) => {
    expect(decideEncode(situation)).toMatchObject(expected);
  });

  test.each([
    [NIGHT, 59, false],
    [NIGHT, 60, true],
    [NIGHT, 419, true],
    [NIGHT, 420, false],
    [{ from: 1380, to: 60 }, 1380, true],
    [{ from: 1380, to: 60 }, 59, true],
    [{ from: 1380, to: 60 }, 60, false],
    [ALL_DAY, 700, true],
  ])('window %p at minute %p: %p', (window, minute, expected) => {
    expect(isWithin(window, wallMs(MIDNIGHT + minute * 60_000))).toBe(expected);
  });

  test.each([
    [2, 0, 8, true],
    [2, 1, 0, false],
    [4, 1, 0, true],
    [4, 1, 8, false],
    [4, 2, 0, true],
    [4, 3, 0, false],
  ])('%p processors with %p viewers and %p recordings: %p', (processors, viewers, recordings, expected) => {
    expect(hasRoom({ processors, viewers, recordings })).toBe(expected);
  });
});
