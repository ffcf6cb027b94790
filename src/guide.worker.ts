/** The guide worker: visits channels and reads their tables, away from the main thread. Speaks `guide/messages.ts`. */
import type { FromGuideWorker, ToGuideWorker } from './guide/messages.ts';
import { runVisit } from './guide/visit.ts';

declare const self: Worker;

const running = new Map<number, AbortController>();

function post(message: FromGuideWorker): void {
  self.postMessage(message);
}

self.onmessage = (event: MessageEvent<ToGuideWorker>): void => {
  const message = event.data;
  if (message.kind === 'cancel') {
    running.get(message.visit)?.abort();
    return;
  }
  const { visit } = message;
  const cancel = new AbortController();
  running.set(visit, cancel);
  void runVisit(message, (items) => post({ kind: 'found', visit, items }), cancel.signal, Date.now).then(
    (end) => {
      running.delete(visit);
      post({ kind: 'done', visit, ...end });
    },
  );
};
