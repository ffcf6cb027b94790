/** A monotonic clock that includes the time the machine was suspended; the runtime's own clock stops then. */
import { type MonotonicClock, monotonicMs } from './clock.ts';

/** Uptime has a resolution of whole seconds. */
const COARSE_MS = 2000;

/**
 * @param monotonic excludes suspension @param uptime seconds since the machine was started, includes suspension
 * @returns ms since the machine was started, to a second
 */
export function elapsedClock(monotonic: MonotonicClock, uptime: () => number): MonotonicClock {
  const apart = uptime() * 1000 - monotonic();
  let slept = 0;
  return () => {
    const awake = monotonic();
    const more = uptime() * 1000 - awake - apart - slept;
    if (more > COARSE_MS) slept += more;
    return monotonicMs(apart + awake + slept);
  };
}
