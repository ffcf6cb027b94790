import { describe, expect, test } from 'bun:test';
import { encodedLength, remembered, toEncoded, toOriginal } from './recording-time.ts';

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

  test('skip what was cut', () => {
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
    ['a place', { at: 95_000.4, length: HOUR, known: HOUR }, { resume: 95_000, finished: false }],
    ['not the beginning', { at: 29_999, length: HOUR, known: HOUR }, { resume: null, finished: false }],
    [
      'the first place after it',
      { at: 30_000, length: HOUR, known: null },
      { resume: 30_000, finished: false },
    ],
    ['not the end', { at: HOUR - 30_000, length: HOUR, known: HOUR }, { resume: null, finished: true }],
    [
      'the last place before it',
      { at: HOUR - 30_001, length: HOUR, known: HOUR },
      { resume: HOUR - 30_001, finished: false },
    ],
    ['no end without a length', { at: HOUR, length: null, known: HOUR }, { resume: null, finished: false }],
    [
      'the length that was sent',
      { at: 100_000, length: 120_000, known: HOUR },
      { resume: null, finished: true },
    ],
    [
      'any place of what has no end yet',
      { at: 100_000, length: 100_000, known: null },
      { resume: 100_000, finished: false },
    ],
  ])('%s', (_, reached, kept) => {
    expect(remembered(reached)).toEqual(kept);
  });
});
