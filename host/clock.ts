/**
 * The machine's two clocks as branded numbers, so that a time of one is never compared with a time of the other.
 * Times by the broadcast's clock are `BroadcastMs` (`arib/time.ts`).
 */

import { type WallMs, wallMs } from '../wire/times.ts';

export { type WallMs, wallMs };

declare const brand: unique symbol;

/** Milliseconds since an unspecified moment; never set, never goes back. */
export type MonotonicMs = number & { readonly [brand]: 'MonotonicMs' };

export type WallClock = () => WallMs;
export type MonotonicClock = () => MonotonicMs;

/** A number from outside the type system: the runtime, a worker message. */
export function monotonicMs(value: number): MonotonicMs {
  return value as MonotonicMs;
}

export const systemWallClock: WallClock = () => Date.now() as WallMs;
export const systemMonotonicClock: MonotonicClock = () => performance.now() as MonotonicMs;
