/**
 * Ids of the service's own rows, as branded numbers. Those of the broadcast are in `lib/arib/ids.ts`, schemas of both in
 * `schema-parts.ts`: the browser's bundle has no validators.
 */

declare const brand: unique symbol;
type Branded<Name extends string> = number & { readonly [brand]: Name };

export type RecordingId = Branded<'RecordingId'>;
export type ReservationId = Branded<'ReservationId'>;
export type RuleId = Branded<'RuleId'>;

/** A path parameter that is a valid row number: each route defines the table. */
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
