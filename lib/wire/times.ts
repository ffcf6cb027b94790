/**
 * The machine's two clocks as branded numbers, so that a time of one is never compared with a time of the other.
 * `BroadcastMs` is in `lib/arib/time.ts`, schemas in `schema-parts.ts`: the browser's bundle has no validators.
 */
import type { BroadcastMs } from '../arib/time.ts';

declare const brand: unique symbol;

/** Milliseconds since 1970-01-01T00:00:00Z by a machine's clock. May jump when the clock is set. */
export type WallMs = number & { readonly [brand]: 'WallMs' };

/** Milliseconds since an unspecified moment; never set, never decreases. Meaningless in another process. */
export type MonotonicMs = number & { readonly [brand]: 'MonotonicMs' };

/** A calendar time of either clock, where it does not matter which. */
export type EpochMs = BroadcastMs | WallMs;

/** A number from outside the type system: the runtime, a stored row, a worker message. */
export function wallMs(value: number): WallMs {
  return value as WallMs;
}

/** A number from outside the type system: the runtime, a worker message. */
export function monotonicMs(value: number): MonotonicMs {
  return value as MonotonicMs;
}
