/** Worker entry: checkpoints and syncs of the database, which wait for the disk (`store/database-worker-host.ts`). */
import { systemMonotonicClock } from '../lib/host/clock.ts';
import { serveWorker } from '../lib/host/worker-server.ts';
import { DatabaseWorkerHost } from './store/database-worker-host.ts';
import type { DatabaseContract } from './store/database-worker-messages.ts';

declare const self: Worker;

serveWorker<DatabaseContract>(self, (send) => {
  const host = new DatabaseWorkerHost({ report: send, elapsed: systemMonotonicClock });
  return {
    requests: {
      sync: () => {
        host.sync();
        return null;
      },
      inspect: ({ path }) => host.inspect(path),
    },
    order: (order) => host.open(order),
    close: () => host.close(),
  };
});
