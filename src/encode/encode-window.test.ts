import { describe, expect, test } from 'bun:test';
import { wallMs } from '../../lib/host/clock.ts';
import { type EncodeWindow, encodeWait, isWithin, readyEncodes } from './encode-window.ts';

const HOUR = 3_600_000;
/** Midnight in Japan. */
const MIDNIGHT = Date.UTC(2026, 0, 4, 15);
const ALL_DAY: EncodeWindow = { from: 0, to: 0 };
const NIGHT: EncodeWindow = { from: 60, to: 420 };
const job = (id: number, more = {}) => ({
  ...{ id, state: 'waiting', readyAt: wallMs(0), isReady: true, awaits: false },
  ...more,
});

describe('the next recording to encode', () => {
  test.each([
    ['the first one that waits', [job(1), job(2)], 1],
    ['not one that runs', [job(1, { state: 'running' }), job(2)], 2],
    ['not one in the bin', [job(1, { isReady: false }), job(2)], 2],
    ['not one that is put off', [job(1, { readyAt: wallMs(MIDNIGHT + 1) }), job(2)], 2],
    ['one queued before the clock was set back an hour', [job(1, { readyAt: wallMs(MIDNIGHT + HOUR) })], 1],
    ['not one whose commercials are being looked for', [job(1, { awaits: true }), job(2)], 2],
    ['none of an empty queue', [], undefined],
  ])('%s', (_, queue, expected) => {
    expect(readyEncodes(queue, wallMs(MIDNIGHT))[0]?.id).toBe(expected);
  });

  test.each([
    ['begins', false, ALL_DAY, 0, true, null],
    ['begins inside of the window', false, NIGHT, HOUR, true, null],
    ['does not begin while paused', true, ALL_DAY, 0, true, 'paused'],
    ['does not begin outside of the window', false, NIGHT, 0, true, 'window'],
    ['does not begin without processor time', false, ALL_DAY, 0, false, 'machine'],
  ] as const)('%s', (_, isPaused, window, at, hasRoom, expected) => {
    expect(encodeWait(isPaused, window, wallMs(MIDNIGHT + at), hasRoom)).toBe(expected);
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
});
