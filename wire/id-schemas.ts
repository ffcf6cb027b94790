/** Schemas of ids that cross a process boundary. JSON carries plain integers. */
import { type TUnsafe, Type as t } from '@sinclair/typebox';
import type { ProgramId, StationId } from '../arib/ids.ts';
import type { RecordingId, ReservationId, RuleId } from './ids.ts';

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
