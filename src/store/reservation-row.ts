/** Conversion between a reservation and its row. */

import type { BroadcastType, ProgramId, StationId } from '../../arib/ids.ts';
import type { BroadcastMs } from '../../arib/time.ts';
import type { ReservationState, VerdictLevel } from '../../wire/guide.ts';
import type { CommercialHandling } from '../model/encoding.ts';
import { type RecordingId, type RuleId, reservationId, ruleId } from '../model/ids.ts';
import type { PlannedTuner, Reservation, ReservationId } from '../model/reservation.ts';
import type { ReservationNote } from '../model/reservation-reason.ts';
import type { EncodeChoice } from '../model/rule.ts';
import { readReservationNote, readReservationReason, storedReservationReason } from './reservation-json.ts';
import { readIds, readText } from './stored-json.ts';

export interface StoredReservation extends Reservation {
  note: ReservationNote | null;
  /** The damaged recording that it replaces. */
  repeats: RecordingId | null;
}

/** As lists show it. */
export interface ListedReservation extends StoredReservation {
  serviceName: string;
  type: BroadcastType;
  /** Physical channel. */
  channel: string;
  /** Its recording, finished or running. */
  recordingId: RecordingId | null;
  /** Verdict of that recording; null: none yet. */
  verdict: VerdictLevel | null;
}

/** Recording options; null: the setting applies. */
export type RecordingChoice = Pick<
  Reservation,
  'marginBefore' | 'marginAfter' | 'encode' | 'keepTs' | 'commercials'
>;

/** Fields of a reservation that a plan decides. Blockers are programmes: a reservation made by the same plan has no id yet. */
export interface PlannedRow
  extends Pick<
    Reservation,
    | 'programId'
    | 'stationId'
    | 'ruleId'
    | 'relayOf'
    | 'state'
    | 'reason'
    | 'priority'
    | 'name'
    | 'description'
    | 'startAt'
    | 'endAt'
    | 'tuner'
  > {
  blockers: readonly ProgramId[];
  alternatives: readonly ProgramId[];
}

export interface Row {
  id: number;
  program_id: ProgramId;
  station_id: StationId;
  rule_id: RuleId | null;
  relay_of: ProgramId | null;
  state: string;
  reason: string | null;
  priority: number;
  name: string;
  description: string;
  start_at: BroadcastMs;
  end_at: BroadcastMs;
  matched_at: BroadcastMs | null;
  margin_before: number | null;
  margin_after: number | null;
  encode: string | null;
  keep_ts: number | null;
  commercials: string | null;
  tuner_type: string | null;
  tuner_rank: number | null;
  blockers: string;
  alternatives: string;
  note: string | null;
  repeats: RecordingId | null;
  created_at: BroadcastMs;
  updated_at: BroadcastMs;
}

export interface ListedRow extends Row {
  service_name: string;
  type: string;
  channel: string;
  recording_id: RecordingId | null;
  verdict: string | null;
}

/** Columns of `reservations AS r`. */
export const COLUMNS = `r.id, r.program_id, r.station_id, r.rule_id, r.relay_of, r.state, r.reason, r.priority, r.name, r.description,
  r.start_at, r.end_at, r.matched_at, r.margin_before, r.margin_after, r.encode, r.keep_ts, r.commercials, r.tuner_type, r.tuner_rank,
  r.blockers, r.alternatives, r.note, r.repeats, r.created_at, r.updated_at`;

export function toReservation(row: Row): StoredReservation {
  return {
    id: reservationId(row.id),
    programId: row.program_id as ProgramId,
    stationId: row.station_id as StationId,
    ruleId: row.rule_id === null ? null : ruleId(row.rule_id),
    relayOf: row.relay_of,
    state: row.state as ReservationState,
    reason: readReservationReason(row.reason),
    priority: row.priority,
    name: readText(row.name),
    description: readText(row.description),
    startAt: row.start_at,
    endAt: row.end_at,
    matchedAt: row.matched_at,
    marginBefore: row.margin_before,
    marginAfter: row.margin_after,
    encode: row.encode as EncodeChoice | null,
    keepTs: row.keep_ts === null ? null : row.keep_ts === 1,
    commercials: row.commercials as CommercialHandling | null,
    tuner: tunerOf(row),
    blockers: readIds<ReservationId>(row.blockers),
    alternatives: readIds<ProgramId>(row.alternatives),
    note: readReservationNote(row.note),
    repeats: row.repeats,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function tunerOf({ tuner_type: type, tuner_rank: rank }: Row): PlannedTuner | null {
  return type === null || rank === null ? null : { type: type as BroadcastType, rank };
}

/** As parameters of a statement. */
export function choiceValues({ keepTs, ...choice }: RecordingChoice) {
  const { marginBefore, marginAfter, encode, commercials } = choice;
  return { marginBefore, marginAfter, encode, commercials, keepTs: keepTs === null ? null : Number(keepTs) };
}

export function toListed(row: ListedRow): ListedReservation {
  return {
    ...toReservation(row),
    serviceName: readText(row.service_name),
    type: row.type as BroadcastType,
    channel: row.channel,
    recordingId: row.recording_id,
    verdict: row.verdict as VerdictLevel | null,
  };
}

/** As parameters of a statement. */
export function plannedValues(to: PlannedRow) {
  const { programId, stationId, ruleId, relayOf, state, reason, priority } = to;
  const { name, description, startAt, endAt } = to;
  return {
    programId,
    stationId,
    ruleId,
    relayOf: relayOf ?? null,
    state,
    reason: storedReservationReason(reason),
    priority,
    name,
    description,
    startAt,
    endAt,
    tunerType: to.tuner?.type ?? null,
    tunerRank: to.tuner?.rank ?? null,
    alternatives: JSON.stringify(to.alternatives),
  };
}
