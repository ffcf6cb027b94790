/** Composition of the data shown beside the video of a recording: posters, previews, captions, data broadcast. */
import { join } from 'node:path';
import { WorkerLink } from '../../lib/host/worker-link.ts';
import { type RecordingId, recordingId } from '../../lib/wire/ids.ts';
import type { AddRoutes } from '../http/route/server-interfaces.ts';
import type { RecordingContext } from '../media/job/recording-context.ts';
import { DataFileStore } from '../store/data-file-store.ts';
import { EncodedFileStore } from '../store/encoded-file-store.ts';
import { PictureStore } from '../store/picture-store.ts';
import { BroadcasterStore } from '../store/station-store.ts';
import { CaptionFiles } from './caption-files.ts';
import { addCaptionRoutes } from './caption-routes.ts';
import { CaptionStreams } from './caption-streams.ts';
import { DataFiles } from './data-files.ts';
import { addDataRoutes } from './data-routes.ts';
import type { OpenRecordings } from './open-recordings.ts';
import { PictureJobs } from './picture-jobs.ts';
import { PictureMaker, POSTER_FILE } from './picture-maker.ts';
import { addPictureRoutes } from './picture-routes.ts';
import { CACHE_FOLDER, RecordingCache } from './recording-cache.ts';
import type { BackgroundContract } from './side-file-messages.ts';

interface PlayDataNeeds extends RecordingContext {
  readonly open: OpenRecordings;
  readonly startWorker: () => Worker;
  /** A recording is being watched. */
  readonly seen: (id: RecordingId) => void;
  /** Undefined for a folder that does not respond. */
  readonly folderSpace: (path: string) => Promise<object | undefined>;
}

/** Timeout after which an idle worker is ended. */
const IDLE_MS = 60_000;
/** Limit of parallel readings: more would only slow the disk down. One follows what is recorded, one completes it. */
const MAX_READINGS = 6;

export function createPlayData(needs: PlayDataNeeds) {
  const { database, dataDir, list: recordingList, open, encoders, jobs, log, now } = needs;
  const cache = new RecordingCache({ folder: join(dataDir, CACHE_FOLDER) });
  const maker = new PictureMaker({ cache, open, ffmpeg: () => encoders.ffmpeg(), now });
  const link = new WorkerLink<BackgroundContract>({
    name: 'background worker',
    ...{ startWorker: needs.startWorker, log: log.component('background'), watchWhen: 'working' },
    ...{ idleMs: IDLE_MS, maxRequests: MAX_READINGS },
    // A block of a megabyte takes milliseconds.
    watchdog: { limitMs: 30_000 },
  });
  const captionFiles = new CaptionFiles({
    ...{ cache, open, link },
    log: log.component('captions'),
  });
  jobs.add(
    new PictureJobs({
      ...needs,
      ...{ store: new PictureStore(database), cache, maker, captions: captionFiles },
      log: log.component('pictures'),
    }),
  );
  const dataFiles = new DataFiles({
    ...needs,
    ...{ store: new DataFileStore(database), cache, link, log: log.component('data') },
    findBroadcaster: (station) => new BroadcasterStore(database).find(station),
  });
  const captionStreams = new CaptionStreams({
    ...{ open, list: recordingList, elapsed: needs.elapsed },
    log: log.component('captions'),
  });
  const routes: AddRoutes = (app) => {
    addPictureRoutes(app, { recordingList, cache });
    const encodedFiles = new EncodedFileStore(database);
    addDataRoutes(app, { recordingList, dataFiles });
    addCaptionRoutes(app, { recordingList, captionFiles, captionStreams, encodedFiles, seen: needs.seen });
  };
  /** JPEG; undefined if there is none. */
  const poster = (id: RecordingId): Promise<Uint8Array | undefined> =>
    cache.read(recordingId(id), POSTER_FILE);
  return { captionFiles, captionStreams, dataFiles, background: link, poster, routes };
}
