import { describe, expect, test } from 'bun:test';
import { encodedLength, resumePosition, toEncoded, toOriginal } from './recording-time.ts';

const CUTS = [
  { from: 10_000, to: 60_000 },
  { from: 90_000, to: 120_000 },
];

describe('positions in an encoded file', () => {
  test('are those of the original stream where nothing was cut', () => {
    expect([toOriginal(12_345, null), toEncoded(12_345, null), encodedLength(7, null)]).toEqual([
      12_345, 12_345, 7,
    ]);
  });

  test('skip cut parts', () => {
    expect([0, 49_999, 50_000, 79_999, 80_000, 1e9].map((at) => toOriginal(at, CUTS))).toEqual([
      10_000, 59_999, 90_000, 119_999, 120_000, 120_000,
    ]);
    expect([0, 10_000, 59_999, 60_000, 75_000, 90_000, 130_000].map((at) => toEncoded(at, CUTS))).toEqual([
      0, 0, 49_999, 50_000, 50_000, 50_000, 80_000,
    ]);
    expect(encodedLength(500_000, CUTS)).toBe(80_000);
  });

  test('convert back to the original position', () => {
    for (let at = 0; at < 80_000; at += 997) expect(toEncoded(toOriginal(at, CUTS), CUTS)).toBe(at);
  });
});

describe('the stored playback position', () => {
  const HOUR = 3_600_000;
  test.each([
    [
      'is a position in the middle',
      { positionMs: 95_000.4, playerLengthMs: HOUR, knownLengthMs: HOUR },
      { resumeMs: 95_000, finished: false },
    ],
    [
      'is none within the first 30 s',
      { positionMs: 29_999, playerLengthMs: HOUR, knownLengthMs: HOUR },
      { resumeMs: null, finished: false },
    ],
    [
      'is kept from 30 s on',
      { positionMs: 30_000, playerLengthMs: HOUR, knownLengthMs: null },
      { resumeMs: 30_000, finished: false },
    ],
    [
      'is none within the last 30 s, which is the end',
      { positionMs: HOUR - 30_000, playerLengthMs: HOUR, knownLengthMs: HOUR },
      { resumeMs: null, finished: true },
    ],
    [
      'is kept up to 30 s before the end',
      { positionMs: HOUR - 30_001, playerLengthMs: HOUR, knownLengthMs: HOUR },
      { resumeMs: HOUR - 30_001, finished: false },
    ],
    [
      'is no end without a duration from the player',
      { positionMs: HOUR, playerLengthMs: null, knownLengthMs: HOUR },
      { resumeMs: null, finished: false },
    ],
    [
      'uses the duration from the player',
      { positionMs: 100_000, playerLengthMs: 120_000, knownLengthMs: HOUR },
      { resumeMs: null, finished: true },
    ],
    [
      'is kept anywhere in a recording in progress',
      { positionMs: 100_000, playerLengthMs: 100_000, knownLengthMs: null },
      { resumeMs: 100_000, finished: false },
    ],
  ])('%s', (_, reached, kept) => {
    expect(resumePosition(reached)).toEqual(kept);
  });
});
