/** Worker entry: PC/SC calls block (`card/card-worker-host.ts`). */
import { serveWorker } from '../lib/host/worker-server.ts';
import { type CardContract, CardWorkerHost } from './card/card-worker-host.ts';

declare const self: Worker;

/** Interval of detecting a card insertion, ms. One query takes the daemon less than 0.1 ms. */
const POLL_MS = 500;

serveWorker<CardContract>(self, (send) => {
  const host = new CardWorkerHost(send);
  const timer = setInterval(() => host.poll(), POLL_MS);
  return {
    requests: { connect: () => host.connect(), ecm: (message) => host.ecm(message) },
    close: () => {
      clearInterval(timer);
      host.close();
    },
  };
});
