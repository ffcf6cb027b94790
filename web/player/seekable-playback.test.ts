import { expect, test } from 'bun:test';
import { fillEnd, gapJump, landing, trimmed } from './seekable-playback.ts';

const at = (target: number, anywhere = false) => ({ target, anywhere });

test('a seek ends at its exact position once buffered, not at the preceding key frame', () => {
  expect(landing([], at(100), 0.3, false)).toBeUndefined();
  expect(landing([{ start: 98.6, end: 99.9 }], at(100), 0.3, false)).toBeUndefined();
  expect(landing([{ start: 98.6, end: 100.5 }], at(100), 0.3, false)).toBe(100);
});

test('where the stream starts after the position, playback starts with the stream', () => {
  expect(landing([{ start: 101, end: 101.2 }], at(100), 0.3, false)).toBeUndefined();
  expect(landing([{ start: 101, end: 102 }], at(100), 0.3, false)).toBeCloseTo(101.02);
  // The live edge, wherever that is.
  expect(landing([{ start: 55, end: 56 }], at(1e9, true), 0.3, false)).toBeCloseTo(55.02);
});

test('after the last picture the last one is shown', () => {
  expect(landing([{ start: 98, end: 99.5 }], at(120), 0.3, true)).toBeCloseTo(99.2);
  expect(landing([], at(120), 0.3, true)).toBeUndefined();
});

test('the end of a feed is the end of its buffered range, across small gaps', () => {
  const spans = [
    { start: 0, end: 10 },
    { start: 40, end: 52 },
  ];
  expect(fillEnd(spans, 5)).toBe(10);
  expect(fillEnd(spans, 39)).toBe(52);
  expect(fillEnd(spans, 20)).toBe(20);
});

test('a gap is skipped once playback stalls in it; a distant position is not', () => {
  const spans = [
    { start: 0, end: 10 },
    { start: 11, end: 20 },
  ];
  expect(gapJump(spans, 9.99, 500)).toBeCloseTo(11.02);
  expect(gapJump(spans, 9.99, 100)).toBeUndefined();
  expect(gapJump(spans, 5, 5_000)).toBeUndefined();
  expect(gapJump([{ start: 40, end: 50 }], 9.99, 500)).toBeUndefined();
});

test('a minute before the position stays buffered', () => {
  expect(trimmed([{ start: 0, end: 100 }], 70)).toBeUndefined();
  expect(trimmed([{ start: 0, end: 100 }], 90)).toEqual({ start: 0, end: 30 });
});
