/**
 * Starts the service's workers. The entry files are in this folder because a compiled executable resolves a worker only
 * by a path relative to the bundle.
 */

/** Reads streams of the agent; messages in `reception/reception-messages.ts`. */
export function startReceptionWorker(): Worker {
  return new Worker(new URL('./reception.worker.ts', import.meta.url));
}

/** Merges and stores the guide; messages in `guide/guide-messages.ts`. */
export function startGuideWorker(): Worker {
  return new Worker(new URL('./guide.worker.ts', import.meta.url));
}

/** Checkpoints and syncs the WAL; messages in `store/database-worker-messages.ts`. */
export function startDatabaseWorker(): Worker {
  return new Worker(new URL('./database.worker.ts', import.meta.url));
}

/** Plans reservations; messages in `booking/planning-worker-messages.ts`. */
export function startScheduleWorker(): Worker {
  return new Worker(new URL('./schedule.worker.ts', import.meta.url));
}

/** Reads whole recordings; messages in `play/side-file-messages.ts` and `commercial/detect-messages.ts`. */
export function startBackgroundWorker(): Worker {
  return new Worker(new URL('./background.worker.ts', import.meta.url));
}
