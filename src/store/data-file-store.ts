/**
 * Files with the data broadcast of recordings (`media/data-file-format.ts`), one for each recording that was read. Its name
 * is stored before the file is made, and stays while its recording has other files: also when the original is removed.
 */
import type { Database } from 'bun:sqlite';
import type { RecordingId } from '../../lib/wire/ids.ts';
import { execute, idsOf } from './query.ts';
import { defineTable, flagColumn, named, plain, type Row } from './table.ts';

export interface DataFile {
  readonly path: string;
  /** 0: there is no data broadcast, or none so far; then the file does not exist. */
  readonly bytes: number;
  /** The original was read to its end. */
  readonly isComplete: boolean;
}

const FILES = defineTable<DataFile>({
  path: plain(),
  bytes: plain(),
  isComplete: named('complete', flagColumn()),
});

export class DataFileStore {
  constructor(private readonly database: Database) {}

  find(id: RecordingId): DataFile | undefined {
    const row = this.database
      .query<Row, { id: RecordingId }>(
        `SELECT ${FILES.columns()} FROM recording_data WHERE recording_id = $id`,
      )
      .get({ id });
    return row === null ? undefined : FILES.read(row);
  }

  /** Beginning of the names of its files; null: it was not recorded by this service. Undefined: no such recording. */
  stem(id: RecordingId): string | null | undefined {
    return this.database
      .query<{ stem: string | null }, { id: RecordingId }>(
        'SELECT stem FROM recordings WHERE id = $id AND deleted_at IS NULL',
      )
      .get({ id })?.stem;
  }

  /** Only while the recording exists. */
  put(id: RecordingId, file: DataFile): void {
    execute(
      this.database,
      `INSERT INTO recording_data (recording_id, ${FILES.names(FILES.fields)})
           SELECT $id, ${FILES.placeholders(FILES.fields)} FROM recordings WHERE id = $id AND deleted_at IS NULL
           ON CONFLICT (recording_id) DO UPDATE SET ${FILES.excluded(FILES.fields)}`,
      { id, ...FILES.parameters(file, FILES.fields) },
    );
  }

  /** Recordings that are being received, the earliest first. */
  growing(): RecordingId[] {
    return this.#ids(`SELECT id FROM recordings WHERE state = 'recording' ORDER BY id`);
  }

  /** Ended recordings whose file was begun and is not complete, and that still have their original. */
  unfinished(): RecordingId[] {
    return this.#ids(
      `SELECT r.id FROM recording_data AS d INDEXED BY recording_data_unfinished
         JOIN recordings AS r ON r.id = d.recording_id
         JOIN recording_files AS f ON f.recording_id = r.id AND f.source = 'ts'
       WHERE d.complete = 0 AND r.state <> 'recording' AND r.deleted_at IS NULL AND r.binned_at IS NULL ORDER BY r.id`,
    );
  }

  #ids(sql: string): RecordingId[] {
    return idsOf<RecordingId>(this.database, sql);
  }
}
