/** Waiting with a limit: promise or timeout, promise or abort. Timers and listeners are removed after the wait. */

/**
 * The promise's outcome, or the result or error of `late` after `ms`. A later rejection is dropped; the caller must
 * stop the work itself.
 */
export async function within<T, L>(ms: number, promise: PromiseLike<T>, late: () => L): Promise<T | L> {
  const { promise: timeout, resolve } = Promise.withResolvers<typeof LATE>();
  const timer = setTimeout(resolve, ms, LATE);
  try {
    const first = await Promise.race([promise, timeout]);
    return first === LATE ? late() : first;
  } finally {
    clearTimeout(timer);
  }
}

const LATE: unique symbol = Symbol('late');

/** Whether the promise settled within `ms`; a rejection counts as settled. Never rejects. */
export function settlesWithin(ms: number, promise: PromiseLike<unknown>): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  );
  return within(ms, settled, () => false);
}

/**
 * The promise's outcome, unless the signal aborts first.
 * @throws the signal's reason; the promise's later rejection is dropped
 */
export async function unlessAborted<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Resolves after `ms`, or as soon as the signal aborts: the caller checks which. */
export async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = (): void => resolve();
  const timer = setTimeout(wake, ms);
  signal.addEventListener('abort', wake, { once: true });
  await promise;
  clearTimeout(timer);
  signal.removeEventListener('abort', wake);
}
