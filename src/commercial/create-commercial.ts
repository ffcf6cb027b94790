/** Commercials of recordings put together: what is known of them, what people correct, and the routes. */
import type { Database } from 'bun:sqlite';
import type { Hub } from '../hub/hub.ts';
import type { AddRoutes } from '../route/add-routes.ts';
import { ChapterStore } from '../store/chapter-store.ts';
import { RecordingListStore } from '../store/recording-list-store.ts';
import { addChapterRoutes } from './chapter-routes.ts';
import type { OpensOriginals } from './original-recording.ts';

interface CommercialNeeds {
  database: Database;
  open: OpensOriginals;
  hub: Hub;
  /** Epoch ms. */
  now: () => number;
}

export function createCommercial({ database, open, hub, now }: CommercialNeeds) {
  const chapters = new ChapterStore(database);
  const recordingList = new RecordingListStore(database);
  const routes: AddRoutes = (app) => addChapterRoutes(app, { recordingList, chapters, open, hub, now });
  return { chapters, routes };
}
