/** A worker controlled by the tests of the worker link; it can misbehave on request. */
import { serveWorker, Transferring } from '../../lib/host/worker-server.ts';
import type { Trial } from './trial-contract.ts';

declare const self: Worker;

let remembered = '';
let end: 'at once' | 'never' = 'at once';

serveWorker<Trial>(self, (send) => ({
  requests: {
    echo: (text) => `${remembered}${text}`,
    bytes: ({ buffer }) => {
      const bytes = new Uint8Array(buffer).map((value) => value + 1);
      return new Transferring(bytes, [bytes.buffer]);
    },
    fail: (code) => {
      throw Object.assign(new Error('not today'), code === null ? {} : { code });
    },
    wait: (_body, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve('given up'))),
    loop: () => {
      for (;;);
    },
    die: () => process.exit(3),
  },
  order: (order) => {
    if (order.kind === 'remember') remembered = order.text;
    else if (order.kind === 'report') send({ remembered });
    else if (order.kind === 'throw') throw new Error('broken order');
    else end = order.end;
  },
  close: async () => {
    if (end === 'never') await new Promise(() => {});
  },
}));
