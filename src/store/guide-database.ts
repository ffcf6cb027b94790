/** The guide worker's own connection to the service's database. */
import { systemMonotonicClock } from '../../lib/host/clock.ts';
import type { ReadCoverage } from '../model/guide-change.ts';
import { openWriter } from './connection.ts';
import { CoverageStore } from './guide-coverage.ts';
import { ProgramWriter } from './program-writer.ts';
import { limitLockWait } from './transaction.ts';
import type { WorkerLock } from './write-lock.ts';

/** The guide of a channel arrives over minutes: the index takes its programmes together. */
const INDEX_DELAY_MS = 5_000;

export interface GuideDatabase {
  readonly programs: ProgramWriter;
  putCoverage(rows: readonly ReadCoverage[]): Promise<void>;
  close(): void;
}

/** @throws as `openWriter` */
export function openGuideDatabase(path: string, lock: WorkerLock): GuideDatabase {
  const database = openWriter(path);
  // This thread also reads tables, whose times must not be delayed by another program's transaction.
  limitLockWait(database);
  const programs = new ProgramWriter({
    database,
    lock,
    elapsed: systemMonotonicClock,
    pause: (ms) => Bun.sleep(ms),
    indexDelayMs: INDEX_DELAY_MS,
  });
  const coverage = new CoverageStore(database);
  return {
    programs,
    putCoverage: (rows) => programs.together(() => coverage.put(rows)),
    close: () => {
      programs.close();
      database.close();
    },
  };
}
