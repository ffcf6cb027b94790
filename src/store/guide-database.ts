/** The guide worker's own connection to the service's database. */

import { systemMonotonicClock } from '../../host/clock.ts';
import { openDatabase } from './database.ts';
import { CoverageStore } from './guide-coverage.ts';
import { ProgramWriter } from './program-writer.ts';
import { limitLockWait } from './transaction.ts';

/** The guide of a channel arrives over minutes: the index takes its programmes together. */
const INDEX_DELAY_MS = 5_000;

export interface GuideDatabase {
  readonly programs: ProgramWriter;
  readonly coverage: CoverageStore;
  close(): void;
}

/** @throws as `openDatabase` */
export function openGuideDatabase(path: string): GuideDatabase {
  const database = openDatabase(path);
  // This thread also reads tables, whose times must not be delayed by another program's transaction.
  limitLockWait(database);
  const programs = new ProgramWriter({
    database,
    elapsed: systemMonotonicClock,
    pause: (ms) => Bun.sleep(ms),
    indexDelayMs: INDEX_DELAY_MS,
  });
  return {
    programs,
    coverage: new CoverageStore(database),
    close: () => {
      programs.close();
      database.close();
    },
  };
}
