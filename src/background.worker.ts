/** Worker entry: what reads whole recordings (`play/caption-host.ts`), away from the main thread. */
import { serveWorker, Transferring } from '../host/worker-server.ts';
import { CaptionHost } from './play/caption-host.ts';
import type { BackgroundContract } from './play/caption-messages.ts';

declare const self: Worker;

const captions = new CaptionHost();
serveWorker<BackgroundContract>(self, () => ({
  requests: {
    captions: async (ask, signal) => {
      const answer = await captions.captions(ask, signal);
      return new Transferring(answer, answer.json === null ? [] : [answer.json.buffer]);
    },
  },
}));
