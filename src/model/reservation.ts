/** A reservation: one programme to be recorded, and its state. */
import type { BroadcastType, ProgramId, StationId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { defaultsOf, pick, type ValuesOf } from '../../lib/wire/fields.ts';
import type { ReservationId, RuleId } from '../../lib/wire/ids.ts';
import { RECORDING_OPTIONS } from '../../lib/wire/rule-fields.ts';
import type { ReservationState } from '../../lib/wire/vocabulary.ts';
import type { ReservationReason } from './reservation-reason.ts';
/** Priority of manual reservations; those of rules have their rule's. The larger wins. */
export const MANUAL_PRIORITY = 2;

/** The tuner of a reservation in the plan: its rank, and the type that it is used for. */
export interface PlannedTuner {
  type: BroadcastType;
  rank: number;
}

/** Recording options; null: the setting applies. */
export type RecordingChoice = ValuesOf<typeof RECORDING_OPTIONS>;

export const NO_CHOICE: Readonly<RecordingChoice> = defaultsOf(RECORDING_OPTIONS);

/** The options of a rule or reservation. */
export function choiceOf(one: Readonly<RecordingChoice>): RecordingChoice {
  return pick(RECORDING_OPTIONS, one);
}

/**
 * Keeps the last known data of its programme, because it outlives the guide's entry.
 *
 * `scheduled` has a tuner; `conflict` found none; `skipped` must not be recorded; `recording` was begun by the
 * recorder, which also ends it as `finished`; `missed` ended without having begun; `cancelled` by a user.
 */
export interface Reservation extends RecordingChoice {
  id: ReservationId;
  programId: ProgramId;
  stationId: StationId;
  /** null: manual. */
  ruleId: RuleId | null;
  /**
   * The reserved programme that is announced to continue with this one (event relay), or of which this is a part since
   * it was split, on the same station; absent: reserved for itself.
   */
  relayOf?: ProgramId | null;
  state: ReservationState;
  /** Why it is skipped, missed, in conflict or cancelled by the service. */
  reason: ReservationReason | null;
  priority: number;
  /** As broadcast. */
  name: string;
  description: string;
  /** Epoch ms, of the programme. */
  startAt: BroadcastMs;
  endAt: BroadcastMs;
  /** The programme's start when its rule first matched it, epoch ms; null: manual. */
  matchedAt: BroadcastMs | null;
  /** null = none. */
  tuner: PlannedTuner | null;
  /** Reservations that a conflict lost against. */
  blockers: readonly ReservationId[];
  /** Programmes that could be recorded instead of a conflict. */
  alternatives: readonly ProgramId[];
  createdAt: BroadcastMs;
  updatedAt: BroadcastMs;
}

/** A programme that a user cancelled and that no rule may reserve again. */
export interface Cancellation {
  id: number;
  /** null: it was reserved manually. */
  ruleId: RuleId | null;
  type: BroadcastType;
  /** Physical channel. */
  channel: string;
  /** In normal form, without marks (`titleText`). */
  title: string;
  startAt: BroadcastMs;
  cancelledAt: BroadcastMs;
}

/** A cancellation also applies to a programme that begins this much earlier or later. */
export const CANCELLATION_REACH_MS = 600_000;

/** A programme that begins this long after a completed reservation's end is another one: event ids are reused. */
export const EVENT_ID_REUSED_MS = 24 * 3_600_000;

/** Whether it is or will be recorded. */
export function isReserved(state: ReservationState): boolean {
  return state === 'scheduled' || state === 'recording';
}
