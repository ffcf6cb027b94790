import { describe, expect, test } from 'bun:test';
import { STRIP } from './analysis-command.ts';
import type { Candidate } from './boundary-candidates.ts';
import { knownLogo, learnLogo } from './station-logo.ts';
import { CORNERS_WIDTH, type CornerSample } from './stream-features.ts';

const SAMPLES = 240;
const BREAK = { from: 60_000, to: 120_000 };
const SECOND_BREAK = { from: 160_000, to: 190_000 };

/** xorshift32: the same pictures in every run. */
function noise(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

interface Mark {
  readonly x: number;
  readonly y: number;
  readonly alpha: number;
  isOn(timeMs: number): boolean;
}

const inBreak = (timeMs: number): boolean =>
  [BREAK, SECOND_BREAK].some(({ from, to }) => from <= timeMs && timeMs < to);
const LOGO: Mark = { x: 270, y: 12, alpha: 0.4, isOn: (timeMs) => !inBreak(timeMs) };
/** Visible for a minute of the programme. */
const TELOP: Mark = { x: 20, y: 10, alpha: 0.95, isOn: (timeMs) => timeMs > 5_000 && timeMs < 58_000 };

/** One picture a second: smooth blobs that change, and marks over them. */
function pictures(marks: readonly Mark[]): CornerSample[] {
  const random = noise(20261122);
  return Array.from({ length: SAMPLES }, (_, index) => {
    const timeMs = index * 1000;
    const pixels = new Uint8Array(CORNERS_WIDTH * STRIP.height);
    const [a, b, c] = [random() * 0.2, random() * 0.2, random() * 90];
    for (let y = 0; y < STRIP.height; y += 1) {
      for (let x = 0; x < CORNERS_WIDTH; x += 1) {
        const light = 90 + c * Math.sin(a * x + index) * Math.cos(b * y) + 8 * random();
        pixels[y * CORNERS_WIDTH + x] = Math.max(0, Math.min(255, light));
      }
    }
    for (const { x, y, alpha, isOn } of marks) {
      if (!isOn(timeMs)) continue;
      for (let row = 0; row < 20; row += 1) {
        for (let column = 0; column < 30; column += 1) {
          // A ring with a bar in it.
          const isInk = row < 3 || row > 16 || column < 3 || column > 26 || (row > 8 && row < 12);
          const at = (y + row) * CORNERS_WIDTH + x + column;
          if (isInk) pixels[at] = (pixels[at] as number) * (1 - alpha) + 230 * alpha;
        }
      }
    }
    return { timeMs, pixels };
  });
}

const JOINS = [BREAK.from, BREAK.to, SECOND_BREAK.from, SECOND_BREAK.to].map(
  (ms): Candidate => ({
    atMs: ms,
    isCut: true,
    quiet: 1,
    isBlackEdge: false,
    silence: { before: 500, behind: 500 },
  }),
);

/** Share of the samples in which the logo evidence agrees with the breaks. */
function rightShare(samples: readonly CornerSample[], evidence: Float32Array): number {
  const right = samples.filter(({ timeMs }, index) => (evidence[index] as number) < 0 === inBreak(timeMs));
  return right.length / samples.length;
}

describe('a logo', () => {
  const samples = pictures([LOGO, TELOP]);

  test('is learnt from what disappears in the breaks, not from a stronger text that stays longer', () => {
    const found = learnLogo(samples, JOINS);
    expect(found?.model.x).toBeWithin(255, 285);
    expect(rightShare(samples, found?.evidence ?? new Float32Array(0))).toBeGreaterThan(0.97);
  });

  test('once learnt, is recognised in another recording, also where it is always shown', () => {
    const learnt = learnLogo(samples, JOINS);
    if (learnt === undefined) throw new Error('nothing learnt');
    const divided = knownLogo(learnt.model, pictures([LOGO]));
    expect(rightShare(samples, divided?.evidence ?? new Float32Array(0))).toBeGreaterThan(0.97);
    expect(divided?.isAlwaysOn).toBe(false);
    const always = knownLogo(learnt.model, pictures([{ ...LOGO, isOn: () => true }]));
    expect(always?.isAlwaysOn).toBe(true);
    // Another station, or the logo moved.
    expect(knownLogo(learnt.model, pictures([{ ...LOGO, x: 180 }]))).toBeUndefined();
  });

  test('is learnt where white pictures hide it for seconds, and tells nothing there', () => {
    const white = (timeMs: number): boolean => Math.floor(timeMs / 7_000) % 3 === 1;
    const hidden = samples.map(({ timeMs, pixels }) => ({
      timeMs,
      pixels: white(timeMs) ? pixels.map((value) => 200 + value / 5) : pixels,
    }));
    const found = learnLogo(hidden, JOINS);
    expect(found?.model.x).toBeWithin(255, 285);
    expect(rightShare(hidden, found?.evidence ?? new Float32Array(0))).toBeGreaterThan(0.94);
  });

  test("is learnt from users' corrections where pauses are no evidence", () => {
    const found = learnLogo(samples, [], (timeMs) => !inBreak(timeMs));
    expect(found?.model.x).toBeWithin(255, 285);
    expect(rightShare(samples, found?.evidence ?? new Float32Array(0))).toBeGreaterThan(0.97);
  });

  test('is not found without a logo, where it stays during commercials, or in too few samples', () => {
    expect(learnLogo(pictures([]), JOINS)).toBeUndefined();
    expect(learnLogo(pictures([{ ...LOGO, isOn: () => true }]), JOINS)).toBeUndefined();
    expect(learnLogo(samples.slice(0, 8), JOINS)).toBeUndefined();
    expect(learnLogo([], [])).toBeUndefined();
  });
});
