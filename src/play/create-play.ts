/** Watching recordings put together: files, descriptions, streams, and their routes. */
import type { Database } from 'bun:sqlite';
import type { AddRoutes } from '../route/add-routes.ts';
import { RecordingListStore } from '../store/recording-list-store.ts';
import { RecordingStore } from '../store/recording-store.ts';
import { addFileRoutes, type FileRouteNeeds } from './file-routes.ts';
import { OpenRecordings } from './open-recordings.ts';
import { addPlaybackRoutes } from './playback-routes.ts';

export interface PlayNeeds extends Pick<FileRouteNeeds, 'folderSpace' | 'seen'> {
  database: Database;
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
  const routeNeeds = { ...needs, recordingList, open };
  const routes: AddRoutes = (app) => {
    addFileRoutes(app, routeNeeds);
    addPlaybackRoutes(app, routeNeeds);
  };
  return { open, routes };
}
