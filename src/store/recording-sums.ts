/** Number and size of recordings, by folder and in all. Cached until recordings change. */
import type { Database } from 'bun:sqlite';
import { dirname } from 'node:path';
import { shelfCount, tableStamp } from './change-counters.ts';

interface RecordingSums {
  /** Watchable and running recordings. */
  count: number;
  unwatched: number;
  /** Size of all that are not in the bin. */
  bytes: number;
  failed: number;
  binned: number;
  binnedBytes: number;
  /** Octets per ms of the latest recordings; null if there are none. */
  rate: number | null;
}

/** Enough for a household's mix of stations. */
const LATE = 50;

const LISTS = `SELECT shelf, count(*) AS count, sum(bytes) AS bytes, sum(1 - watched) AS unwatched
  FROM recordings INDEXED BY recordings_largest WHERE shelf IS NOT NULL GROUP BY shelf`;

const RATE = `SELECT sum(bytes) AS bytes, sum(duration_ms) AS duration FROM (
    SELECT bytes, duration_ms FROM recordings INDEXED BY recordings_newest
    WHERE shelf = 1 AND bytes > 0 AND duration_ms > 0 ORDER BY start_at DESC LIMIT ${LATE})`;

const FOLDERS = `SELECT folder, sum(bytes) AS bytes FROM recordings INDEXED BY recordings_in_folder
  WHERE folder IS NOT NULL AND shelf IS NOT NULL GROUP BY folder`;

/** Parts of ended recordings that are not in their recording's folder. */
const ELSEWHERE = `SELECT r.folder, p.path, p.bytes FROM recording_parts AS p
    JOIN recordings AS r ON r.id = p.recording_id
  WHERE p.recording_id IN (SELECT recording_id FROM recording_parts WHERE part > 1)
    AND r.state <> 'recording' AND r.deleted_at IS NULL`;

/** Parts of running recordings; their sizes change without a counted change. */
const GROWING = `SELECT NULL AS folder, p.path, p.bytes FROM recordings AS r INDEXED BY recordings_unfinished
    JOIN recording_parts AS p ON p.recording_id = r.id WHERE r.state = 'recording'`;
const GROWING_BEFORE = `SELECT folder, '' AS path, bytes FROM recordings INDEXED BY recordings_unfinished
  WHERE state = 'recording' AND folder IS NOT NULL`;

interface PartRow {
  folder: string | null;
  path: string;
  bytes: number;
}

export class RecordingSumStore {
  #stamp = '';
  /** Without the growth of running recordings. */
  #sums: RecordingSums | undefined;
  #folders = new Map<string, number>();

  constructor(private readonly database: Database) {}

  sums(): RecordingSums {
    this.#renew();
    this.#sums ??= this.#read();
    const grown = this.#parts(GROWING).reduce((sum, { bytes }) => sum + bytes, 0);
    return { ...this.#sums, bytes: this.#sums.bytes + grown };
  }

  /** Octets of recordings in each folder that has any, including those in the bin. */
  byFolder(): Map<string, number> {
    this.#renew();
    const folders = new Map(this.#folders);
    for (const { path, bytes } of this.#parts(GROWING)) add(folders, dirname(path), bytes);
    return folders;
  }

  #renew(): void {
    const stamp = tableStamp(this.database, ['recordings']);
    if (stamp === this.#stamp) return;
    this.#sums = undefined;
    this.#folders = this.#readFolders();
    this.#stamp = stamp;
  }

  #read(): RecordingSums {
    const rows = this.database
      .query<{ shelf: number; count: number; bytes: number; unwatched: number }, []>(LISTS)
      .all();
    const [failed, shown, bin] = [0, 1, 2].map((shelf) => rows.find((row) => row.shelf === shelf));
    const growing = this.#parts(GROWING_BEFORE).reduce((sum, { bytes }) => sum + bytes, 0);
    const late = this.database.query<{ bytes: number | null; duration: number | null }, []>(RATE).get();
    return {
      count: shown?.count ?? 0,
      unwatched: shown?.unwatched ?? 0,
      bytes: (shown?.bytes ?? 0) + (failed?.bytes ?? 0) - growing,
      failed: failed?.count ?? 0,
      binned: bin?.count ?? 0,
      binnedBytes: bin?.bytes ?? 0,
      rate: late?.bytes && late.duration ? late.bytes / late.duration : null,
    };
  }

  #readFolders(): Map<string, number> {
    const folders = new Map<string, number>();
    const complete = this.database.query<{ folder: string; bytes: number }, []>(FOLDERS).all();
    for (const { folder, bytes } of complete) add(folders, folder, bytes);
    for (const { folder, path, bytes } of this.#parts(ELSEWHERE)) {
      if (folder === null) continue;
      add(folders, folder, -bytes);
      add(folders, dirname(path), bytes);
    }
    for (const { folder, bytes } of this.#parts(GROWING_BEFORE))
      if (folder !== null) add(folders, folder, -bytes);
    return folders;
  }

  #parts(sql: string): PartRow[] {
    return this.database.query<PartRow, []>(sql).all();
  }
}

function add(folders: Map<string, number>, folder: string, bytes: number): void {
  folders.set(folder, Math.max(0, (folders.get(folder) ?? 0) + bytes));
}

/**
 * Number of recordings that are neither deleted nor in the recycle bin; not counted when it is read: health is polled
 * often and by any client.
 */
export function recordingCount(database: Database): number {
  return shelfCount(database, [0, 1]);
}
