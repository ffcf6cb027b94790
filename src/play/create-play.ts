/** Composition of recording playback: files, descriptions, streams, and their routes. */
import type { Database } from 'bun:sqlite';
import { join } from 'node:path';
import type { MonotonicClock } from '../../lib/host/clock.ts';
import type { Log } from '../../lib/host/log.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { Encoders } from '../ffmpeg/encoders.ts';
import { findRecording } from '../http/route/path-ids.ts';
import type { AddRoutes } from '../http/route/server-interfaces.ts';
import { SIDE_ROWS } from '../media/side-rows.ts';
import type { Hub } from '../notify/hub.ts';
import type { SettingsService } from '../settings/settings.ts';
import { ChapterStore } from '../store/chapter-store.ts';
import { DataFileStore } from '../store/data-file-store.ts';
import { EncodedFileStore } from '../store/encoded-file-store.ts';
import { RecordingListStore } from '../store/recording-list-store.ts';
import { RecordingLengthStore } from '../store/recording-part-rows.ts';
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
  settings: Pick<SettingsService, 'get'>;
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
  const dataFiles = new DataFileStore(needs.database);
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
    dataFiles,
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
    const order = { recording, codec, from, audio, isChase: true, rows: SIDE_ROWS, mayFallBack: true };
    const { start, offset, recorded, origin, hasData, ...viewing } = await streams.join(order, signal);
    const place = codec === 'raw' ? { from: start, origin } : { from: offset };
    return { ...viewing, details: { recordingId, recorded, data: hasData, ...place } };
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
    converting: () => slots.used,
    routes,
  };
}
