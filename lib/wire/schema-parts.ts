/** Parts of schemas: ids, times, lists of words and what a client may send. JSON carries plain integers. */
import { type SchemaOptions, type TSchema, type TUnsafe, Type as t } from '@sinclair/typebox';
import type { ProgramId, StationId } from '../arib/ids.ts';
import type { BroadcastMs } from '../arib/time.ts';
import type { RecordingId, ReservationId, RuleId } from './ids.ts';
import type { WallMs } from './times.ts';

type IntegerOptions = Parameters<typeof t.Integer>[0];

/**
 * For a response that is one object: further fields may be added later. Stated explicitly, because the HTTP framework
 * otherwise sets the opposite in a schema that it validates with.
 */
export const EXTENSIBLE = { additionalProperties: true } as const;
/** Unknown fields of a request are rejected: they would be typing errors. */
export const CLOSED = { additionalProperties: false } as const;
export const EPOCH_MS = { description: 'epoch ms' } as const;

/** One of a list of words. */
export function oneOf<const Word extends string>(
  words: readonly Word[],
  options?: SchemaOptions,
): TUnsafe<Word> {
  const literals = words.map((word) => t.Literal(word));
  // The HTTP framework infers no type for a union of unknown length.
  return t.Unsafe<Word>(t.Union(literals, options));
}

export function nullable<T extends TSchema>(schema: T, description?: string) {
  return t.Union([schema, t.Null()], description === undefined ? {} : { description });
}

export function stationIdSchema(options?: IntegerOptions): TUnsafe<StationId> {
  return t.Unsafe<StationId>(t.Integer(options));
}

export function programIdSchema(options?: IntegerOptions): TUnsafe<ProgramId> {
  return t.Unsafe<ProgramId>(t.Integer(options));
}

export function recordingIdSchema(options?: IntegerOptions): TUnsafe<RecordingId> {
  return t.Unsafe<RecordingId>(t.Integer(options));
}

export function reservationIdSchema(): TUnsafe<ReservationId> {
  return t.Unsafe<ReservationId>(t.Integer());
}

export function ruleIdSchema(): TUnsafe<RuleId> {
  return t.Unsafe<RuleId>(t.Integer());
}

/** Times of programmes, reservations and recordings. */
export function broadcastMsSchema(options?: IntegerOptions): TUnsafe<BroadcastMs> {
  return t.Unsafe<BroadcastMs>(t.Integer(options));
}

/** Times of logins, visits, queues and logs. */
export function wallMsSchema(options?: IntegerOptions): TUnsafe<WallMs> {
  return t.Unsafe<WallMs>(t.Integer(options));
}
