/** The guide worker's own connection to the service's database. */
import { CoverageStore } from './coverage.ts';
import { openDatabase } from './database.ts';
import { ProgramWriter } from './program-writer.ts';

export interface GuideFile {
  readonly programs: ProgramWriter;
  readonly coverage: CoverageStore;
  close(): void;
}

/** @throws as `openDatabase` */
export function openGuideFile(path: string): GuideFile {
  const database = openDatabase(path);
  return {
    programs: new ProgramWriter({ database, elapsed: () => performance.now(), pause: (ms) => Bun.sleep(ms) }),
    coverage: new CoverageStore(database),
    close: () => database.close(),
  };
}
