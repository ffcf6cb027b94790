/** Composition of the data shown beside the video of a recording: posters, previews, captions. */
import type { Database } from 'bun:sqlite';
import { join } from 'node:path';
import type { MonotonicClock, WallClock } from '../../host/clock.ts';
import type { Log } from '../../host/log.ts';
import type { Encoders } from '../ffmpeg/encoders.ts';
import type { Hub } from '../hub/hub.ts';
import { type RecordingId, recordingId } from '../model/ids.ts';
import type { AddRoutes } from '../route/add-routes.ts';
import { EncodedFileStore } from '../store/encoded-file-store.ts';
import { PictureStore } from '../store/picture-store.ts';
import { RecordingListStore } from '../store/recording-list-store.ts';
import { whenWritable } from '../store/transaction.ts';
import { CaptionFiles } from './caption-files.ts';
import { addCaptionRoutes } from './caption-routes.ts';
import { CaptionStreams } from './caption-streams.ts';
import type { OpenRecordings } from './open-recordings.ts';
import { PictureMaker, POSTER_FILE } from './picture-maker.ts';
import { addPictureRoutes } from './picture-routes.ts';
import { PictureService } from './picture-service.ts';
import { CACHE_FOLDER, RecordingCache } from './recording-cache.ts';

interface PlayDataNeeds {
  database: Database;
  dataDir: string;
  open: OpenRecordings;
  encoders: Pick<Encoders, 'ffmpeg'>;
  startWorker: () => Worker;
  /** A recording is being watched. */
  seen: (id: RecordingId) => void;
  /** ms of a monotonic clock. */
  elapsed: MonotonicClock;
  /** An encoder runs that a viewer waits for. */
  isBusy: () => boolean;
  hub: Hub;
  log: Log;
  /** Epoch ms. */
  now: WallClock;
}

export function createPlayData(needs: PlayDataNeeds) {
  const { database, dataDir, open, encoders, isBusy, hub, log, now } = needs;
  const recordingList = new RecordingListStore(database);
  const cache = new RecordingCache({ folder: join(dataDir, CACHE_FOLDER) });
  const maker = new PictureMaker({ cache, open, ffmpeg: () => encoders.ffmpeg(), isBusy, now });
  const captionFiles = new CaptionFiles({
    ...{ cache, open, startWorker: needs.startWorker },
    log: log.component('captions'),
  });
  const pictures = new PictureService({
    ...{ store: new PictureStore(database), list: recordingList, cache, maker, hub, now },
    ...{ captions: captionFiles, log: log.component('pictures') },
    write: (act) => whenWritable(database, act),
  });
  const captionStreams = new CaptionStreams({
    ...{ open, list: recordingList, elapsed: needs.elapsed },
    log: log.component('captions'),
  });
  const routes: AddRoutes = (app) => {
    addPictureRoutes(app, { recordingList, cache });
    const encodedFiles = new EncodedFileStore(database);
    addCaptionRoutes(app, { recordingList, captionFiles, captionStreams, encodedFiles, seen: needs.seen });
  };
  /** JPEG; undefined if there is none. */
  const poster = (id: RecordingId): Promise<Uint8Array | undefined> =>
    cache.read(recordingId(id), POSTER_FILE);
  return { pictures, captionFiles, captionStreams, poster, routes };
}
