/** Composition of recording playback: files, descriptions, streams, and their routes. */
import type { Database } from 'bun:sqlite';
import { join } from 'node:path';
import type { MonotonicClock } from '../../host/clock.ts';
import type { Log } from '../../host/log.ts';
import type { Encoders } from '../ffmpeg/encoders.ts';
import type { Hub } from '../hub/hub.ts';
import type { RecordingId } from '../model/ids.ts';
import type { AddRoutes } from '../route/add-routes.ts';
import { findRecording } from '../route/recording-id.ts';
import type { Settings } from '../settings/settings.ts';
import { ChapterStore } from '../store/chapter-store.ts';
import { EncodedFileStore } from '../store/encoded-file-store.ts';
import { RecordingLengthStore } from '../store/recording-length-store.ts';
import { RecordingListStore } from '../store/recording-list-store.ts';
import { RecordingStore } from '../store/recording-store.ts';
import { AudioFiles } from './audio-files.ts';
import { ConversionSlots } from './conversion-slots.ts';
import { EncodedStreams } from './encoded-streams.ts';
import { addFileRoutes, type FileRouteNeeds } from './file-routes.ts';
import { OpenRecordings } from './open-recordings.ts';
import { addPlaybackRoutes } from './playback-routes.ts';
import { CACHE_FOLDER, RecordingCache } from './recording-cache.ts';
import { RecordingLengths } from './recording-lengths.ts';
import { type RecordingStreamRequest, RecordingStreams } from './recording-streams.ts';
import { addStreamRoutes } from './stream-routes.ts';

interface PlayNeeds extends Pick<FileRouteNeeds, 'folderSpace' | 'seen'> {
  database: Database;
  encoders: Encoders;
  settings: Pick<Settings, 'get'>;
  hub: Pick<Hub, 'changed'>;
  monotonicClock: MonotonicClock;
  /** Epoch ms. */
  now: () => number;
  dataDir: string;
  log: Log;
}

interface ChaseOrder extends Pick<RecordingStreamRequest, 'codec' | 'from'> {
  readonly recordingId: RecordingId;
  readonly audio?: string | undefined;
}

/** Far more than the difference between the clocks of the machine and of the broadcast. */
const YOUNG_MS = 60_000;

export function createPlay(needs: PlayNeeds) {
  const recordingList = new RecordingListStore(needs.database);
  const stored = new RecordingStore(needs.database);
  const open = new OpenRecordings({
    originals: (id) => recordingList.originals(id),
    seams: (id) => stored.seams(id),
    measured: (id) => stored.measured(id),
    beganAt: (id) => stored.find(id)?.beganAt ?? null,
  });
  const slots = new ConversionSlots(() => needs.settings.get('conversions'));
  const streams = new RecordingStreams({
    ...{ open, slots, encoders: needs.encoders },
    find: (id) => recordingList.find(id),
    hasJustBegun: (id) => needs.now() - (stored.find(id)?.beganAt ?? Number.POSITIVE_INFINITY) < YOUNG_MS,
    clock: needs.monotonicClock,
    log: needs.log.component('play'),
  });
  const encodedFiles = new EncodedFileStore(needs.database);
  const encodedStreams = new EncodedStreams({
    ...{ slots, encoders: needs.encoders, clock: needs.monotonicClock, log: needs.log.component('play') },
  });
  const chapters = new ChapterStore(needs.database);
  const audioFiles = new AudioFiles({
    cache: new RecordingCache({ folder: join(needs.dataDir, CACHE_FOLDER) }),
    log: needs.log.component('play'),
  });
  const lengths = new RecordingLengths({
    ...{ open, hub: needs.hub, store: new RecordingLengthStore(needs.database) },
    find: (id) => recordingList.find(id),
    log: needs.log.component('play'),
  });
  const routeNeeds = {
    ...needs,
    recordingList,
    open,
    streams,
    chapters,
    encodedFiles,
    encodedStreams,
    lengths,
    audioFiles,
  };
  const routes: AddRoutes = (app) => {
    addFileRoutes(app, routeNeeds);
    addPlaybackRoutes(app, routeNeeds);
    addStreamRoutes(app, routeNeeds);
  };
  /** A recording for the live socket: captions beside video and audio. @throws Failure, the abort's reason */
  const chase = async ({ recordingId, codec, from, audio }: ChaseOrder, signal: AbortSignal) => {
    const recording = findRecording(recordingList, String(recordingId));
    needs.seen(recording.id);
    const order = { recording, codec, from, audio, isChase: true, captions: true, mayFallBack: true };
    const { viewer, notices, mime, audios, ...rest } = await streams.join(order, signal);
    const isRaw = codec === 'raw';
    const place = isRaw ? { from: rest.start, origin: rest.origin } : { from: rest.offset };
    const { recorded } = rest;
    const tuned = { codec: rest.codec, mime, audios: [...audios], audio: rest.audio, recorded, ...place };
    return { viewer, notices, tuned };
  };
  const close = async (): Promise<void> => {
    await Promise.all([streams.close(), encodedStreams.close(), lengths.close()]);
    await audioFiles.close();
    await open.close();
  };
  return {
    play: { close, chase },
    measureLength: (id: RecordingId) => lengths.measure(id),
    open,
    streams,
    isConverting: () => slots.used > 0,
    converting: () => slots.used,
    routes,
  };
}
