/** The columns of a reservation. */
import type { BroadcastType, ProgramId } from '../../lib/arib/ids.ts';
import { namesOf } from '../../lib/wire/fields.ts';
import type { RecordingId, ReservationId } from '../../lib/wire/ids.ts';
import { RECORDING_OPTIONS } from '../../lib/wire/rule-fields.ts';
import { CLOSED_RESERVATION_STATES, type VerdictLevel } from '../../lib/wire/vocabulary.ts';
import { EVENT_ID_REUSED_MS, type PlannedTuner, type Reservation } from '../model/reservation.ts';
import type { ReservationNote } from '../model/reservation-reason.ts';
import {
  readReservationNote,
  readReservationReason,
  storedReservationNote,
  storedReservationReason,
} from './reservation-json.ts';
import { readIds } from './stored-json.ts';
import { columnsOf, defineTable, joined, json, plain, type Row, selected, textColumn } from './table.ts';

/** Joins programmes `p` and their reservations `r`, without completed ones of earlier programmes with the event id. */
export const IS_OF_PROGRAM = `r.program_id = p.id AND (
  r.state NOT IN (${CLOSED_RESERVATION_STATES.map((state) => `'${state}'`).join(', ')})
  OR p.start_at <= r.end_at + ${EVENT_ID_REUSED_MS})`;

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

function tunerOf({ tuner_type: type, tuner_rank: rank }: Row): PlannedTuner | null {
  if (typeof type !== 'string' || typeof rank !== 'number') return null;
  return { type: type as BroadcastType, rank };
}

export const RESERVATIONS = defineTable<StoredReservation>({
  id: plain(),
  programId: plain(),
  stationId: plain(),
  ruleId: plain(),
  relayOf: plain(),
  state: plain(),
  reason: json(readReservationReason, storedReservationReason),
  priority: plain(),
  name: textColumn(),
  description: textColumn(),
  startAt: plain(),
  endAt: plain(),
  matchedAt: plain(),
  ...columnsOf(RECORDING_OPTIONS),
  tuner: joined(['tuner_type', 'tuner_rank'], tunerOf, (tuner) => [tuner?.type ?? null, tuner?.rank ?? null]),
  blockers: json(readIds<ReservationId>),
  alternatives: json(readIds<ProgramId>),
  note: json(readReservationNote, storedReservationNote),
  repeats: plain(),
  createdAt: plain(),
  updatedAt: plain(),
});

export const OPTIONS = RESERVATIONS.pick(namesOf(RECORDING_OPTIONS));

/** The last recording of it that is not in the bin. */
const LAST_RECORDING = `FROM recordings AS c
  WHERE c.program_id = r.program_id AND c.reservation_id = r.id AND c.deleted_at IS NULL AND c.binned_at IS NULL
  ORDER BY c.id DESC LIMIT 1`;

/** Of `reservations AS r` and `stations AS s`. */
export const LISTED = RESERVATIONS.with<ListedReservation>({
  serviceName: selected('s.name', textColumn()),
  type: selected('s.type', plain()),
  channel: selected('s.channel', plain()),
  recordingId: selected(`(SELECT c.id ${LAST_RECORDING})`, plain()),
  verdict: selected(
    `(SELECT CASE WHEN c.state = 'failed' THEN 'lost'
        WHEN json_valid(c.verdict) THEN json_extract(c.verdict, '$.level') END ${LAST_RECORDING})`,
    plain(),
  ),
});

/** What a plan decides, besides the blockers. */
export const PLANNED = RESERVATIONS.pick([
  ...([
    'programId',
    'stationId',
    'ruleId',
    'relayOf',
    'state',
    'reason',
    'priority',
    'name',
    'description',
  ] as const),
  ...(['startAt', 'endAt', 'tuner', 'alternatives'] as const),
]);

/** Blockers are programmes: a reservation made by the same plan has no id yet. */
export interface PlannedRow extends ReturnType<typeof PLANNED.read> {
  blockers: readonly ProgramId[];
}
