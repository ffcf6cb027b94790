/** Worker entry: reads and narrows station streams and feeds their encoders (`stream/host.ts`). */
import { FileSyncer } from './reception/file-syncer.ts';
import { ReceptionHost } from './reception/reception-host.ts';
import {
  type FromReceptionWorker,
  type ToReceptionWorker,
  transferOf,
} from './reception/reception-messages.ts';

declare const self: Worker;

const post = (message: FromReceptionWorker): void => self.postMessage(message, transferOf(message));
const syncer = new FileSyncer(() => new Worker(new URL('./sync.worker.ts', import.meta.url)));
const host = new ReceptionHost(
  post,
  () => performance.now(),
  (path) => syncer.sync(path),
);
self.onmessage = (event: MessageEvent<ToReceptionWorker>): void => host.take(event.data);
