/** Composes the commercial feature: stored chapters, detection, corrections by users. */
import type { Database } from 'bun:sqlite';
import type { WallClock } from '../../host/clock.ts';
import type { Log } from '../../host/log.ts';
import type { Encoders } from '../ffmpeg/encoders.ts';
import type { Hub } from '../hub/hub.ts';
import { type RecordingId, recordingId } from '../model/ids.ts';
import type { AddRoutes } from '../route/add-routes.ts';
import type { Settings } from '../settings/settings.ts';
import { ChapterStore } from '../store/chapter-store.ts';
import { LearntLogoStore } from '../store/learnt-logo-store.ts';
import { RecordingListStore } from '../store/recording-list-store.ts';
import { whenWritable } from '../store/transaction.ts';
import { addChapterRoutes } from './chapter-routes.ts';
import { addDetectionRoutes } from './detection-routes.ts';
import { DetectionService } from './detection-service.ts';
import type { OpensOriginals } from './original-recording.ts';

interface CommercialNeeds {
  database: Database;
  open: OpensOriginals;
  /** The disk of a recording folder is not mounted. */
  isAway: (folder: string) => Promise<boolean>;
  encoders: Pick<Encoders, 'ffmpeg'>;
  settings: Pick<Settings, 'get'>;
  startWorker: () => Worker;
  /** An encoder is running for a viewer. */
  isBusy: () => boolean;
  hub: Hub;
  log: Log;
  /** Epoch ms. */
  now: WallClock;
}

export function createCommercial(needs: CommercialNeeds) {
  const { database, open, encoders, settings, hub, log, now } = needs;
  const chapters = new ChapterStore(database);
  const recordingList = new RecordingListStore(database);
  const detection = new DetectionService({
    ...{ chapters, open, settings, hub, now, list: recordingList, logos: new LearntLogoStore(database) },
    ...{ startWorker: needs.startWorker, isBusy: needs.isBusy, isAway: needs.isAway },
    write: (act) => whenWritable(database, act),
    ffmpeg: () => encoders.ffmpeg(),
    log: log.component('commercials'),
  });
  const isAutomatic = (id: RecordingId): boolean =>
    (chapters.handling(id) ?? settings.get('commercials')) !== 'none';
  const corrected = (id: RecordingId): void => detection.corrected(id);
  const routes: AddRoutes = (app) => {
    addChapterRoutes(app, { recordingList, chapters, open, hub, now, corrected });
    addDetectionRoutes(app, { recordingList, chapters, detection, isAutomatic });
  };
  /** Whether detection is still pending; if so, it is moved to the front, since an encode waits for it. */
  const isPending = (id: RecordingId): boolean => {
    // Recordings that a user corrected are not waited for.
    if (chapters.find(id)?.isCorrected === true) return false;
    const known = chapters.detection(id);
    if (known === undefined && !isAutomatic(id)) return false;
    if (known !== undefined && known.state !== 'waiting') return false;
    if (known?.isRequested !== true) detection.request(recordingId(id));
    return true;
  };
  return { detection, chapters, isPending, routes };
}
