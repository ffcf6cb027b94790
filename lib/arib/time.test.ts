import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { encodeJstTime } from '../../synth/si/jst-time.ts';
import { broadcastMs, jstDayStart, jstTime, PTS_MODULUS, pts90k, unwrapPts } from './time.ts';

test("the standard's example: MJD 0xC079 12:45:00 is 1993-10-13 12:45:00 JST", () => {
  // ARIB STD-B10 Part 2, Annex C gives 93/10/13 12:45:00 as 0xC079124500.
  expect(jstTime(0xc079, 0x12, 0x45, 0x00)).toBe(broadcastMs(Date.UTC(1993, 9, 13, 12 - 9, 45, 0)));
  expect(encodeJstTime(broadcastMs(Date.UTC(1993, 9, 13, 3, 45, 0)))).toEqual([0xc0, 0x79, 0x12, 0x45, 0x00]);
});

test('all ones and digits that are not a valid time are undefined', () => {
  expect(jstTime(0xffff, 0xff, 0xff, 0xff)).toBeUndefined();
  expect(jstTime(0xc079, 0x24, 0x00, 0x00)).toBeUndefined();
  expect(jstTime(0xc079, 0x1a, 0x00, 0x00)).toBeUndefined();
  expect(jstTime(0xc079, 0x12, 0x60, 0x00)).toBeUndefined();
});

test('a Japanese day begins at 15:00 UTC the day before', () => {
  expect(jstDayStart(broadcastMs(Date.UTC(2026, 10, 20, 14, 59, 59)))).toBe(
    broadcastMs(Date.UTC(2026, 10, 19, 15)),
  );
  expect(jstDayStart(broadcastMs(Date.UTC(2026, 10, 20, 15)))).toBe(broadcastMs(Date.UTC(2026, 10, 20, 15)));
});

test('an encoded time is decoded to the same second', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2_100_000_000 }), (seconds) => {
      const [high, low, hh, mm, ss] = encodeJstTime(broadcastMs(seconds * 1000 + 999));
      expect(jstTime((high << 8) | low, hh, mm, ss)).toBe(broadcastMs(seconds * 1000));
    }),
  );
});

test('time stamps are unwrapped to the nearest value across the 26.5 hour wrap', () => {
  expect(unwrapPts(5, PTS_MODULUS - 5)).toBe(PTS_MODULUS + 5);
  expect(unwrapPts(PTS_MODULUS - 5, PTS_MODULUS + 5)).toBe(PTS_MODULUS - 5);
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 40 }),
      fc.integer({ min: -(2 ** 31), max: 2 ** 31 }),
      (at, step) => {
        const target = Math.max(0, at + step);
        expect(unwrapPts(pts90k(target), at)).toBe(target);
      },
    ),
  );
});
