/**
 * One encode of a recording in a database of a folder, in a process that kills itself at a step: for tests of what a
 * killed service leaves. Arguments: folder, step (or `none`).
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SILENT_LOG } from '../../host/log.ts';
import { EncodeService } from '../../src/encode/encode-service.ts';
import type { EncodeStep } from '../../src/encode/encode-sources.ts';
import { VIDEO_ENCODERS } from '../../src/ffmpeg/recipes.ts';
import { Hub } from '../../src/hub/hub.ts';
import { syncFolder } from '../../src/reception/recorded-file.ts';
import { openDatabase } from '../../src/store/database.ts';
import { EncodeStore } from '../../src/store/encode-store.ts';
import { EncodedFileStore } from '../../src/store/encoded-file-store.ts';
import { RecordingListStore } from '../../src/store/recording-list-store.ts';
import { RecordingStore } from '../../src/store/recording-store.ts';
import { openClip } from '../play/clip.ts';
import { comesTrue } from '../until.ts';

const [folder = '', killAt = 'none'] = process.argv.slice(2);
const database = openDatabase(join(folder, 'svc.db'));
const list = new RecordingListStore(database);
const records = new RecordingStore(database);
const store = new EncodeStore(database);
const encoder = VIDEO_ENCODERS.find(({ name }) => name === 'libx264');
if (encoder === undefined) throw new Error('no libx264');
const choice = { ffmpeg: 'ffmpeg', encoder, standIn: false };

const service = new EncodeService({
  sources: {
    ...{ store, files: new EncodedFileStore(database), syncFolder },
    encoders: { file: async () => choice, suspend: () => {} },
    open: (recording) => openClip(recording.files.find(({ source }) => source === 'ts')?.path ?? ''),
    captions: async () => null,
    poster: async () => undefined,
    chapters: () => undefined,
    room: async () => 1e12,
    stored: async () => {},
    removeRetired: async (id, paths) => {
      for (const path of paths) await rm(path, { force: true });
      records.forgetJoined(id, paths);
    },
    workFolder: join(folder, 'work'),
    background: [],
    now: Date.now,
    elapsed: () => performance.now(),
    stallMs: 60_000,
    onStep: (step: EncodeStep) => {
      if (step === killAt) process.kill(process.pid, 'SIGKILL');
    },
  },
  find: (id) => list.find(id),
  record: (id) => records.find(id),
  isDetecting: () => false,
  machine: () => ({ processors: 2, viewers: 0, recordings: 0 }),
  settings: { get: (key) => ({ encodeFrom: 0, encodeTo: 0, encode: 'h264' })[key as string] as never },
  hub: new Hub(() => {}),
  log: SILENT_LOG,
  tickMs: 10,
});
service.start();
await comesTrue('an empty queue', () => store.queue().length === 0 && store.recent().length > 0, 60_000);
await service.close();
process.exit(0);
