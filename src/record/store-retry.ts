/** Retries writes that must succeed while the database is busy or its disk is full. */
import { sleepUnlessAborted } from '../../host/deadline.ts';
import type { Log } from '../../host/log.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/**
 * Repeats `act` until it succeeds.
 * @throws the signal's reason when it is aborted
 */
export async function retryUntilStored<T>(
  what: string,
  act: () => T | Promise<T>,
  { signal, log }: { signal: AbortSignal; log: Log },
): Promise<T> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    signal.throwIfAborted();
    try {
      return await act();
    } catch (error) {
      signal.throwIfAborted();
      log.error(`${what} not stored, tried again`, { error: String(error), waitMs: wait });
    }
    await sleepUnlessAborted(wait, signal);
  }
}
