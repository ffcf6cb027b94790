/**
 * Worker entry for jobs that read whole recordings: side data (`play/side-file-host.ts`, `data-file-host.ts`) and commercial detection
 * (`commercial/detect-host.ts`). Each of the two clients starts its own worker.
 */
import { serveWorker, Transferring } from '../lib/host/worker-server.ts';
import { DetectHost } from './commercial/detect-host.ts';
import type { DetectContract } from './commercial/detect-messages.ts';
import { DataFileHost } from './play/data-file-host.ts';
import { SideFileHost } from './play/side-file-host.ts';
import type { BackgroundContract as SideFileContract } from './play/side-file-messages.ts';

declare const self: Worker;

interface BackgroundContract {
  requests: SideFileContract['requests'] & DetectContract['requests'];
  orders: DetectContract['orders'];
  events: DetectContract['events'];
}

serveWorker<BackgroundContract>(self, (send) => {
  const sideFiles = new SideFileHost();
  const dataFiles = new DataFileHost();
  const commercials = new DetectHost(send);
  return {
    requests: {
      sideFile: async (ask, signal) => {
        const answer = await sideFiles.file(ask, signal);
        return new Transferring(answer, answer.json === null ? [] : [answer.json.buffer]);
      },
      dataFile: (ask, signal) => dataFiles.write(ask, signal),
      detect: (ask, signal) => commercials.detect(ask, signal),
    },
    order: (order) => commercials.order(order),
    close: () => commercials.close(),
  };
});
