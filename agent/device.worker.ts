/** Worker entry: one open tuner, or one detection of all tuners (`driver/device-worker-host.ts`). */
import { systemMonotonicClock } from '../lib/host/clock.ts';
import { serveWorker } from '../lib/host/worker-server.ts';
import { MachineFacts } from './driver/device-facts.ts';
import type { DeviceContract } from './driver/device-messages.ts';
import { DeviceWorkerHost } from './driver/device-worker-host.ts';
import { openLibc } from './driver/libc.ts';

declare const self: Worker;

serveWorker<DeviceContract>(self, (send) => {
  const host = new DeviceWorkerHost({
    system: { calls: openLibc(), facts: new MachineFacts(), clock: systemMonotonicClock },
    send,
    sleep: (ms) => Bun.sleep(ms),
  });
  return {
    requests: {
      tune: (order) => host.tune(order),
      interrupt: ({ fd }) => host.interrupt(fd),
      release: ({ fds }) => host.release(fds),
      detect: () => host.detect(),
    },
    order: (order) => host.order(order),
    close: () => host.close(),
  };
});
