/**
 * Starts the service's workers. The entries stand beside this file: a compiled executable finds a worker only
 * by a path relative to the bundle's own folder.
 */

/** Reads station streams and feeds encoders; speaks `stream/messages.ts`. */
export function startReceptionWorker(): Worker {
  return new Worker(new URL('./reception.worker.ts', import.meta.url));
}

/** Parses sections of the guide. */
export function startGuideWorker(): Worker {
  return new Worker(new URL('./guide.worker.ts', import.meta.url));
}

/** Reads channels for a scan and for logos; speaks `guide/survey-messages.ts`. */
export function startSurveyWorker(): Worker {
  return new Worker(new URL('./survey.worker.ts', import.meta.url));
}

/** Keeps the database's log; speaks `store/database-worker-messages.ts`. */
export function startDatabaseWorker(): Worker {
  return new Worker(new URL('./database.worker.ts', import.meta.url));
}

/** Plans what is to be recorded; speaks `booking/planning-worker-messages.ts`. */
export function startScheduleWorker(): Worker {
  return new Worker(new URL('./schedule.worker.ts', import.meta.url));
}
