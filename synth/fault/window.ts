/** The times at which faults are active. */
import { STC_ZERO } from '../clock.ts';
import type { FaultWindow } from './model.ts';

/** Whether the fault is active at a moment (epoch ms). */
export function isActive({ from, to, every }: FaultWindow, at: number): boolean {
  if (from !== null && at < from) return false;
  if (to !== null && at >= to) return false;
  if (every === null) return true;
  const period = every.everySec * 1000;
  const since = at - (from ?? STC_ZERO);
  return since - Math.floor(since / period) * period < every.forSec * 1000;
}

/** How many times, up to a moment, the fault has started or ended. */
export function edgesUntil({ from, to, every }: FaultWindow, at: number): number {
  if (every === null) return Number(from !== null && from <= at) + Number(to !== null && to <= at);
  const period = every.everySec * 1000;
  const zero = from ?? STC_ZERO;
  // By then every period that began has ended.
  if (to !== null && at >= to)
    return 2 * Math.max(from === null ? Number.NEGATIVE_INFINITY : 0, Math.ceil((to - zero) / period));
  if (from !== null && at < from) return 0;
  const begun = Math.floor((at - zero) / period) + 1;
  return begun + Math.floor((at - zero - every.forSec * 1000) / period) + 1;
}
