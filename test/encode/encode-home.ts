/**
 * A database with recordings in a folder, and an encode queue over it whose dependencies a test can replace.
 */
import type { Database } from 'bun:sqlite';
import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemMonotonicClock, wallMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { EncodeJobs } from '../../src/encode/encode-jobs.ts';
import type { EncodeSources } from '../../src/encode/encode-sources.ts';
import { VIDEO_ENCODERS } from '../../src/ffmpeg/recipes.ts';
import { JobRunner } from '../../src/media/job/job-runner.ts';
import type { EncodeWish } from '../../src/model/encoding.ts';
import { Hub } from '../../src/notify/hub.ts';
import { syncFolder } from '../../src/reception/recorded-file.ts';
import { openDatabase } from '../../src/store/database.ts';
import { EncodeStore } from '../../src/store/encode-store.ts';
import { EncodedFileStore } from '../../src/store/encoded-file-store.ts';
import { RecordingListStore } from '../../src/store/recording-list-store.ts';
import { RecordingStore } from '../../src/store/recording-store.ts';
import { writeNow } from '../../src/store/transaction.ts';
import { openClip } from '../play/clip.ts';
import { FFMPEG } from '../play/made-recording.ts';
import { putRecording } from '../service/recording-rows.ts';

const START = wallMs(Date.UTC(2026, 0, 5, 12));
const STATION = 0x7fe8 * 100_000 + 1024;
export const WISH: EncodeWish = { codecs: 'h264', keepTs: false, commercials: 'none', quality: 'small' };

interface HomeOptions {
  /** Replacements of the default sources. */
  readonly sources?: Partial<EncodeSources>;
  /** Path of ffmpeg. */
  readonly ffmpeg?: string;
  readonly viewers?: () => number;
  /** ms. */
  readonly retryMs?: number;
  readonly cancelMs?: number;
  readonly isTimeSure?: () => boolean;
}

export class EncodeHome {
  readonly database: Database;
  readonly store: EncodeStore;
  readonly list: RecordingListStore;
  readonly jobs: JobRunner;
  readonly service: EncodeJobs;
  readonly hub = new Hub(() => {});
  readonly folder: string;

  constructor(
    folder: string,
    {
      sources = {},
      ffmpeg = FFMPEG,
      viewers = () => 0,
      retryMs = 50,
      cancelMs,
      isTimeSure = () => true,
    }: HomeOptions = {},
  ) {
    mkdirSync(folder, { recursive: true });
    this.folder = join(folder, 'recordings');
    this.database = openDatabase(join(folder, 'svc.db'));
    this.list = new RecordingListStore(this.database);
    this.store = new EncodeStore(this.database);
    const records = new RecordingStore(this.database);
    const encoder = VIDEO_ENCODERS.find(({ name }) => name === 'libx264');
    if (encoder === undefined) throw new Error('no libx264');
    this.jobs = new JobRunner({
      machine: () => ({ processors: 2, viewers: viewers(), recordings: 0 }),
      ...{ hub: this.hub, clock: systemMonotonicClock, log: SILENT_LOG },
    });
    this.service = new EncodeJobs({
      jobs: this.jobs,
      sources: {
        ...{ store: this.store, files: new EncodedFileStore(this.database), syncFolder },
        encoders: { file: async () => ({ ffmpeg, encoder, standIn: false }), suspend: () => {} },
        open: ({ files }) => openClip(files.find(({ source }) => source === 'ts')?.path ?? ''),
        captions: async () => null,
        keepData: async () => true,
        poster: async () => undefined,
        chapters: () => undefined,
        room: async () => 1e12,
        ...{ stored: async () => {}, write: writeNow },
        removeRetired: async (id, paths) => {
          for (const path of paths) await rm(path, { force: true });
          records.forgetJoined(id, paths);
        },
        ...{ workFolder: join(folder, 'work'), background: [], stallMs: 60_000 },
        now: () => wallMs(Date.now()),
        elapsed: systemMonotonicClock,
        ...sources,
      },
      find: (id) => this.list.find(id),
      record: (id) => records.find(id),
      ...{ isDetecting: () => false, isTimeSure, cancelMs },
      settings: { get: (key) => ({ encodeFrom: 0, encodeTo: 0, encode: 'h264' })[key as string] as never },
      ...{ hub: this.hub, log: SILENT_LOG, pollMs: 10, retryMs },
    });
  }

  /** Adds a recording of the given length, ms, and queues it. @returns its id */
  put(content: Uint8Array, durationMs: number, wish: Partial<EncodeWish> = {}): number {
    this.database.run(
      `INSERT OR IGNORE INTO stations (id, type, network_id, service_id, channel, name, service_type,
         remote_control_key, hidden, seen_at) VALUES (${STATION}, 'GR', 32744, 1024, 'T27', '試験', 1, 1, 0, 0)`,
    );
    const row = { station: STATION, serviceName: '試験', name: '番組', startAt: START };
    const id = recordingId(
      putRecording(this.database, { ...row, endAt: START + durationMs, content }, this.folder),
    );
    this.database
      .query('UPDATE recordings SET duration_ms = $durationMs WHERE id = $id')
      .run({ id, durationMs });
    this.store.enqueue(id, { ...WISH, ...wish }, { automatic: false, readyAt: wallMs(0) }, START);
    return id;
  }

  async close(): Promise<void> {
    await this.jobs.close();
    this.database.close();
  }
}
