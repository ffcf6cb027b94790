/** Waiting for conditions outside of the test, in processes and files. */

/** A wait polls again after a twentieth of the time waited so far, since polling costs both sides processor time. */
const SHARE = 20;
const LEAST_PAUSE_MS = 5;
const MOST_PAUSE_MS = 250;

/** @throws Error with the description if the condition does not become true in time */
export async function comesTrue<T>(
  what: string,
  condition: () => Promise<T | undefined> | T | undefined,
  limitMs: number,
): Promise<T> {
  const began = performance.now();
  for (;;) {
    const found = await condition();
    if (found !== undefined && found !== false) return found;
    const waitedMs = performance.now() - began;
    if (waitedMs > limitMs) throw new Error(`did not happen: ${what}`);
    await Bun.sleep(Math.min(MOST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, waitedMs / SHARE)));
  }
}
