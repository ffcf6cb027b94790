/** Composes the encode feature: the queue, the service that processes it, and its routes. */
import type { Database } from 'bun:sqlite';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../../host/log.ts';
import type { Encoders } from '../ffmpeg/encoders.ts';
import type { Hub } from '../hub/hub.ts';
import type { RecordingId } from '../model/ids.ts';
import type { AddRoutes } from '../route/add-routes.ts';
import type { Settings } from '../settings/settings.ts';
import { EncodeStore } from '../store/encode-store.ts';
import { EncodedFileStore } from '../store/encoded-file-store.ts';
import { RecordingListStore } from '../store/recording-list-store.ts';
import { RecordingStore } from '../store/recording-store.ts';
import { whenWritable } from '../store/transaction.ts';
import { ChapterFiles } from './chapter-files.ts';
import { addEncodeRoutes } from './encode-routes.ts';
import { EncodeService } from './encode-service.ts';
import type { EncodeSources } from './encode-sources.ts';
import { EncodeTrials } from './encode-trials.ts';
import type { ProgramSegment } from './kept-spans.ts';

interface EncodeNeeds
  extends Pick<
    EncodeSources,
    'open' | 'captions' | 'poster' | 'room' | 'stored' | 'removeRetired' | 'now' | 'elapsed'
  > {
  database: Database;
  dataDir: string;
  chapters: (
    id: RecordingId,
  ) =>
    | { segments: readonly ProgramSegment[]; reliable: boolean; isCorrected: boolean; version: number }
    | undefined;
  encoders: Encoders;
  /** Number of encoders that are running for viewers. */
  viewers: () => number;
  /** Recordings in progress. */
  recordings: () => number;
  isDetecting: (id: RecordingId) => boolean;
  /** Commercial detection or thumbnail generation is running. */
  isBusy: () => boolean;
  settings: Pick<Settings, 'get'>;
  /** Interval of queueing recordings that were not queued at their end, ms. */
  reconcileMs: number;
  syncFolder: EncodeSources['syncFolder'];
  hub: Hub;
  log: Log;
}

/** Inside the data folder; emptied at a start. */
const WORK_FOLDER = 'encode-work';
/** Timeout: a frame of the slowest encoder may take minutes on a machine where everything else has priority. */
const STALL_MS = 10 * 60_000;

/** Command prefix for the lowest priority: of the processor, and of the disk where supported. */
export function backgroundWords(which: (name: string) => string | null = Bun.which): string[] {
  const nice = which('nice');
  const ionice = which('ionice');
  return [
    ...(ionice === null ? [] : [ionice, '-c', '3', '-t']),
    ...(nice === null ? [] : [nice, '-n', '19']),
  ];
}

export function createEncode(needs: EncodeNeeds) {
  const { database, dataDir, encoders, viewers, recordings, isDetecting, settings, hub, log, now } = needs;
  const store = new EncodeStore(database);
  const files = new EncodedFileStore(database);
  const recordingList = new RecordingListStore(database);
  const records = new RecordingStore(database);
  const { open, captions, poster, chapters, room, stored, removeRetired, elapsed, syncFolder } = needs;
  const sources: EncodeSources = {
    ...{ store, files, encoders, open, captions, poster, chapters, room, stored, removeRetired },
    write: (act) => whenWritable(database, act),
    ...{ now, elapsed, syncFolder, stallMs: STALL_MS, background: backgroundWords() },
    workFolder: join(dataDir, WORK_FOLDER),
  };
  const find = (id: RecordingId) => recordingList.find(id);
  const encodes = new EncodeService({
    ...{ sources, find },
    record: (id) => records.find(id),
    machine: () => ({
      processors: availableParallelism(),
      viewers: viewers(),
      recordings: recordings(),
    }),
    reconcileMs: needs.reconcileMs,
    ...{ isDetecting, settings, hub, log: log.component('encode') },
  });
  const chapterFiles = new ChapterFiles({ files, chapters, room, hub, log: log.component('encode') });
  const isIdle = (): boolean =>
    viewers() === 0 && recordings() === 0 && encodes.progress() === undefined && !needs.isBusy();
  const trials = new EncodeTrials({ sources, find, isIdle, log: log.component('encode') });
  const routes: AddRoutes = (app) => addEncodeRoutes(app, { recordingList, encodes, store, now });
  return { encodes, chapterFiles, trials, files, routes };
}
