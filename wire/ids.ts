/**
 * Ids of the service's own rows, as branded numbers, and their schemas. Those of the broadcast are in `arib/ids.ts`;
 * their schemas stand here too.
 */
import { type TUnsafe, Type as t } from '@sinclair/typebox';
import type { ProgramId, StationId } from '../arib/ids.ts';

declare const brand: unique symbol;
type Branded<Name extends string> = number & { readonly [brand]: Name };

export type RecordingId = Branded<'RecordingId'>;
export type ReservationId = Branded<'ReservationId'>;
export type RuleId = Branded<'RuleId'>;

/** A path parameter that is a valid row number: each route knows of which table. */
export type RowId = number & { readonly [brand]: never };

/** A number from outside the type system: a stored row, a checked path parameter, a worker message. */
export function recordingId(value: number): RecordingId {
  return value as RecordingId;
}

export function reservationId(value: number): ReservationId {
  return value as ReservationId;
}

export function ruleId(value: number): RuleId {
  return value as RuleId;
}

type IntegerOptions = Parameters<typeof t.Integer>[0];

export function stationIdSchema(options?: IntegerOptions): TUnsafe<StationId> {
  return t.Unsafe<StationId>(t.Integer(options));
}

export function programIdSchema(options?: IntegerOptions): TUnsafe<ProgramId> {
  return t.Unsafe<ProgramId>(t.Integer(options));
}

export function recordingIdSchema(options?: IntegerOptions): TUnsafe<RecordingId> {
  return t.Unsafe<RecordingId>(t.Integer(options));
}

export function reservationIdSchema(options?: IntegerOptions): TUnsafe<ReservationId> {
  return t.Unsafe<ReservationId>(t.Integer(options));
}

export function ruleIdSchema(options?: IntegerOptions): TUnsafe<RuleId> {
  return t.Unsafe<RuleId>(t.Integer(options));
}
