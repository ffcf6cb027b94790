import { expect, test } from 'bun:test';
import { type BroadcastMs, broadcastMs, plusMs } from '../../lib/arib/time.ts';
import { broadcastDay } from '../words/day.ts';
import {
  CHUNK_MS,
  chunksOf,
  clampWidth,
  clampZoom,
  guideSpan,
  scaleOf,
  timeAt,
  topOf,
  unitOf,
} from './geometry.ts';

const DESK = { zoom: 1, width: 1, unit: 16, room: 1500, columns: 40 };

const at = (text: string): BroadcastMs => broadcastMs(Date.parse(`${text}+09:00`));

test('a broadcast day begins at five in the morning, Japan time', () => {
  expect(broadcastDay(at('2026-11-21T05:00'))).toBe(at('2026-11-21T05:00'));
  expect(broadcastDay(at('2026-11-21T04:59'))).toBe(at('2026-11-20T05:00'));
  expect(broadcastDay(at('2026-11-22T00:30'))).toBe(at('2026-11-21T05:00'));
  expect(guideSpan(at('2026-11-21T12:00'))).toEqual({
    // Yesterday's programmes are kept, too.
    from: at('2026-11-20T05:00'),
    to: at('2026-11-29T05:00'),
  });
});

test('conversions between times and positions are inverse', () => {
  const span = guideSpan(at('2026-11-21T12:00'));
  const scale = scaleOf({ ...DESK, zoom: 1.7 });
  expect(topOf(at('2026-11-20T06:00'), span, scale)).toBe(scale.hour);
  expect(timeAt(topOf(at('2026-11-25T19:00'), span, scale), span, scale)).toBe(at('2026-11-25T19:00'));
});

test('chunks cover a range without gap, with the same borders for every request', () => {
  expect(chunksOf(at('2026-11-21T19:00'), at('2026-11-21T22:59'))).toEqual([at('2026-11-21T17:00')]);
  expect(chunksOf(at('2026-11-21T22:00'), at('2026-11-22T05:00'))).toEqual([
    at('2026-11-21T17:00'),
    at('2026-11-21T23:00'),
  ]);
  expect(chunksOf(at('2026-11-22T04:00'), at('2026-11-22T05:01'))).toEqual([
    at('2026-11-21T23:00'),
    plusMs(at('2026-11-21T23:00'), CHUNK_MS),
  ]);
});

test('zoom has limits, and columns shrink less than hours', () => {
  expect(clampZoom(100)).toBe(3);
  expect(clampZoom(0)).toBe(0.35);
  const small = scaleOf({ ...DESK, zoom: 0.35 });
  const large = scaleOf({ ...DESK, zoom: 1.4 });
  expect(large.hour / small.hour).toBeGreaterThan(large.column / small.column);
});

test('row height and column width are independent', () => {
  const usual = scaleOf(DESK);
  const wide = scaleOf({ ...DESK, width: 1.5 });
  expect(wide.hour).toBe(usual.hour);
  expect(wide.column).toBe(Math.round(usual.column * 1.5));
  expect(clampWidth(9)).toBe(2.5);
  expect(clampWidth(0)).toBe(0.5);
});

test('few columns fill a wide screen, up to a readable width', () => {
  const usual = scaleOf(DESK).column;
  expect(scaleOf({ ...DESK, columns: 6 }).column).toBe(250);
  expect(scaleOf({ ...DESK, columns: 1 }).column).toBe(26 * 16);
  expect(scaleOf({ ...DESK, columns: 0 }).column).toBe(usual);
});

test('text of a television’s guide is at least 24 pixels at 1080p', () => {
  for (const rem of [16, 20, 25.9]) expect(unitOf(rem, true, 1920) * 0.71).toBeGreaterThanOrEqual(23.999);
  expect(unitOf(25.9, true, 3840) * 0.71).toBeGreaterThanOrEqual(47.999);
  expect(unitOf(20, false, 1920)).toBe(20);
});
