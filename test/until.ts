/** Waiting for what comes about outside of the test, in processes and files. */

const PAUSE_MS = 50;

/** @throws Error with the description when the condition does not come true in time. */
export async function comesTrue<T>(
  what: string,
  condition: () => Promise<T | undefined> | T | undefined,
  limitMs: number,
): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const found = await condition();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`did not happen: ${what}`);
    await Bun.sleep(PAUSE_MS);
  }
}
