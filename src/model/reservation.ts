/** A reservation: one programme that is to be recorded, and where it stands. */

import type { BroadcastType, ProgramId, StationId } from '../../arib/ids.ts';
import type { BroadcastMs } from '../../arib/time.ts';
import type { ReservationState } from '../../wire/guide.ts';
import type { CommercialHandling } from './encoding.ts';
import type { ReservationReason } from './reservation-reason.ts';
import type { EncodeChoice, RuleId } from './rule.ts';

export type { ReservationId } from './ids.ts';

import type { ReservationId } from './ids.ts';

export type { ReservationState };

/** Of reservations by hand; those of rules have their rule's. The larger wins. */
export const MANUAL_PRIORITY = 2;

/** Where the plan puts a reservation: a tuner of this rank, used for this type. */
export interface PlannedTuner {
  type: BroadcastType;
  rank: number;
}

/**
 * Says of its programme what it said when it was last seen: the guide forgets, reservations outlive it.
 *
 * `scheduled` has a tuner; `conflict` found none; `skipped` must not be recorded; `recording` was begun by the
 * recorder, which also ends it as `finished`; `missed` ended without having been begun; `cancelled` by a person.
 */
export interface Reservation {
  id: ReservationId;
  programId: ProgramId;
  stationId: StationId;
  /** null: by hand. */
  ruleId: RuleId | null;
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
  /** When the programme was to begin as its rule matched it first, epoch ms; null: by hand. */
  matchedAt: BroadcastMs | null;
  /** ms; null = the setting, as for the next four. */
  marginBefore: number | null;
  marginAfter: number | null;
  encode: EncodeChoice | null;
  keepTs: boolean | null;
  commercials: CommercialHandling | null;
  /** null = nowhere. */
  tuner: PlannedTuner | null;
  /** Reservations that a conflict lost against. */
  blockers: readonly ReservationId[];
  /** Programmes that a conflict could take instead. */
  alternatives: readonly ProgramId[];
  /** Epoch ms. */
  createdAt: BroadcastMs;
  updatedAt: BroadcastMs;
}

/** What a person cancelled and no rule may book again. */
export interface Cancellation {
  id: number;
  /** null: it was booked by hand. */
  ruleId: RuleId | null;
  type: BroadcastType;
  /** Physical channel. */
  channel: string;
  /** In normal form, without marks (`titleText`). */
  title: string;
  /** Epoch ms. */
  startAt: BroadcastMs;
  cancelledAt: BroadcastMs;
}

/** A cancellation also holds for a programme that begins so much earlier or later. */
export const CANCELLATION_REACH_MS = 600_000;

/** Whether it will be recorded, or is. */
export function isReserved(state: ReservationState): boolean {
  return state === 'scheduled' || state === 'recording';
}
