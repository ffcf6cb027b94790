/** Worker entry: merges and stores the guide (`guide/guide-host.ts`). */
import { systemMonotonicClock, systemWallClock } from '../lib/host/clock.ts';
import { serveWorker } from '../lib/host/worker-server.ts';
import { GuideHost } from './guide/guide-host.ts';
import type { GuideContract } from './guide/guide-messages.ts';
import { openGuideDatabase } from './store/guide-database.ts';

declare const self: Worker;

serveWorker<GuideContract>(self, (post) => {
  const host = new GuideHost({
    ...{ post, openFile: openGuideDatabase },
    ...{ now: systemWallClock, clock: systemMonotonicClock },
  });
  return {
    requests: { end: (ask) => host.end(ask) },
    order: (order) => host.take(order),
    close: () => host.close(),
  };
});
