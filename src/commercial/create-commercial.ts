/** Composes the commercial feature: stored chapters, detection, corrections by users. */
import { type RecordingId, recordingId } from '../../lib/wire/ids.ts';
import type { AddRoutes } from '../http/route/server-interfaces.ts';
import type { RecordingContext } from '../media/job/recording-context.ts';
import { ChapterStore } from '../store/chapter-store.ts';
import { LearntLogoStore } from '../store/logo-store.ts';
import { addChapterRoutes } from './chapter-routes.ts';
import { DetectionJobs } from './detection-jobs.ts';
import { addDetectionRoutes } from './detection-routes.ts';

interface CommercialNeeds extends RecordingContext {
  /** The disk of a recording folder is not mounted. */
  isAway: (folder: string) => Promise<boolean>;
  startWorker: () => Worker;
}

export function createCommercial(needs: CommercialNeeds) {
  const { database, list: recordingList, open, encoders, settings, hub, log, now } = needs;
  const chapters = new ChapterStore(database);
  const detection = new DetectionJobs({
    ...needs,
    ...{ chapters, logos: new LearntLogoStore(database), log: log.component('commercials') },
    ffmpeg: () => encoders.ffmpeg(),
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
