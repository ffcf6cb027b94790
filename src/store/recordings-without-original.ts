/**
 * Finished recordings without original stream, for instance after an import of encoded files: nothing can be derived
 * from them. Found by the indexes of pending work, a page at a time, without reading their texts.
 */
import type { Database } from 'bun:sqlite';
import { type BroadcastMs, broadcastMs } from '../../arib/time.ts';
import { type RecordingId, recordingId } from '../model/ids.ts';

/** Kinds of pending work: recordings without pictures, or without a detection of commercials. */
const OPEN = {
  pictures: { index: 'recordings_without_pictures', where: 'pictures = 0' },
  commercials: { index: 'recordings_undetected', where: 'detected = 0' },
} as const;

/** Each is a write of its row: a page takes some milliseconds. */
const PAGE = 100;

interface Row {
  id: number;
  startAt: BroadcastMs;
  isLacking: number;
}

/** Pages of ids, some of them empty, oldest recordings first. Recordings may be changed between two pages. */
export function* recordingsWithoutOriginal(
  database: Database,
  open: keyof typeof OPEN,
  page = PAGE,
): Generator<RecordingId[]> {
  const { index, where } = OPEN[open];
  const query = database.query<Row, { startAt: BroadcastMs; id: number; page: number }>(
    `SELECT id, start_at AS startAt,
       NOT EXISTS (SELECT 1 FROM recording_files WHERE recording_id = r.id AND source = 'ts')
         AND NOT EXISTS (SELECT 1 FROM recording_parts WHERE recording_id = r.id AND part > 0)
         AND r.id NOT IN (SELECT id FROM recordings INDEXED BY recordings_unfinished WHERE state = 'recording')
         AS isLacking
     FROM recordings AS r INDEXED BY ${index}
     WHERE ${where} AND shelf = 1 AND (start_at, id) > ($startAt, $id) ORDER BY start_at, id LIMIT $page`,
  );
  for (let last = { startAt: broadcastMs(Number.MIN_SAFE_INTEGER), id: 0 }; ; ) {
    const rows = query.all({ startAt: last.startAt, id: last.id, page });
    const end = rows.at(-1);
    if (end === undefined) return;
    last = end;
    yield rows.filter(({ isLacking }) => isLacking === 1).map(({ id }) => recordingId(id));
  }
}
