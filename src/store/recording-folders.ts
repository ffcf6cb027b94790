/** Mount points of recording folders when a file was last created in them. */
import type { Database } from 'bun:sqlite';
import { atomically } from './transaction.ts';

export class RecordingFolderStore {
  constructor(private readonly database: Database) {}

  mountOf(folder: string): string | undefined {
    const row = this.database
      .query<{ mount: string }, { folder: string }>(
        'SELECT mount FROM recording_folders WHERE path = $folder',
      )
      .get({ folder });
    return row?.mount;
  }

  filesIn(folder: string, most: number): string[] {
    return this.database
      .query<{ path: string }, { from: string; to: string; most: number }>(
        `SELECT path FROM recording_files WHERE path > $from AND path < $to AND instr(substr(path, length($from) + 1), '/') = 0
         ORDER BY recording_id DESC LIMIT $most`,
      )
      .all({ from: `${folder}/`, to: `${folder}0`, most })
      .map(({ path }) => path);
  }

  rememberMount(folder: string, mount: string): void {
    atomically(this.database, () =>
      this.database
        .query(
          `INSERT INTO recording_folders VALUES ($folder, $mount)
         ON CONFLICT (path) DO UPDATE SET mount = excluded.mount`,
        )
        .run({ folder, mount }),
    );
  }
}
