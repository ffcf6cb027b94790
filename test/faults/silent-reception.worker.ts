/** A stream worker that a test can make silent: it loops, or it is blocked. What it is asked otherwise, it does. */
import { ReceptionHost } from '../../src/reception/reception-host.ts';
import {
  type FromReceptionWorker,
  type ToReceptionWorker,
  transferOf,
} from '../../src/reception/reception-messages.ts';

declare const self: Worker;

export type Silence = 'loops' | 'is blocked';

/** Longer than any test. */
const BLOCKED_MS = 600_000;

function fallSilent(silence: Silence): never {
  const never = new Int32Array(new SharedArrayBuffer(4));
  for (;;) if (silence === 'is blocked') Atomics.wait(never, 0, 0, BLOCKED_MS);
}

const post = (message: FromReceptionWorker): void => self.postMessage(message, transferOf(message));
const host = new ReceptionHost(post, () => performance.now());
self.onmessage = (event: MessageEvent<ToReceptionWorker | { silence: Silence }>): void => {
  if ('silence' in event.data) fallSilent(event.data.silence);
  else host.take(event.data);
};
