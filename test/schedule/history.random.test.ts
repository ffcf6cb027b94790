/** Whatever happens in the hours of a home, a plan is consistent, feasible, and stable when repeated. */
import { expect, test } from 'bun:test';
import { FUZZ_TIMEOUT, fuzzRounds, fuzzSeed, Random } from '../fuzz/random.ts';
import { Household } from './history.ts';

const ROUNDS = fuzzRounds(4);
const STEPS = 45;

test(
  'after any sequence of events a plan is consistent and feasible',
  () => {
    const seed = fuzzSeed();
    console.log(`seed ${seed}`);
    let recorded = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const household = new Household(new Random(seed + round * 7919));
      let went = false;
      try {
        household.plan();
        for (let step = 0; step < STEPS; step++) household.step();
        expect(household.faults).toEqual([]);
        went = true;
      } finally {
        if (!went) console.log(`round ${round}: FUZZ_SEED=${seed + round * 7919}`);
      }
      recorded += household.recorded;
    }
    // Enough was recorded for the test to be meaningful.
    expect(recorded).toBeGreaterThan(ROUNDS * 4);
    console.log(`${recorded} recordings`);
  },
  Math.max(FUZZ_TIMEOUT, 60_000),
);
