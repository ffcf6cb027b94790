/** Time that only goes on, also while the machine sleeps: the runtime's own clock stands still then. */

/** Uptime is told in whole seconds. */
const COARSE_MS = 2000;

/**
 * @param monotonic ms, without what was slept @param uptime seconds since the machine was started, with it
 * @returns ms since the machine was started, to a second
 */
export function elapsedClock(monotonic: () => number, uptime: () => number): () => number {
  const apart = uptime() * 1000 - monotonic();
  let slept = 0;
  return () => {
    const awake = monotonic();
    const more = uptime() * 1000 - awake - apart - slept;
    if (more > COARSE_MS) slept += more;
    return apart + awake + slept;
  };
}
