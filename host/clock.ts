/**
 * The machine's two clocks as branded numbers, so that a time of one is never compared with a time of the other.
 * Times by the broadcast's clock are `BroadcastMs` (`arib/time.ts`).
 */

declare const brand: unique symbol;

/** Milliseconds since 1970-01-01T00:00:00Z by the machine's clock. May jump when the clock is set. */
export type WallMs = number & { readonly [brand]: 'WallMs' };
/** Milliseconds since an unspecified moment; never set, never goes back. */
export type MonotonicMs = number & { readonly [brand]: 'MonotonicMs' };

export type WallClock = () => WallMs;
export type MonotonicClock = () => MonotonicMs;

/** A number from outside the type system: the runtime, a stored row, a worker message. */
export function wallMs(value: number): WallMs {
  return value as WallMs;
}

/** A number from outside the type system: the runtime, a worker message. */
export function monotonicMs(value: number): MonotonicMs {
  return value as MonotonicMs;
}

export const systemWallClock: WallClock = () => Date.now() as WallMs;
export const systemMonotonicClock: MonotonicClock = () => performance.now() as MonotonicMs;
