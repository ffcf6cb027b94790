/**
 * The machine's two clocks as branded numbers, so that a time of one is never compared with a time of the other, and the
 * schemas of times that cross a process boundary; `BroadcastMs` is in `arib/time.ts`. JSON carries plain integers.
 */
import { type TUnsafe, Type as t } from '@sinclair/typebox';
import type { BroadcastMs } from '../arib/time.ts';

declare const brand: unique symbol;

/** Milliseconds since 1970-01-01T00:00:00Z by a machine's clock. May jump when the clock is set. */
export type WallMs = number & { readonly [brand]: 'WallMs' };

/** Milliseconds since an unspecified moment; never set, never goes back. Means nothing in another process. */
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

type IntegerOptions = Parameters<typeof t.Integer>[0];

/** Times of programmes, reservations and recordings. */
export function broadcastMsSchema(options?: IntegerOptions): TUnsafe<BroadcastMs> {
  return t.Unsafe<BroadcastMs>(t.Integer(options));
}

/** Times of logins, visits, queues and logs. */
export function wallMsSchema(options?: IntegerOptions): TUnsafe<WallMs> {
  return t.Unsafe<WallMs>(t.Integer(options));
}
