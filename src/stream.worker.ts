/** Worker entry: reads and narrows station streams and feeds their encoders (`stream/host.ts`). */
import { StreamHost } from './stream/host.ts';
import { type FromStreamWorker, type ToStreamWorker, transferOf } from './stream/messages.ts';

declare const self: Worker;

const post = (message: FromStreamWorker): void => self.postMessage(message, transferOf(message));
const host = new StreamHost(post, () => performance.now());
self.onmessage = (event: MessageEvent<ToStreamWorker>): void => host.take(event.data);
