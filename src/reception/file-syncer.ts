/**
 * fsync in a thread of its own. It blocks as long as the disk does, and the runtime's pool for file operations has only
 * one thread per processor: two disks in standby, or one disk with two recordings, would block every other file
 * operation of the process.
 */
import { closeSync, fdatasyncSync, openSync } from 'node:fs';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { WorkerLink } from '../../lib/host/worker-link.ts';

export interface SyncContract {
  requests: { sync: { ask: { path: string }; answer: null } };
  orders: never;
  events: never;
}

/** A worker costs memory, so it ends after this time without a recording. */
const IDLE_MS = 60_000;

/** The worker's side. @throws the system's error */
export function syncNow(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fdatasyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export class FileSyncer {
  readonly #link: WorkerLink<SyncContract>;

  constructor(startWorker: () => Worker) {
    this.#link = new WorkerLink<SyncContract>({
      name: 'sync worker',
      startWorker,
      // A reception worker has no log: errors are returned to the recording that requested the sync.
      log: SILENT_LOG,
      // The worker blocks by design, as long as the disk does.
      watchdog: null,
      idleMs: IDLE_MS,
    });
  }

  /** Files are synced one after the other. @throws WorkerError with the system's code */
  async sync(path: string): Promise<void> {
    await this.#link.request('sync', { path });
  }

  /** Ends the worker and rejects a pending sync. Idempotent. */
  async close(): Promise<void> {
    await this.#link.close(0);
  }
}
