/** The page's clocks, and the current time as a signal, which ticks only while the page is visible. */
import { computed, signal } from '@preact/signals';
import { type BroadcastMs, broadcastMs, MINUTE_MS } from '../../lib/arib/time.ts';
import { type MonotonicMs, monotonicMs, type WallMs, wallMs } from '../../lib/wire/times.ts';

/** By the browser's clock, assumed to agree with the broadcast's; updated every five seconds. */
export const now = signal(currentMs());

/** For how long ago something was: never set, never goes back. */
export function monotonicNow(): MonotonicMs {
  return monotonicMs(performance.now());
}

/** Also counts the time that the device was suspended. */
export function wallNow(): WallMs {
  return wallMs(Date.now());
}

/** As `now`, at the moment of the call. */
export function currentMs(): BroadcastMs {
  return broadcastMs(Date.now());
}

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
