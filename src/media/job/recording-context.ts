/** What the features share that work on recordings in the background. Made once, by the composition root. */
import type { Database } from 'bun:sqlite';
import type { MonotonicClock, WallClock } from '../../../lib/host/clock.ts';
import type { Log } from '../../../lib/host/log.ts';
import type { Encoders } from '../../ffmpeg/encoders.ts';
import type { Hub } from '../../notify/hub.ts';
import type { SettingsService } from '../../settings/settings.ts';
import type { ListedRecording, RecordingListStore } from '../../store/recording-list-store.ts';
import type { Write } from '../../store/transaction.ts';
import type { RecordingBytes } from '../recording-bytes.ts';
import type { RecordingIndex } from '../recording-index.ts';
import type { JobRunner } from './job-runner.ts';

/** The original stream of a recording, open. */
export interface OpenOriginal {
  readonly bytes: RecordingBytes;
  readonly index: RecordingIndex;
  close(): void;
}

export interface OpensOriginals {
  /** @throws Failure not_found without a playable file, busy when its folder does not respond */
  open(recording: ListedRecording): Promise<OpenOriginal>;
}

export interface RecordingContext {
  readonly database: Database;
  readonly dataDir: string;
  /** Recordings that are neither deleted nor in the recycle bin. */
  readonly list: RecordingListStore;
  readonly open: OpensOriginals;
  readonly encoders: Encoders;
  readonly settings: Pick<SettingsService, 'get'>;
  readonly jobs: JobRunner;
  /** Of results, which must be stored although another program may hold the database. */
  readonly write: Write;
  /** Resolves when everything committed before is on disk. */
  readonly stored: () => Promise<void>;
  readonly hub: Hub;
  readonly log: Log;
  readonly now: WallClock;
  readonly elapsed: MonotonicClock;
}
