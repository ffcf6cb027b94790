/** Worker entry: plans reservations (`booking/planning-worker-host.ts`). */
import { serveWorker } from '../lib/host/worker-server.ts';
import { PlanningWorkerHost } from './booking/planning-worker-host.ts';
import type { PlanningContract } from './booking/planning-worker-messages.ts';
import { PlanningDatabase } from './store/planning-database.ts';

declare const self: Worker;

const host = new PlanningWorkerHost({ openFile: (path) => new PlanningDatabase(path) });
serveWorker<PlanningContract>(self, () => ({
  requests: {
    plan: (order) => host.plan(order),
    preview: (order) => host.preview(order),
  },
  order: ({ path }) => host.open(path),
  close: () => host.close(),
}));
