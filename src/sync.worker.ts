/** Worker entry: waits for the disk in place of a stream worker (`stream/file-syncer.ts`). */
import { syncNow, type ToSyncWorker } from './reception/file-syncer.ts';

declare const self: Worker;

self.onmessage = (event: MessageEvent<ToSyncWorker>): void => self.postMessage(syncNow(event.data));
