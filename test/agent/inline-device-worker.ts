/**
 * Device workers that run in the test's own thread over a scripted kernel, with messages as asynchronous as
 * real ones.
 */
import type { DeviceContract } from '../../agent/driver/device-messages.ts';
import { DeviceWorkerHost } from '../../agent/driver/device-worker-host.ts';
import type { FromWorker, ToWorker } from '../../lib/host/worker-link.ts';
import { serveWorker } from '../../lib/host/worker-server.ts';
import type { ScriptedKernel } from './scripted-kernel.ts';
import type { ScriptedTime } from './scripted-time.ts';

type Listener = (event: { data?: FromWorker; message?: string }) => void;

export interface InlineWorker extends Worker {
  /** Ends like a crashed worker: nothing is closed. */
  crash(): void;
}

/** @param kernel shared by all workers that are started */
export function startInlineWorker(kernel: ScriptedKernel, time: ScriptedTime): InlineWorker {
  const listeners = new Map<string, Listener[]>();
  let isTerminated = false;
  const scope: Pick<Worker, 'postMessage' | 'onmessage'> = {
    onmessage: null,
    postMessage: (message: FromWorker) => {
      setImmediate(() => {
        if (isTerminated) return;
        for (const listener of listeners.get('message') ?? []) listener({ data: message });
      });
    },
  };
  serveWorker<DeviceContract>(scope, (send) => {
    const host = new DeviceWorkerHost({
      system: { calls: kernel, facts: kernel, clock: time.clock },
      send,
      sleep: (ms) => (isTerminated ? new Promise(() => {}) : time.sleep(ms)),
    });
    return {
      requests: {
        tune: (order) => host.tune(order),
        interrupt: ({ fd }) => host.interrupt(fd),
        release: ({ fds }) => host.release(fds),
        detect: () => [],
      },
      order: (order) => host.order(order),
      close: () => host.close(),
    };
  });
  const worker = {
    postMessage: (message: ToWorker) => {
      setImmediate(() => {
        if (!isTerminated)
          scope.onmessage?.call(worker as unknown as Worker, new MessageEvent('message', { data: message }));
      });
    },
    addEventListener: (name: string, listener: Listener) => {
      listeners.set(name, [...(listeners.get(name) ?? []), listener]);
    },
    terminate: () => {
      isTerminated = true;
    },
    crash: () => {
      isTerminated = true;
      for (const listener of listeners.get('error') ?? []) listener({ message: 'crashed by the test' });
    },
  };
  return worker as unknown as InlineWorker;
}
