/** Worker entry: plans what is to be recorded (`booking/host.ts`), away from the main thread. */
import { PlanHost } from './booking/host.ts';
import type { FromPlanWorker, ToPlanWorker } from './booking/messages.ts';
import { PlanFile } from './store/plan-file.ts';

declare const self: Worker;

const post = (message: FromPlanWorker): void => self.postMessage(message);
const host = new PlanHost({ post, openFile: (path) => new PlanFile(path) });
self.onmessage = (event: MessageEvent<ToPlanWorker>): void => host.take(event.data);
