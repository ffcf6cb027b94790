import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { STC_ZERO } from '../clock.ts';
import { edgesUntil, isActive } from './model.ts';

const window = fc.record({
  from: fc.option(fc.integer({ min: 0, max: 40 }).map((ms) => STC_ZERO + ms)),
  to: fc.option(fc.integer({ min: 41, max: 90 }).map((ms) => STC_ZERO + ms)),
  every: fc.option(
    fc.record({
      everySec: fc.integer({ min: 4, max: 20 }).map((ms) => ms / 1000),
      forSec: fc.integer({ min: 1, max: 3 }).map((ms) => ms / 1000),
    }),
  ),
});

test('every start and end is counted', () => {
  fc.assert(
    fc.property(window, (each) => {
      for (let at = STC_ZERO + 1; at < STC_ZERO + 100; at++) {
        const turned = isActive(each, at) !== isActive(each, at - 1);
        expect([at - STC_ZERO, edgesUntil(each, at) - edgesUntil(each, at - 1)]).toEqual([
          at - STC_ZERO,
          Number(turned),
        ]);
      }
    }),
  );
});
