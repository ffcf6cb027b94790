/** The current time as a signal, for progress bars and remaining times: ticks only while the page is visible. */
import { computed, signal } from '@preact/signals';
import { type BroadcastMs, broadcastMs } from '../../arib/time.ts';

/** By the browser's clock, assumed to agree with the broadcast's; updated every five seconds. */
export const now = signal(currentMs());

/** As `now`, at the moment of the call. */
export function currentMs(): BroadcastMs {
  return broadcastMs(Date.now());
}

const MINUTE_MS = 60_000;
/** For long lists, which need not be rendered with every tick: the beginning of the present minute. */
export const minute = computed(() => broadcastMs(Math.floor(now.value / MINUTE_MS) * MINUTE_MS));

const TICK_MS = 5_000;

export function startClock(): void {
  const tick = (): void => {
    if (document.visibilityState === 'visible') now.value = currentMs();
  };
  setInterval(tick, TICK_MS);
  document.addEventListener('visibilitychange', tick);
}
