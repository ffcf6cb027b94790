/**
 * fsync in a thread of its own. It waits as long as the disk does, and the runtime has only as many threads for files as
 * there are processors: two disks that sleep, or one and two recordings, would hold up every other file of the process.
 */
import { closeSync, fdatasyncSync, openSync } from 'node:fs';

export interface ToSyncWorker {
  serial: number;
  path: string;
}

export interface FromSyncWorker {
  serial: number;
  /** The system's error; null: it is on disk. */
  error: { code: string; message: string } | null;
}

/** A worker costs memory: it goes when nothing is recorded. */
const IDLE_MS = 60_000;

/** The worker's side. */
export function syncNow({ serial, path }: ToSyncWorker): FromSyncWorker {
  try {
    const descriptor = openSync(path, 'r');
    try {
      fdatasyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    return { serial, error: null };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    return { serial, error: { code, message: String(error) } };
  }
}

export class FileSyncer {
  #worker: Worker | undefined;
  #serial = 0;
  readonly #waiting = new Map<number, PromiseWithResolvers<void>>();
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly startWorker: () => Worker) {}

  /** One after the other. @throws the system's error */
  sync(path: string): Promise<void> {
    clearTimeout(this.#idle);
    this.#serial += 1;
    const done = Promise.withResolvers<void>();
    this.#waiting.set(this.#serial, done);
    this.#worker ??= this.#start();
    this.#worker.postMessage({ serial: this.#serial, path } satisfies ToSyncWorker);
    return done.promise;
  }

  #start(): Worker {
    const worker = this.startWorker();
    worker.addEventListener('message', (event: MessageEvent<FromSyncWorker>) => this.#take(event.data));
    worker.addEventListener('error', (event) => {
      if (this.#worker === worker) this.#end(new Error(event.message));
    });
    return worker;
  }

  #take({ serial, error }: FromSyncWorker): void {
    const done = this.#waiting.get(serial);
    this.#waiting.delete(serial);
    if (error === null) done?.resolve();
    else done?.reject(Object.assign(new Error(error.message), { code: error.code }));
    if (this.#waiting.size > 0) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#end(new Error('idle')), IDLE_MS);
  }

  #end(error: Error): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const done of this.#waiting.values()) done.reject(error);
    this.#waiting.clear();
  }
}
