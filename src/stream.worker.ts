/** Worker entry: reads and narrows station streams and feeds their encoders (`stream/host.ts`). */
import { FileSyncer } from './stream/file-syncer.ts';
import { StreamHost } from './stream/host.ts';
import { type FromStreamWorker, type ToStreamWorker, transferOf } from './stream/messages.ts';

declare const self: Worker;

const post = (message: FromStreamWorker): void => self.postMessage(message, transferOf(message));
const syncer = new FileSyncer(() => new Worker(new URL('./sync.worker.ts', import.meta.url)));
const host = new StreamHost(
  post,
  () => performance.now(),
  (path) => syncer.sync(path),
);
self.onmessage = (event: MessageEvent<ToStreamWorker>): void => host.take(event.data);
