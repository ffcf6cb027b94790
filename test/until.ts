/** The one place where tests wait, for conditions in this process, in others, and in files. */

/**
 * Limit of a wait that would never end. No test measures time by it: the slowest machine that runs the tests must not
 * reach it.
 */
const LONG = process.env.SVC_LONG === '1' || process.env.SVC_RIGS === '1';
export const HANG_LIMIT_MS = LONG ? 900_000 : 180_000;
/** Limit of a test and of a hook; above several waits, so that the message of a wait that hangs is seen. */
export const TEST_LIMIT_MS = LONG ? 3_600_000 : 600_000;

/** A wait polls again after a twentieth of the time waited so far, since polling costs both sides processor time. */
const SHARE = 20;
const LEAST_PAUSE_MS = 1;
const MOST_PAUSE_MS = 250;

type Condition<T> = () => Promise<T> | T;
type Found<T> = Exclude<T, undefined | null | false>;

/**
 * @returns what the condition returned when it was neither undefined nor null nor false
 * @throws Error with the description (default: the condition's source) if that does not happen
 */
export async function until<T>(...args: [Condition<T>] | [string, Condition<T>]): Promise<Found<T>> {
  const [what, condition] = args.length === 1 ? [String(args[0]), args[0]] : args;
  const began = performance.now();
  for (;;) {
    const found = await condition();
    if (found !== undefined && found !== null && found !== false) return found as Found<T>;
    const waitedMs = performance.now() - began;
    if (waitedMs > HANG_LIMIT_MS) throw new Error(`did not happen: ${what}`);
    await Bun.sleep(Math.min(MOST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, waitedMs / SHARE)));
  }
}
