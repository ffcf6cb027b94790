/** When faults are there. */
import { STC_ZERO } from '../clock.ts';
import type { FaultWindow } from './model.ts';

/** True when the fault is there at a moment (epoch ms). */
export function isActive({ from, to, every }: FaultWindow, at: number): boolean {
  if (from !== null && at < from) return false;
  if (to !== null && at >= to) return false;
  if (every === null) return true;
  const period = every.everySec * 1000;
  const since = at - (from ?? STC_ZERO);
  return since - Math.floor(since / period) * period < every.forSec * 1000;
}

/** How often, up to a moment, the fault has come or gone. */
export function edgesUntil({ from, to, every }: FaultWindow, at: number): number {
  if (every === null) return Number(from !== null && from <= at) + Number(to !== null && to <= at);
  const period = every.everySec * 1000;
  const zero = from ?? STC_ZERO;
  // By then all that began has ended.
  if (to !== null && at >= to)
    return 2 * Math.max(from === null ? Number.NEGATIVE_INFINITY : 0, Math.ceil((to - zero) / period));
  if (from !== null && at < from) return 0;
  const begun = Math.floor((at - zero) / period) + 1;
  return begun + Math.floor((at - zero - every.forSec * 1000) / period) + 1;
}
