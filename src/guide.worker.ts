/** Worker entry: merges and stores the guide (`guide/guide-host.ts`). */
import { systemWallClock } from '../host/clock.ts';
import { serveWorker } from '../host/worker-server.ts';
import { GuideHost } from './guide/guide-host.ts';
import type { GuideContract } from './guide/guide-messages.ts';
import { openGuideDatabase } from './store/guide-database.ts';

declare const self: Worker;

serveWorker<GuideContract>(self, (post) => {
  const host = new GuideHost({ post, openFile: openGuideDatabase, now: systemWallClock });
  return {
    requests: { end: (ask) => host.end(ask) },
    order: (order) => host.take(order),
    close: () => host.close(),
  };
});
