import { expect, test } from 'bun:test';
import { wallMs } from '../../lib/host/clock.ts';
import { fuzzSeed, Random } from '../../test/fuzz/random.ts';
import { betterType, chooseLogo, isOldLogo, LOGO_LIFE_MS } from './logo.ts';

const DAY = wallMs(86_400_000);
const held = (type: number, version: number | null, fetchedAt = wallMs(0)) => ({ type, version, fetchedAt });

test('the HD size is the best, larger sizes are better than smaller ones', () => {
  const types = [0, 1, 2, 3, 4, 5].sort((a, b) => (betterType(a, b) ? -1 : 1));
  expect(types).toEqual([5, 3, 4, 2, 0, 1]);
});

test('a larger picture replaces a smaller one of its version; the same one is refreshed', () => {
  expect(chooseLogo(held(2, 1), { type: 5, version: 1 }, DAY)).toBe('replace');
  expect(chooseLogo(held(5, 1), { type: 2, version: 1 }, DAY)).toBe('keep');
  expect(chooseLogo(held(5, 1), { type: 5, version: 1 }, DAY)).toBe('refresh');
  expect(chooseLogo(held(5, null), { type: 5, version: 7 }, DAY)).toBe('refresh');
  expect(chooseLogo(held(2, 3), { type: 5, version: null }, DAY)).toBe('replace');
});

test('a newer version replaces an older one, but a small picture replaces a large one only when that has expired', () => {
  expect(chooseLogo(held(5, 1), { type: 5, version: 2 }, DAY)).toBe('replace');
  expect(chooseLogo(held(5, 4095), { type: 5, version: 0 }, DAY)).toBe('replace');
  expect(chooseLogo(held(5, 1), { type: 2, version: 2 }, DAY)).toBe('keep');
  expect(chooseLogo(held(5, 1), { type: 2, version: 2 }, wallMs(8 * DAY))).toBe('replace');
});

test('an older version is ignored, unless nothing else came for a week', () => {
  expect(chooseLogo(held(2, 2), { type: 5, version: 1 }, DAY)).toBe('keep');
  expect(chooseLogo(held(2, 2), { type: 5, version: 1 }, wallMs(8 * DAY))).toBe('replace');
});

test('a clock that was set back does not keep a logo forever', () => {
  expect(isOldLogo({ fetchedAt: wallMs(100 * DAY) }, wallMs(0))).toBe(true);
  expect(isOldLogo({ fetchedAt: wallMs(0) }, wallMs(LOGO_LIFE_MS))).toBe(false);
});

test('for any order of the logos of one version, the best is kept', () => {
  const seed = fuzzSeed();
  const random = new Random(seed);
  for (let round = 0; round < 500; round++) {
    const types = Array.from({ length: 1 + random.below(8) }, () => random.below(6));
    let now: number | undefined;
    for (const type of types) {
      const choice = now === undefined ? 'replace' : chooseLogo(held(now, 5), { type, version: 5 }, DAY);
      if (choice === 'replace') now = type;
    }
    const best = types.reduce((a, b) => (betterType(b, a) ? b : a));
    expect(now, `seed ${seed} round ${round}`).toBe(best);
  }
});
