/** Ids of the service's own rows, re-exported from `lib/wire/ids.ts`. */
export {
  type RecordingId,
  type ReservationId,
  type RowId,
  type RuleId,
  recordingId,
  reservationId,
  ruleId,
} from '../../lib/wire/ids.ts';
