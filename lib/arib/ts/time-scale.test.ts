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
import { type Stretch, TimeScale, TimeScaleBuilder } from './time-scale.ts';

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

  test('a time stamp that occurs twice is resolved to the nearest occurrence', () => {
    const pts = pts90k(1000 + 3 * SECOND);
    expect(scale.mediaAt(pts, media90k(SECOND))).toBe(media90k(3 * SECOND));
    expect(scale.mediaAt(pts, media90k(25 * SECOND))).toBe(media90k(13 * SECOND));
  });

  test('media times outside are clamped to the nearest end, time stamps outside are not found', () => {
    expect(scale.broadcastAt(media90k(-SECOND))).toBe(NOON);
    expect(scale.mediaAtBroadcast(broadcastMs(NOON - 1))).toBe(media90k(0));
    expect(scale.mediaAtBroadcast(broadcastMs(NOON + HOUR))).toBe(scale.duration);
    expect(scale.mediaAt(pts90k(HOUR), media90k(0))).toBeUndefined();
    // audio that belongs to the first picture precedes it
    expect(scale.mediaAt(pts90k(500), media90k(0))).toBe(media90k(0));
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
    expect([empty.duration, empty.positionAt(media90k(0))]).toEqual([media90k(0), undefined]);
    expect(empty.mediaAt(pts90k(0), media90k(0))).toBeUndefined();
    expect(empty.mediaAtBroadcast(NOON)).toBeUndefined();
  });
});

describe('properties', () => {
  test('media time → stamp → media time', () => {
    fc.assert(
      fc.property(placed, ({ scale, media }) => {
        const position = scale.positionAt(media);
        expect(scale.mediaAt(position?.pts as Pts90k, media)).toBe(media);
      }),
    );
  });

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
        inside(scale.mediaAt(one as Pts90k, other as Media90k));
        inside(scale.mediaAtBroadcast(one as BroadcastMs));
        const pts = scale.positionAt(one as Media90k)?.pts ?? 0;
        expect(pts >= 0 && pts < PTS_MODULUS).toBe(true);
      }),
    );
  });
});

describe('TimeScaleBuilder', () => {
  /** Adds a time stamp for each second. */
  function run(builder: TimeScaleBuilder, pts: number, seconds: number, at?: number): void {
    for (let second = 0; second <= seconds; second += 1) {
      const time = at === undefined ? undefined : broadcastMs(at + second * 1000);
      builder.add(pts90k(pts + second * SECOND), time);
    }
  }

  test('a wrap of the time stamps does not start a new stretch', () => {
    const builder = new TimeScaleBuilder();
    run(builder, PTS_MODULUS - 5 * SECOND, 10, NOON);
    const scale = builder.scale();
    expect(scale.stretches).toHaveLength(1);
    expect(scale.duration).toBe(media90k(10 * SECOND));
    expect(scale.positionAt(media90k(7 * SECOND))?.pts).toBe(pts90k(2 * SECOND));
    expect(scale.mediaAt(pts90k(2 * SECOND), media90k(0))).toBe(media90k(7 * SECOND));
  });

  test('a stretch may be longer than the wrap period of the time stamps', () => {
    const builder = new TimeScaleBuilder();
    const seconds = 30 * 3600;
    for (let second = 0; second <= seconds; second += 8) builder.add(pts90k(100 + second * SECOND));
    const scale = builder.scale();
    expect(scale.duration).toBe(media90k(seconds * SECOND));
    const late = media90k(28 * HOUR);
    expect(scale.mediaAt(scale.positionAt(late)?.pts as Pts90k, late)).toBe(late);
  });

  test('a jump in either direction and a gap start a new stretch', () => {
    const builder = new TimeScaleBuilder();
    run(builder, 0, 3, NOON);
    run(builder, HOUR, 3, NOON + 3000);
    run(builder, SECOND, 3, NOON + 6000);
    builder.gap();
    run(builder, 4 * SECOND, 3, NOON + 60_000);
    const scale = builder.scale();
    expect(scale.stretches.map(({ start }) => start / SECOND)).toEqual([0, 3, 6, 9]);
    expect(scale.mediaAtBroadcast(broadcastMs(NOON + 30_000))).toBe(media90k(9 * SECOND));
  });

  test('pictures in decoding order do not end a stretch', () => {
    const builder = new TimeScaleBuilder();
    for (const frame of [0, 3, 1, 2, 6, 4, 5]) builder.add(pts90k(PTS_MODULUS - 9009 + frame * 3003));
    expect(builder.scale().stretches).toHaveLength(1);
    expect(builder.scale().duration).toBe(media90k(18_018));
  });

  test('a scale built earlier does not change while the recording grows', () => {
    const builder = new TimeScaleBuilder();
    run(builder, 0, 5, NOON);
    const before = builder.scale();
    run(builder, 6 * SECOND, 5, NOON + 6000);
    expect(before.duration).toBe(media90k(5 * SECOND));
    expect(builder.scale().duration).toBe(media90k(11 * SECOND));
  });

  test('any time stamps need bounded memory and give a usable scale', () => {
    const builder = new TimeScaleBuilder();
    for (let index = 0; index < 60_000; index += 1) builder.add(pts90k((index * 7_654_321) % PTS_MODULUS));
    expect(builder.scale().stretches.length).toBeLessThanOrEqual(20_000);
    fc.assert(
      fc.property(fc.array(fc.double(), { maxLength: 50 }), (stamps) => {
        const other = new TimeScaleBuilder();
        for (const stamp of stamps) other.add(stamp as Pts90k);
        expect(Number.isFinite(other.scale().duration)).toBe(true);
      }),
    );
  });
});
