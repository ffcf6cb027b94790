/**
 * Jobs that update the chapters inside encoded files in place when commercials are detected again or corrected. Pending
 * updates are read from the database alone, so that a start completes what a crash interrupted.
 */
import { dirname } from 'node:path';
import { within } from '../../lib/host/deadline.ts';
import type { Log } from '../../lib/host/log.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import { JOB_PRIORITY, type JobKind, type RunFailure } from '../media/job/job-kind.ts';
import { Failure } from '../model/failure.ts';
import type { HubEvent } from '../notify/hub.ts';
import type { EncodedFileStore } from '../store/encoded-file-store.ts';
import type { Excluded } from '../store/query.ts';
import { encodedChapters, type ProgramSegment } from './kept-spans.ts';
import { writeChapters } from './matroska-chapters.ts';

interface ChapterFilesOptions {
  readonly files: Pick<EncodedFileStore, 'staleChapters' | 'putChapterVersion'>;
  readonly chapters: (
    id: RecordingId,
  ) => { segments: readonly ProgramSegment[]; version: number } | undefined;
  /** Undefined: a folder is unavailable. */
  readonly room: (folder: string) => Promise<number | undefined>;
  readonly log: Log;
}

/** Timeout: a network folder that hangs must not block the others. */
const WRITE_LIMIT_MS = 30_000;
const RETRY_MS = 10 * 60_000;
/** Events report every change; this is for what failed. */
const POLL_MS = 6 * 3_600_000;

type StaleChapters = ReturnType<EncodedFileStore['staleChapters']>[number];

interface ChapterJob extends StaleChapters {
  readonly id: string;
}

export class ChapterFiles implements JobKind<ChapterJob> {
  readonly name = 'chapters of encoded files';
  readonly priority = JOB_PRIORITY.chapterFiles;
  readonly needs = 'none';
  /** Finding files left by a crash takes 20 ms for 40,000 recordings, and the service's first responses have priority. */
  readonly startMs = 1_000;
  readonly pollMs = POLL_MS;
  readonly restMs = 0;
  readonly retry = {
    ...{ attempts: Number.POSITIVE_INFINITY, firstMs: RETRY_MS, maxMs: POLL_MS, laterMs: RETRY_MS },
  };

  constructor(private readonly options: ChapterFilesOptions) {}

  /** Chapters may have changed while the file was being made. */
  wakesOn(event: HubEvent): boolean {
    return event.name === 'chapters' || (event.name === 'encode' && event.data.percent === 1);
  }

  next(excluded: Excluded<string>): ChapterJob | undefined {
    for (const stale of this.options.files.staleChapters()) {
      // Other chapters are another job: an earlier failure does not delay them.
      const id = `${stale.version} ${stale.path}`;
      if (!excluded.has(id)) return { ...stale, id };
    }
    return undefined;
  }

  async run({ recordingId, source, path, durationMs, room: place, version }: ChapterJob): Promise<void> {
    const { files, chapters, room, log } = this.options;
    // Those that changed since have another version, and are written again.
    const list = encodedChapters(chapters(recordingId)?.segments ?? [], null, durationMs);
    if ((await room(dirname(path))) === undefined)
      throw new Failure('busy', '録画フォルダーが応答しません。');
    await within(WRITE_LIMIT_MS, writeChapters(path, place, list), () => {
      throw new Error('its folder does not answer');
    });
    files.putChapterVersion(recordingId, source, path, version);
    log.info('chapters of an encoded file written', { recording: recordingId, chapters: list.length });
  }

  /** An absent disk is not logged: its files are tried every ten minutes. */
  failed({ recordingId }: ChapterJob, error: unknown, { meaning }: RunFailure): void {
    if (meaning === 'later' || meaning === 'stopped') return;
    this.options.log.warn('chapters of an encoded file not written', {
      ...{ recording: recordingId, error: String(error) },
    });
  }
}
