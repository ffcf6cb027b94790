/** The guide worker's own connection to the service's database. */

import { openDatabase } from './database.ts';
import { CoverageStore } from './guide-coverage.ts';
import { ProgramWriter } from './program-writer.ts';

export interface GuideDatabase {
  readonly programs: ProgramWriter;
  readonly coverage: CoverageStore;
  close(): void;
}

/** @throws as `openDatabase` */
export function openGuideDatabase(path: string): GuideDatabase {
  const database = openDatabase(path);
  return {
    programs: new ProgramWriter({ database, elapsed: () => performance.now(), pause: (ms) => Bun.sleep(ms) }),
    coverage: new CoverageStore(database),
    close: () => database.close(),
  };
}
