/** Mount points of recording folders when a file was last created in them, and which folders have their files. */
import type { Database } from 'bun:sqlite';
import { execute } from './query.ts';

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
    execute(
      this.database,
      `INSERT INTO recording_folders VALUES ($folder, $mount)
         ON CONFLICT (path) DO UPDATE SET mount = excluded.mount`,
      { folder, mount },
    );
  }

  identityOf(folder: string): string | undefined {
    const row = this.database
      .query<{ identity: string }, { folder: string }>(
        'SELECT identity FROM recording_folder_identities WHERE path = $folder',
      )
      .get({ folder });
    return row?.identity;
  }

  rememberIdentity(folder: string, identity: string): void {
    execute(
      this.database,
      `INSERT INTO recording_folder_identities (path, identity) VALUES ($folder, $identity)
           ON CONFLICT (path) DO UPDATE SET identity = excluded.identity`,
      { folder, identity },
    );
  }

  listedIn(folder: string): string[] {
    return this.database
      .query<{ path: string }, { from: string; to: string }>(
        `SELECT path FROM (SELECT path FROM recording_files WHERE path > $from AND path < $to
           UNION SELECT path FROM recording_parts WHERE part > 0 AND path > $from AND path < $to
           UNION SELECT path FROM recording_data WHERE bytes > 0 AND path > $from AND path < $to)
         WHERE instr(substr(path, length($from) + 1), '/') = 0`,
      )
      .all({ from: `${folder}/`, to: `${folder}0` })
      .map(({ path }) => path);
  }

  keptFrom(folder: string): Map<string, string> {
    const rows = this.database
      .query<{ path: string; identity: string }, { from: string; to: string }>(
        'SELECT path, identity FROM recording_files_elsewhere WHERE path > $from AND path < $to',
      )
      .all({ from: `${folder}/`, to: `${folder}0` });
    return new Map(rows.map(({ path, identity }) => [path, identity]));
  }

  keep(paths: readonly string[], identity: string): void {
    if (paths.length === 0) return;
    execute(
      this.database,
      `INSERT OR REPLACE INTO recording_files_elsewhere (path, identity)
           SELECT value, $identity FROM json_each($paths)`,
      { identity, paths: JSON.stringify(paths) },
    );
  }

  renumber(former: string, identity: string): void {
    execute(
      this.database,
      'UPDATE recording_files_elsewhere SET identity = $identity WHERE identity = $former',
      { former, identity },
    );
  }

  unkeep(paths: readonly string[]): void {
    if (paths.length === 0) return;
    execute(
      this.database,
      'DELETE FROM recording_files_elsewhere WHERE path IN (SELECT value FROM json_each($paths))',
      { paths: JSON.stringify(paths) },
    );
  }
}
