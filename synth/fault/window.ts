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
