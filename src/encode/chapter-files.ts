/**
 * Updates the chapters inside encoded files in place when commercials are detected again or corrected. Pending updates
 * are read from the database alone, so that a start completes what a crash interrupted.
 */
import { dirname } from 'node:path';
import { within } from '../../host/deadline.ts';
import type { Log } from '../../host/log.ts';
import type { Hub } from '../hub/hub.ts';
import type { RecordingId } from '../model/ids.ts';
import type { EncodedFileStore } from '../store/encoded-file-store.ts';
import { chaptersOf, type ProgramSegment } from './kept-spans.ts';
import { writeChapters } from './matroska-chapters.ts';

interface ChapterFilesOptions {
  readonly files: Pick<EncodedFileStore, 'staleChapters' | 'putChapterVersion'>;
  readonly chapters: (
    id: RecordingId,
  ) => { segments: readonly ProgramSegment[]; version: number } | undefined;
  /** Undefined: a folder is unavailable. */
  readonly room: (folder: string) => Promise<number | undefined>;
  readonly hub: Pick<Hub, 'subscribe'>;
  readonly log: Log;
}

/** Timeout: a network folder that hangs must not block the others. */
const WRITE_LIMIT_MS = 30_000;
/**
 * Delay of the first run: finding files left by a crash takes 20 ms for 40,000 recordings, and the service's first
 * responses have priority.
 */
const FIRST_ROUND_MS = 1_000;

export class ChapterFiles {
  #unsubscribe: (() => void) | undefined;
  #first: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<void> = Promise.resolve();
  #isWaiting = false;
  #isClosed = false;

  constructor(private readonly options: ChapterFilesOptions) {}

  start(): void {
    this.#unsubscribe = this.options.hub.subscribe((event) => {
      // Chapters may have changed while the file was being made.
      const isEncoded = event.name === 'encode' && event.data.percent === 1;
      if (isEncoded || event.name === 'chapters') this.#wake();
    });
    this.#first = setTimeout(() => this.#wake(), FIRST_ROUND_MS);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#first);
    this.#unsubscribe?.();
    await this.#running;
  }

  /** One run at a time; requests during a run are served by one more. */
  #wake(): void {
    if (this.#isWaiting || this.#isClosed) return;
    this.#isWaiting = true;
    this.#running = this.#running.then(async () => {
      this.#isWaiting = false;
      try {
        await this.#round();
      } catch (error) {
        this.options.log.error('chapters of encoded files not read', { error: String(error) });
      }
    });
  }

  async #round(): Promise<void> {
    const { files, chapters, room, log } = this.options;
    for (const { recordingId, source, path, durationMs, room: place } of files.staleChapters()) {
      if (this.#isClosed) return;
      const known = chapters(recordingId);
      const list = chaptersOf(known?.segments ?? [], null, durationMs);
      try {
        // Files in an unavailable folder are updated after the next start.
        if ((await room(dirname(path))) === undefined) continue;
        await within(WRITE_LIMIT_MS, writeChapters(path, place, list), () => {
          throw new Error('its folder does not answer');
        });
        files.putChapterVersion(recordingId, source, path, known?.version ?? 0);
        log.info('chapters of an encoded file written', { recording: recordingId, chapters: list.length });
      } catch (error) {
        log.warn('chapters of an encoded file not written', { recording: recordingId, error: String(error) });
      }
    }
  }
}
