/** Worker entry: syncs files, so that a slow disk does not block a reception worker (`reception/file-syncer.ts`). */
import { serveWorker } from '../lib/host/worker-server.ts';
import { type SyncContract, syncNow } from './reception/file-syncer.ts';

declare const self: Worker;

serveWorker<SyncContract>(self, () => ({
  requests: {
    sync: ({ path }) => {
      syncNow(path);
      return null;
    },
  },
}));
