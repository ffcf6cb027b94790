/**
 * Times that cross a process boundary, as branded numbers: epoch milliseconds by the machine's clock, and the schemas of
 * these and of `BroadcastMs` (`arib/time.ts`). JSON carries plain integers.
 */
import { type TUnsafe, Type as t } from '@sinclair/typebox';
import type { BroadcastMs } from '../arib/time.ts';

declare const brand: unique symbol;

/** Milliseconds since 1970-01-01T00:00:00Z by a machine's clock. May jump when the clock is set. */
export type WallMs = number & { readonly [brand]: 'WallMs' };

/** A time of either clock, where only its place in the calendar counts. */
export type EpochMs = BroadcastMs | WallMs;

/** A number from outside the type system: the runtime, a stored row, a worker message. */
export function wallMs(value: number): WallMs {
  return value as WallMs;
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
