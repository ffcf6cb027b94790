import { expect, test } from 'bun:test';
import { broadcastDay } from '../words/day.ts';
import { CHUNK_MS, chunksOf, clampZoom, guideSpan, scaleOf, timeAt, topOf } from './geometry.ts';

const at = (text: string): number => Date.parse(`${text}+09:00`);

test('a broadcast day begins at five in the morning, Japan time', () => {
  expect(broadcastDay(at('2026-11-21T05:00'))).toBe(at('2026-11-21T05:00'));
  expect(broadcastDay(at('2026-11-21T04:59'))).toBe(at('2026-11-20T05:00'));
  expect(broadcastDay(at('2026-11-22T00:30'))).toBe(at('2026-11-21T05:00'));
  expect(guideSpan(at('2026-11-21T12:00'))).toEqual({
    from: at('2026-11-21T05:00'),
    to: at('2026-11-29T05:00'),
  });
});

test('times and places are each other’s inverse', () => {
  const span = guideSpan(at('2026-11-21T12:00'));
  const scale = scaleOf(1.7, 16, 1600);
  expect(topOf(at('2026-11-21T06:00'), span, scale)).toBe(scale.hour);
  expect(timeAt(topOf(at('2026-11-25T19:00'), span, scale), span, scale)).toBe(at('2026-11-25T19:00'));
});

test('chunks cover a stretch without gap, on the same borders whoever asks', () => {
  expect(chunksOf(at('2026-11-21T19:00'), at('2026-11-21T22:59'))).toEqual([at('2026-11-21T17:00')]);
  expect(chunksOf(at('2026-11-21T22:00'), at('2026-11-22T05:00'))).toEqual([
    at('2026-11-21T17:00'),
    at('2026-11-21T23:00'),
  ]);
  expect(chunksOf(at('2026-11-22T04:00'), at('2026-11-22T05:01'))).toEqual([
    at('2026-11-21T23:00'),
    at('2026-11-21T23:00') + CHUNK_MS,
  ]);
});

test('zoom has ends, and columns shrink less than hours', () => {
  expect(clampZoom(100)).toBe(3);
  expect(clampZoom(0)).toBe(0.35);
  const small = scaleOf(0.35, 16, 1600);
  const large = scaleOf(1.4, 16, 1600);
  expect(large.hour / small.hour).toBeGreaterThan(large.column / small.column);
});
