/** Where the folders of recordings were mounted when a file was last made in them. */
import type { Database } from 'bun:sqlite';

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

  rememberMount(folder: string, mount: string): void {
    this.database
      .query(
        `INSERT INTO recording_folders VALUES ($folder, $mount)
         ON CONFLICT (path) DO UPDATE SET mount = excluded.mount`,
      )
      .run({ folder, mount });
  }
}
