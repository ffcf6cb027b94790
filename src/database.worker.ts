/** Worker entry: whatever of the database waits for the disk (`store/database-worker-host.ts`). */
import { DatabaseWorkerHost } from './store/database-worker-host.ts';
import type { FromDatabaseWorker, ToDatabaseWorker } from './store/database-worker-messages.ts';

declare const self: Worker;

const post = (message: FromDatabaseWorker): void => self.postMessage(message);
const host = new DatabaseWorkerHost({ post, elapsed: () => performance.now() });
self.onmessage = (event: MessageEvent<ToDatabaseWorker>): void => host.take(event.data);
