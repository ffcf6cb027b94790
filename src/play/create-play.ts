/** Watching recordings put together: files, descriptions, streams, and their routes. */
import type { Database } from 'bun:sqlite';
import type { MonotonicClock } from '../../host/clock.ts';
import type { Log } from '../../host/log.ts';
import type { Encoders } from '../ffmpeg/encoders.ts';
import type { AddRoutes } from '../route/add-routes.ts';
import type { Settings } from '../settings/settings.ts';
import { ChapterStore } from '../store/chapter-store.ts';
import { RecordingListStore } from '../store/recording-list-store.ts';
import { RecordingStore } from '../store/recording-store.ts';
import { ConversionSlots } from './conversion-slots.ts';
import { addFileRoutes, type FileRouteNeeds } from './file-routes.ts';
import { OpenRecordings } from './open-recordings.ts';
import { addPlaybackRoutes } from './playback-routes.ts';
import { RecordingStreams } from './recording-streams.ts';
import { addStreamRoutes } from './stream-routes.ts';

interface PlayNeeds extends Pick<FileRouteNeeds, 'folderSpace' | 'seen'> {
  database: Database;
  encoders: Encoders;
  settings: Pick<Settings, 'get'>;
  monotonicClock: MonotonicClock;
  log: Log;
}

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
    isRecording: (id) => recordingList.find(id)?.state === 'recording',
    clock: needs.monotonicClock,
    log: needs.log.component('play'),
  });
  const routeNeeds = { ...needs, recordingList, open, streams, chapters: new ChapterStore(needs.database) };
  const routes: AddRoutes = (app) => {
    addFileRoutes(app, routeNeeds);
    addPlaybackRoutes(app, routeNeeds);
    addStreamRoutes(app, routeNeeds);
  };
  const close = async (): Promise<void> => {
    await streams.close();
    await open.close();
  };
  return { play: { close }, open, streams, isConverting: () => slots.used > 0, routes };
}
