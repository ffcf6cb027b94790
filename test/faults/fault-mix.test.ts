/** With `--long`: a random mix of faults. FUZZ_SEED repeats one, SVC_MIX sets the number of recordings. */
import { expect, test } from 'bun:test';
import { Random } from '../fuzz/random.ts';
import { mixedEvening } from './fault-mix.ts';
import { LONG } from './household.ts';

const RECORDINGS = Number(process.env.SVC_MIX ?? 500);
const SEED = Number(process.env.FUZZ_SEED ?? Math.floor(Date.now() / 1000));
/** Each evening takes two minutes. */
const LIMIT_MS = RECORDINGS * 20_000 + 300_000;

test.skipIf(!LONG)(
  `a random mix of faults: no loss is hidden or invented (FUZZ_SEED=${SEED})`,
  async () => {
    const random = new Random(SEED);
    const wrong: string[] = [];
    for (let recorded = 0; recorded < RECORDINGS; ) {
      const evening = await mixedEvening(random);
      recorded += evening.recorded;
      wrong.push(...evening.wrong);
      console.log(
        [
          `${recorded} recordings, up to ${evening.lateMs} ms late, ${wrong.length} wrong`,
          ...evening.wrong,
        ].join('\n'),
      );
    }
    expect(wrong).toEqual([]);
  },
  LIMIT_MS,
);
