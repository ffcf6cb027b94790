/**
 * Worker entry for jobs that read whole recordings: captions (`play/caption-host.ts`) and commercial detection
 * (`commercial/detect-host.ts`). Each of the two clients starts its own worker.
 */
import { serveWorker, Transferring } from '../host/worker-server.ts';
import { DetectHost } from './commercial/detect-host.ts';
import type { DetectContract } from './commercial/detect-messages.ts';
import { CaptionHost } from './play/caption-host.ts';
import type { BackgroundContract as CaptionContract } from './play/caption-messages.ts';

declare const self: Worker;

interface BackgroundContract {
  requests: CaptionContract['requests'] & DetectContract['requests'];
  orders: DetectContract['orders'];
  events: DetectContract['events'];
}

serveWorker<BackgroundContract>(self, (send) => {
  const captions = new CaptionHost();
  const commercials = new DetectHost(send);
  return {
    requests: {
      captions: async (ask, signal) => {
        const answer = await captions.captions(ask, signal);
        return new Transferring(answer, answer.json === null ? [] : [answer.json.buffer]);
      },
      detect: (ask, signal) => commercials.detect(ask, signal),
    },
    order: (order) => commercials.order(order),
    close: () => commercials.close(),
  };
});
