/** Composes the encode feature: the queue and its jobs, chapters of encoded files, trials of encoders, and the routes. */
import { join } from 'node:path';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { AddRoutes } from '../http/route/server-interfaces.ts';
import type { RecordingContext } from '../media/job/recording-context.ts';
import { EncodeStore } from '../store/encode-store.ts';
import { EncodedFileStore } from '../store/encoded-file-store.ts';
import { RecordingStore } from '../store/recording-store.ts';
import { ChapterFiles } from './chapter-files.ts';
import { EncodeJobs } from './encode-jobs.ts';
import { addEncodeRoutes } from './encode-routes.ts';
import type { EncodeSources } from './encode-sources.ts';
import { EncodeTrials } from './encode-trials.ts';
import type { ProgramSegment } from './kept-spans.ts';

interface EncodeNeeds
  extends RecordingContext,
    Pick<EncodeSources, 'captions' | 'keepData' | 'poster' | 'room' | 'removeRetired' | 'syncFolder'> {
  chapters: (
    id: RecordingId,
  ) =>
    | { segments: readonly ProgramSegment[]; reliable: boolean; isCorrected: boolean; version: number }
    | undefined;
  isDetecting: (id: RecordingId) => boolean;
  /** False: `now` may be wrong. */
  isTimeSure: () => boolean;
  /** Interval of queueing recordings that were not queued at their end, ms. */
  reconcileMs: number;
}

/** Inside the data folder; emptied at a start. */
const WORK_FOLDER = 'encode-work';
/** Timeout: a frame of the slowest encoder may take minutes on a machine where everything else has priority. */
const STALL_MS = 10 * 60_000;

/** Command prefix for the lowest priority: of the processor, and of the disk where supported. */
export function backgroundWords(): string[] {
  const nice = Bun.which('nice');
  const ionice = Bun.which('ionice');
  return [
    ...(ionice === null ? [] : [ionice, '-c', '3', '-t']),
    ...(nice === null ? [] : [nice, '-n', '19']),
  ];
}

export function createEncode(needs: EncodeNeeds) {
  const { database, dataDir, list: recordingList, open, chapters, room, jobs, now } = needs;
  const log = needs.log.component('encode');
  const store = new EncodeStore(database);
  const files = new EncodedFileStore(database);
  const records = new RecordingStore(database);
  const sources: EncodeSources = {
    ...needs,
    ...{ store, files, open: (one) => open.open(one) },
    ...{ stallMs: STALL_MS, background: backgroundWords(), workFolder: join(dataDir, WORK_FOLDER) },
  };
  const find = (id: RecordingId) => recordingList.find(id);
  const encodes = new EncodeJobs({ ...needs, sources, find, record: (id) => records.find(id), log });
  jobs.add(new ChapterFiles({ files, chapters, room, log }));
  jobs.add(new EncodeTrials({ sources, find, log }));
  const routes: AddRoutes = (app) => addEncodeRoutes(app, { recordingList, encodes, store, now });
  return { encodes, routes };
}
