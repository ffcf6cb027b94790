import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  type BroadcastMs,
  broadcastMs,
  type Media90k,
  media90k,
  PTS_MODULUS,
  type Pts90k,
  pts90k,
  TICKS_PER_SECOND,
} from '../time.ts';
import { type Stretch, TimeScale } from './time-scale.ts';

const SECOND = TICKS_PER_SECOND;
const HOUR = 3600 * SECOND;
const NOON = broadcastMs(Date.UTC(2026, 4, 1, 3));

function stretch(pts: number, length: number, at?: number): Stretch {
  return { pts: pts90k(pts), length, at: at === undefined ? undefined : broadcastMs(at) };
}

/**
 * Stretches like those of a recording: random time stamps, up to 30 hours each, with a gap of up to 2 hours before
 * each.
 */
const recording = fc
  .array(
    fc.record({
      pts: fc.integer({ min: 0, max: PTS_MODULUS - 1 }),
      length: fc.integer({ min: 1, max: 30 * HOUR }),
      gapMs: fc.integer({ min: 0, max: 2 * 3_600_000 }),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((rows) => {
    let at: number = NOON;
    return rows.map(({ pts, length, gapMs }) => {
      const start = at + gapMs;
      at = start + length / 90;
      return stretch(pts, length, start);
    });
  });

/** A scale and a time on it. */
const placed = recording.chain((stretches) => {
  const scale = TimeScale.of(stretches);
  return fc.record({
    scale: fc.constant(scale),
    media: fc.integer({ min: 0, max: scale.duration }).map(media90k),
  });
});

describe('a scale of several stretches', () => {
  const scale = TimeScale.of([
    stretch(1000, 10 * SECOND, NOON),
    // 5 s were not received; the stamps started again at the same number
    stretch(1000, 20 * SECOND, NOON + 15_000),
  ]);

  test('media time has no gap, broadcast time has one', () => {
    expect(scale.duration).toBe(media90k(30 * SECOND));
    expect(scale.broadcastAt(media90k(9 * SECOND))).toBe(broadcastMs(NOON + 9_000));
    expect(scale.broadcastAt(media90k(10 * SECOND))).toBe(broadcastMs(NOON + 15_000));
    expect(scale.mediaAtBroadcast(broadcastMs(NOON + 12_000))).toBe(media90k(10 * SECOND));
    expect(scale.mediaAtBroadcast(broadcastMs(NOON + 16_000))).toBe(media90k(11 * SECOND));
  });

  test('media times outside are clamped to the nearest end', () => {
    expect(scale.broadcastAt(media90k(-SECOND))).toBe(NOON);
    expect(scale.mediaAtBroadcast(broadcastMs(NOON - 1))).toBe(media90k(0));
    expect(scale.mediaAtBroadcast(broadcastMs(NOON + HOUR))).toBe(scale.duration);
  });

  test('a stretch without broadcast time is extrapolated from the one before, else from the one after', () => {
    const partly = TimeScale.of([
      stretch(0, 2 * SECOND),
      stretch(5, 2 * SECOND, NOON),
      stretch(9, 2 * SECOND),
    ]);
    expect(partly.broadcastAt(media90k(0))).toBe(broadcastMs(NOON - 2000));
    expect(partly.broadcastAt(media90k(5 * SECOND))).toBe(broadcastMs(NOON + 3000));
    expect(TimeScale.of([stretch(0, SECOND)]).broadcastAt(media90k(0))).toBeUndefined();
  });

  test('an empty scale has no position', () => {
    const empty = TimeScale.of([]);
    expect([empty.duration, empty.broadcastAt(media90k(0))]).toEqual([media90k(0), undefined]);
    expect(empty.mediaAtBroadcast(NOON)).toBeUndefined();
  });
});

describe('properties', () => {
  test('media time → broadcast time → media time, within a tick', () => {
    fc.assert(
      fc.property(placed, ({ scale, media }) => {
        const back = scale.mediaAtBroadcast(scale.broadcastAt(media) as BroadcastMs);
        expect(Math.abs(Number(back) - media)).toBeLessThan(1);
      }),
    );
  });

  test('media time and broadcast time rise together', () => {
    fc.assert(
      fc.property(placed, fc.nat(HOUR), ({ scale, media }, step) => {
        const later = media90k(Math.min(scale.duration, media + step));
        const from = Number(scale.broadcastAt(media));
        const to = Number(scale.broadcastAt(later));
        expect(to).toBeGreaterThanOrEqual(from);
        const found = Number(scale.mediaAtBroadcast(broadcastMs((from + to) / 2)));
        expect(found).toBeGreaterThanOrEqual(media - 1);
        expect(found).toBeLessThanOrEqual(later + 1);
      }),
    );
  });

  test('any stretches and any times give finite results within the scale', () => {
    const anyNumber = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(2 ** 60, Number.NaN, Infinity, -0));
    const anyStretch = fc.record({
      pts: anyNumber.map((value) => value as Pts90k),
      length: anyNumber,
      at: fc.option(
        anyNumber.map((value) => value as BroadcastMs),
        { nil: undefined },
      ),
    });
    fc.assert(
      fc.property(fc.array(anyStretch, { maxLength: 8 }), anyNumber, anyNumber, (stretches, one, other) => {
        const scale = TimeScale.of(stretches);
        const inside = (media: Media90k | undefined): void => {
          if (media === undefined) return;
          expect(media).toBeGreaterThanOrEqual(0);
          expect(media).toBeLessThanOrEqual(scale.duration);
        };
        inside(scale.mediaAtBroadcast(one as BroadcastMs));
        expect(scale.broadcastAt(other as Media90k)).not.toBeNaN();
      }),
    );
  });
});
