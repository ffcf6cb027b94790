/** Composition of the recording feature: recorder, retention, marks by users, and routes. */
import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../lib/host/log.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { AddRoutes } from '../http/route/server-interfaces.ts';
import type { BroadcastClock } from '../model/broadcast-clock.ts';
import type { Hub } from '../notify/hub.ts';
import type { SettingsService } from '../settings/settings.ts';
import { RecordingFolderStore } from '../store/recording-folders.ts';
import { RecordingListStore } from '../store/recording-list-store.ts';
import { RecordingStore } from '../store/recording-store.ts';
import { RecordingSumStore } from '../store/recording-sums.ts';
import { RecycleBin } from '../store/recycle-bin.ts';
import { RESERVED_BYTES } from '../store/reserved-space.ts';
import { whenWritable } from '../store/transaction.ts';
import { FolderIdentities } from './folder-identities.ts';
import { FolderMounts } from './folder-mounts.ts';
import { configuredFolders, type Folder } from './folder-selection.ts';
import { FolderSpaces, WritableFolders } from './folder-space.ts';
import { Recorder, type RecorderOptions } from './recorder.ts';
import { addRecordingMarkRoutes } from './recording-mark-routes.ts';
import { RecordingMarks } from './recording-marks.ts';
import { removeJoined } from './recording-parts.ts';
import { addRecordingPlaylistRoutes } from './recording-playlist-routes.ts';
import { addRecordingRoutes } from './recording-routes.ts';
import { PlaybackActivity, RetentionService } from './retention-service.ts';
import { SpaceWatch } from './space-shortage.ts';
import { addStorageRoutes, storageFacts, storageFullAt } from './storage-report.ts';

interface RecordingNeeds
  extends Pick<
    RecorderOptions,
    | 'pool'
    | 'findFollowing'
    | 'findProgram'
    | 'findStation'
    | 'onBegan'
    | 'onEnded'
    | 'readSeries'
    | 'keyFailure'
    | 'whySilent'
    | 'monotonicClock'
    | 'wallClock'
  > {
  version: string;
  database: Database;
  dataDir: string;
  recordingsDir: string;
  /** Interval of the retention, ms. */
  retentionIntervalMs: number;
  settings: Pick<SettingsService, 'get'>;
  hub: Hub;
  clock: BroadcastClock;
  /** Resolves when everything committed is on disk. */
  stored: () => Promise<void>;
  log: Log;
}

export function createRecording(needs: RecordingNeeds) {
  const { clock, database, dataDir, hub, settings, stored } = needs;
  const folderStore = new RecordingFolderStore(database);
  const mounts = new FolderMounts(folderStore, undefined, new FolderIdentities(folderStore));
  const spaces = new FolderSpaces(undefined, undefined, mounts);
  const dataDevice = statSync(dataDir).dev;
  const folders = (): readonly Folder[] =>
    configuredFolders(needs.recordingsDir, settings.get('recordingFolders'));
  /** Free bytes for recordings, without the space reserved for the database. */
  const free = async (path: string): Promise<number | undefined> => {
    const space = await spaces.of(path);
    const reserved = space?.device === dataDevice ? RESERVED_BYTES : 0;
    return space === undefined ? undefined : Math.max(0, space.freeBytes - reserved);
  };
  // Available whenever the database is available.
  const fallback = join(dataDir, 'recordings-spare');
  const parts = new RecordingStore(database);
  const recorder = new Recorder({
    ...needs,
    store: new RecordingStore(database, {
      onRefused: (error) =>
        needs.log.component('record').error('recording not stored', { error: String(error) }),
    }),
    folders,
    free,
    fallback,
    mounts,
    retryDamaged: () => settings.get('retryDamaged'),
    log: needs.log.component('record'),
    broadcastClock: clock.now,
    isTimeSure: clock.isSure,
  });
  const recycleBin = new RecycleBin(database);
  const watching = new PlaybackActivity(clock.now);
  const retention = new RetentionService({
    ...{ recycleBin, mounts, watching, hub, stored },
    write: (act) => whenWritable(database, act),
    intervalMs: needs.retentionIntervalMs,
    log: needs.log.component('retention'),
    now: clock.now,
    isTimeSure: clock.isSure,
  });
  const storage = {
    ...{ folders, sums: new RecordingSumStore(database), spaces, now: clock.now },
    uses: () => recorder.uses(),
  };
  const shortage = async () => (await storageFacts(storage)).shortage;
  const spaceWatch = new SpaceWatch({
    shortage,
    hub,
    log: needs.log.component('record'),
  });
  const routeNeeds = {
    version: needs.version,
    recordingList: new RecordingListStore(database),
    recordingMarks: new RecordingMarks({ recycleBin, watching, hub, now: clock.now }),
    retention,
    storage: () => storageFacts(storage),
    running: () => recorder.progress(),
  };
  const routes: AddRoutes = (app) => {
    addRecordingRoutes(app, routeNeeds);
    addRecordingMarkRoutes(app, routeNeeds);
    addRecordingPlaylistRoutes(app, routeNeeds);
    addStorageRoutes(app, routeNeeds);
  };
  const writable = new WritableFolders({ folders, spaces, clock: needs.monotonicClock });
  return {
    /** Whether any recording folder can be written. */
    canRecord: () => writable.any(),
    ...{ recorder, retention, spaceWatch, shortage, folders, routes },
    fullAt: () => storageFullAt(storage),
    folderSpace: (path: string) => spaces.of(path),
    /** The disk of a recording folder is not mounted. */
    isAway: (folder: string) => mounts.isAway(folder),
    /** The recording is being watched, so retention must keep it. */
    seen: (id: RecordingId) => watching.note(id),
    /** Octets that may still be written to a recording folder, with its floor; undefined if it is unavailable. */
    room: async (folder: string): Promise<number | undefined> => {
      if (await mounts.isAway(folder)) return undefined;
      const floor = folders().find(({ path }) => path === folder)?.floorBytes ?? 0;
      const left = await free(folder);
      return left === undefined ? undefined : Math.max(0, left - floor);
    },
    /** Removes files that no row lists any more, and then their stored names. */
    removeRetired: (id: RecordingId, paths: readonly string[]) =>
      removeJoined(id, paths, { store: parts, log: needs.log.component('record') }),
  };
}
