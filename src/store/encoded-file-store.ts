/** Encoded files of recordings: makes a file available, and retires the original stream. */
import type { Database } from 'bun:sqlite';
import type { WallMs } from '../../lib/host/clock.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { EncodedCodec, EncodedSource } from '../../lib/wire/vocabulary.ts';
import type { ChapterRoom, EncodedFacts, EncodedFile } from '../model/encoding.ts';
import { execute, exists } from './query.ts';
import { readCuts } from './recording-json.ts';
import { giveUpMissingParts } from './recording-part-rows.ts';
import { readObject } from './stored-json.ts';
import { defineTable, json, nullableColumn, plain, type Row } from './table.ts';
import { atomically } from './transaction.ts';

interface HandedOver extends EncodedFile {
  path: string;
  codec: EncodedCodec;
  bytes: number;
  durationMs: number;
}

interface StaleChapters {
  recordingId: RecordingId;
  source: EncodedSource;
  path: string;
  durationMs: number;
  room: ChapterRoom;
  /** That its chapters should have. */
  version: number;
}

const FILES = defineTable<EncodedFile>({
  source: plain(),
  cuts: nullableColumn(json(readCuts)),
  facts: json(readFacts),
});

export class EncodedFileStore {
  constructor(private readonly database: Database) {}

  /** Preferred first. */
  of(recordingId: RecordingId): EncodedFile[] {
    return this.database
      .query<Row, { recordingId: RecordingId }>(
        `SELECT ${FILES.columns('x')} FROM encoded_files AS x
           JOIN recording_files AS f ON f.recording_id = x.recording_id AND f.source = x.source
         WHERE x.recording_id = $recordingId ORDER BY x.source <> 'encoded'`,
      )
      .all({ recordingId })
      .map(FILES.read);
  }

  /**
   * Makes the file available; a replaced one is marked for removal. Within the caller's transaction.
   * @returns false if the recording is deleted or running; nothing was stored
   */
  put(recordingId: RecordingId, file: HandedOver, now: WallMs): boolean {
    const { source, path, codec, bytes, durationMs } = file;
    return atomically(this.database, () => {
      const live = this.database
        .query(
          `UPDATE recordings SET state = 'available', updated_at = $now
           WHERE id = $recordingId AND deleted_at IS NULL AND state IN ('recorded', 'available', 'failed')`,
        )
        .run({ recordingId, now });
      if (live.changes === 0) return false;
      const before = this.database
        .query<{ path: string; bytes: number | null }, { recordingId: RecordingId; source: string }>(
          'SELECT path, bytes FROM recording_files WHERE recording_id = $recordingId AND source = $source',
        )
        .get({ recordingId, source });
      if (before !== null && before.path !== path) this.#retire(recordingId, [before]);
      this.database
        .query(
          `INSERT INTO recording_files (recording_id, source, path, codec, bytes, duration_ms, created_at)
           VALUES ($recordingId, $source, $path, $codec, $bytes, $durationMs, $now)
           ON CONFLICT (recording_id, source) DO UPDATE SET path = excluded.path, codec = excluded.codec,
             bytes = excluded.bytes, duration_ms = excluded.duration_ms, created_at = excluded.created_at`,
        )
        .run({ recordingId, source, path, codec, bytes, durationMs, now });
      this.database
        .query(
          `INSERT INTO encoded_files ${FILES.inserted(FILES.fields, { recording_id: '$recordingId' })}
           ON CONFLICT (recording_id, source) DO UPDATE SET ${FILES.excluded(['cuts', 'facts'])}`,
        )
        .run({ recordingId, ...FILES.parameters(file, FILES.fields) });
      return true;
    });
  }

  /** Files that were handed over, in their state at that time. */
  handedOver(recordingId: RecordingId): { path: string; bytes: number | null }[] {
    return this.database
      .query<{ path: string; bytes: number | null }, { recordingId: RecordingId }>(
        `SELECT path, bytes FROM recording_files WHERE recording_id = $recordingId AND source IN ('encoded', 'alt')`,
      )
      .all({ recordingId });
  }

  /**
   * Marks the original stream for removal, if an encoded file exists and the recording is neither in the bin nor
   * deleted. @returns its files
   */
  retireOriginal(recordingId: RecordingId, now: WallMs): string[] {
    return atomically(this.database, () => {
      const isEncoded = this.database
        .query(
          `SELECT 1 FROM recording_files AS f JOIN recordings AS r ON r.id = f.recording_id
           WHERE r.id = $recordingId AND f.source IN ('encoded', 'alt') AND r.deleted_at IS NULL
             AND r.binned_at IS NULL`,
        )
        .get({ recordingId });
      if (isEncoded === null) return [];
      const parts = this.database
        .query<{ path: string; bytes: number | null }, { recordingId: RecordingId }>(
          `SELECT path, bytes FROM recording_parts WHERE recording_id = $recordingId AND part > 0
           UNION SELECT path, bytes FROM recording_files WHERE recording_id = $recordingId AND source = 'ts'`,
        )
        .all({ recordingId });
      const byPath = new Map(parts.map((part) => [part.path, part]));
      this.database
        .query('DELETE FROM recording_parts WHERE recording_id = $recordingId AND part > 0')
        .run({ recordingId });
      this.database
        .query(`DELETE FROM recording_files WHERE recording_id = $recordingId AND source = 'ts'`)
        .run({ recordingId });
      giveUpMissingParts(this.database, recordingId);
      this.#retire(recordingId, [...byPath.values()]);
      this.database
        .query('UPDATE recordings SET updated_at = $now WHERE id = $recordingId')
        .run({ recordingId, now });
      return [...byPath.keys()];
    });
  }

  /**
   * Whether a job queued at that time has its file in place. A file dated in the future has a wrong time, perhaps of
   * an earlier job: it is made again.
   */
  isMadeSince(recordingId: RecordingId, source: EncodedSource, since: WallMs, now: WallMs): boolean {
    return exists(
      this.database,
      `SELECT 1 FROM recording_files
           WHERE recording_id = $recordingId AND source = $source AND created_at BETWEEN $since AND $now`,
      { recordingId, source, since, now },
    );
  }

  hasOriginal(recordingId: RecordingId): boolean {
    return exists(
      this.database,
      `SELECT 1 FROM recording_files WHERE recording_id = $recordingId AND source = 'ts'`,
      { recordingId },
    );
  }

  putCaptions(recordingId: RecordingId, packed: Uint8Array): void {
    execute(this.database, 'INSERT OR REPLACE INTO recording_captions VALUES ($recordingId, $packed)', {
      recordingId,
      packed,
    });
  }

  /** JSON in gzip, on the scale of the original stream; undefined if none were kept. */
  captions(recordingId: RecordingId): Uint8Array | undefined {
    return this.database
      .query<{ captions: Uint8Array }, { recordingId: RecordingId }>(
        'SELECT captions FROM recording_captions WHERE recording_id = $recordingId',
      )
      .get({ recordingId })?.captions;
  }

  /** Files with outdated chapters. */
  staleChapters(): StaleChapters[] {
    const rows = this.database
      .query<Omit<StaleChapters, 'room'> & { facts: string }, []>(
        `SELECT f.recording_id AS recordingId, f.source, f.path, f.duration_ms AS durationMs, x.facts,
           coalesce(c.version, 0) AS version
         FROM encoded_files AS x JOIN recording_files AS f USING (recording_id, source)
           LEFT JOIN recording_chapters AS c ON c.recording_id = x.recording_id
         WHERE x.cuts IS NULL AND f.duration_ms IS NOT NULL
           AND json_extract(x.facts, '$.chapters.version') <> coalesce(c.version, 0)`,
      )
      .all();
    return rows.flatMap(({ facts, ...row }) => {
      const { chapters } = readFacts(facts);
      return chapters === null ? [] : { ...row, room: chapters.room };
    });
  }

  /** Version of a file's chapters, if it still belongs to its recording. */
  putChapterVersion(recordingId: RecordingId, source: EncodedSource, path: string, version: number): void {
    this.database
      .query(
        `UPDATE encoded_files SET facts = json_set(facts, '$.chapters.version', $version)
         WHERE recording_id = $recordingId AND source = $source AND EXISTS (
           SELECT 1 FROM recording_files AS f
           WHERE f.recording_id = $recordingId AND f.source = $source AND f.path = $path)`,
      )
      .run({ recordingId, source, path, version });
  }

  /** Marked like joined parts: the next start removes them if that was not done yet. */
  #retire(recordingId: RecordingId, files: readonly { path: string; bytes: number | null }[]): void {
    const put = this.database.query(
      `INSERT INTO recording_parts
       SELECT $recordingId, min(0, coalesce(min(part), 0)) - 1, $path, $bytes FROM recording_parts
       WHERE recording_id = $recordingId`,
    );
    for (const { path, bytes } of files) put.run({ recordingId, path, bytes: bytes ?? 0 });
  }
}

function readFacts(text: string | null): EncodedFacts {
  const { tracks, codecs, hasVideo, stretches, chapters } = readObject<Partial<EncodedFacts>>(text) ?? {};
  return {
    tracks: Array.isArray(tracks) ? tracks.filter((one) => typeof one === 'string') : [],
    codecs: typeof codecs === 'string' ? codecs : '',
    hasVideo: hasVideo !== false,
    stretches: Array.isArray(stretches) ? stretches.filter(({ length }) => Number.isFinite(length)) : [],
    chapters: isPlace(chapters) ? chapters : null,
  };
}

function isPlace(chapters: Partial<EncodedFacts>['chapters']): chapters is NonNullable<typeof chapters> {
  const { room, version } = chapters ?? {};
  return Number.isSafeInteger(room?.at) && Number.isSafeInteger(room?.length) && Number.isInteger(version);
}
