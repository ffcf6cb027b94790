/** The present moment as a signal, for progress bars and remaining times: ticks only while the page is seen. */
import { signal } from '@preact/signals';

/** Epoch milliseconds, renewed every five seconds. */
export const now = signal(Date.now());

const TICK_MS = 5_000;

export function startClock(): void {
  const tick = (): void => {
    if (document.visibilityState === 'visible') now.value = Date.now();
  };
  setInterval(tick, TICK_MS);
  document.addEventListener('visibilitychange', tick);
}
