/** Worker entry: reads channels for the guide and stores what they say (`guide/host.ts`). */
import { GuideHost } from './guide/guide-host.ts';
import type { FromGuideWorker, ToGuideWorker } from './guide/guide-messages.ts';
import { openGuideDatabase } from './store/guide-database.ts';

declare const self: Worker;

const post = (message: FromGuideWorker): void => self.postMessage(message);
const host = new GuideHost({ post, openFile: openGuideDatabase, now: Date.now });
self.onmessage = (event: MessageEvent<ToGuideWorker>): void => host.take(event.data);
