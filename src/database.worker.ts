/** Worker entry: whatever of the database waits for the disk (`store/keeper-host.ts`). */
import { KeeperHost } from './store/keeper-host.ts';
import type { FromKeeper, ToKeeper } from './store/keeper-messages.ts';

declare const self: Worker;

const post = (message: FromKeeper): void => self.postMessage(message);
const host = new KeeperHost({ post, elapsed: () => performance.now() });
self.onmessage = (event: MessageEvent<ToKeeper>): void => host.take(event.data);
