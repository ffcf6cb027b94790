/**
 * Starts the service's workers. The entries stand beside this file: a compiled executable finds a worker only
 * by a path relative to the bundle's own folder.
 */

/** Reads streams of the agent; speaks `reception/reception-messages.ts`. */
export function startReceptionWorker(): Worker {
  return new Worker(new URL('./reception.worker.ts', import.meta.url));
}

/** Merges and stores the guide; speaks `guide/guide-messages.ts`. */
export function startGuideWorker(): Worker {
  return new Worker(new URL('./guide.worker.ts', import.meta.url));
}

/** Keeps the database's log; speaks `store/database-worker-messages.ts`. */
export function startDatabaseWorker(): Worker {
  return new Worker(new URL('./database.worker.ts', import.meta.url));
}

/** Plans what is to be recorded; speaks `booking/planning-worker-messages.ts`. */
export function startScheduleWorker(): Worker {
  return new Worker(new URL('./schedule.worker.ts', import.meta.url));
}

/** Reads whole recordings; speaks `play/caption-messages.ts` and `commercial/detect-messages.ts`. */
export function startBackgroundWorker(): Worker {
  return new Worker(new URL('./background.worker.ts', import.meta.url));
}
