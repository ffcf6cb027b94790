/**
 * Homes of all kinds in months with many faults. Everything that rules and users wanted is recorded, or the
 * reported reason is true. The suite runs a week, `--long` a year of several homes.
 */
import { expect, test } from 'bun:test';
import { fuzzSeed, Random } from '../fuzz/random.ts';
import { HardHome } from './hard-year.ts';
import { Outcomes } from './year-outcome.ts';

const LONG = process.env.SVC_LONG === '1';
const DAYS = LONG ? 365 : 7;
const HOMES = LONG ? 4 : 1;
const FIRST_DAY = Date.parse('2026-11-21T05:00:00+09:00');
const DAY_MINUTES = 1440;

for (let index = 0; index < HOMES; index++) {
  const seed = fuzzSeed() + index * 7919;
  test(
    `in a year with many faults nothing is lost without a reported reason (FUZZ_SEED=${seed})`,
    () => {
      const home = new HardHome(new Random(seed), FIRST_DAY, DAYS);
      const outcomes = new Outcomes(home);
      for (let minute = 1; minute <= DAYS * DAY_MINUTES && home.faults.length === 0; minute++) {
        home.pass();
        if (minute % DAY_MINUTES === 0) outcomes.judge();
      }
      const { counts, taken, tuners } = home;
      const types = tuners.map((one) => one.types.join('+')).join();
      console.log(JSON.stringify({ seed, types, ...counts, taken: taken.size, ...outcomes.counts }));
      expect(home.faults).toEqual([]);
      expect(outcomes.faults).toEqual([]);
      if (!LONG) return;
      // It was a year worth looking at.
      expect(taken.size).toBeGreaterThan(DAYS / 4);
      expect(outcomes.counts.whole ?? 0).toBeGreaterThan(DAYS / 7);
      // Terrestrial stations have branch stations on their channels, satellite stations sometimes.
      if (types.includes('GR')) expect(counts.shared).toBeGreaterThan(0);
      // Only if a later airing was within the grace period, or the recording of the first was not known yet.
      expect(outcomes.twice).toBeLessThanOrEqual(Math.ceil(taken.size / 25));
    },
    LONG ? 1_800_000 : 60_000,
  );
}
