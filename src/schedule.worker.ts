/** Worker entry: plans what is to be recorded (`booking/planning-worker-host.ts`), away from the main thread. */
import { PlanningWorkerHost } from './booking/planning-worker-host.ts';
import type { FromPlanWorker, ToPlanWorker } from './booking/planning-worker-messages.ts';
import { PlanningDatabase } from './store/planning-database.ts';

declare const self: Worker;

const post = (message: FromPlanWorker): void => self.postMessage(message);
const host = new PlanningWorkerHost({ post, openFile: (path) => new PlanningDatabase(path) });
self.onmessage = (event: MessageEvent<ToPlanWorker>): void => host.take(event.data);
