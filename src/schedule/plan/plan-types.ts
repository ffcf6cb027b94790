/** Input and output of the plan. */
import type { BroadcastType, ProgramId, StationId } from '../../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../../lib/arib/time.ts';
import type { ReservationId, RuleId } from '../../../lib/wire/ids.ts';
import type { ReservationState } from '../../../lib/wire/vocabulary.ts';
import type { Airings, AirState } from '../../model/airing.ts';
import type { Cancellation, PlannedTuner, Reservation } from '../../model/reservation.ts';
import type { PassedOverReason, ReservationReason } from '../../model/reservation-reason.ts';
import type { Rule } from '../../model/rule.ts';
import type { StationRecord } from '../../model/station.ts';
import type { EpisodeText } from '../dedupe/episode.ts';
import type { IndexedProgram } from '../match/program-rows.ts';
import type { Facts } from './airings.ts';
import type { RetuneCost } from './openings.ts';
import type { PlanGuide } from './plan-guide.ts';
import type { PlanTuner } from './tuner-allocation.ts';

export interface TunerOfPlan extends PlanTuner {
  /** Running recordings on it. */
  readonly recording: readonly ReservationId[];
  /**
   * The types that it could receive, if it is currently unusable. `types` then only has those that no other tuner
   * receives.
   */
  readonly broken?: readonly BroadcastType[];
}

/**
 * A recording that blocks its episode from being recorded again: those of the last 30 days and running ones, except
 * failed ones and those whose damage allows the next airing to be booked.
 */
export interface RecordedEpisode extends EpisodeText {
  /** null: imported. */
  readonly programId: ProgramId | null;
  readonly startAt: BroadcastMs;
}

/** All in ms. */
export interface PlanSettings {
  readonly marginBefore: number;
  /** Time from requesting a tuner to the first packet: it is requested this long before the margin begins. */
  readonly tuning: number;
  readonly marginAfter: number;
  /** Which of two adjacent programmes on one tuner loses the retuning time. */
  readonly retuneCost: RetuneCost;
  /** A reservation that begins this soon is kept even if its rule no longer matches. */
  readonly retractGrace: number;
}

export interface PlanInput {
  readonly now: BroadcastMs;
  readonly guide: PlanGuide;
  readonly facts: Facts;
  /** Matches of each enabled rule. */
  readonly matches: ReadonlyMap<RuleId, readonly IndexedProgram[]>;
  readonly rules: readonly Rule[];
  readonly reservations: readonly Reservation[];
  readonly recorded: readonly RecordedEpisode[];
  readonly cancellations: readonly Cancellation[];
  readonly stations: ReadonlyMap<StationId, StationRecord>;
  /** In rank order, without disabled ones; null: unknown, and every reservation keeps its state. */
  readonly tuners: readonly TunerOfPlan[] | null;
  readonly settings: PlanSettings;
  /** Reservations whose recordings have ended and only lack their verdict: they need no tuner any more. */
  readonly judged?: readonly ReservationId[];
  /** Since when the recorder runs: earlier programmes were missed because it did not run. */
  readonly runningSince?: BroadcastMs;
  /** False: the time is unconfirmed, and nothing counts as over. */
  readonly isTimeSure?: boolean;
  /** Programmes by present/following of the stations being received (`AirWatch`). */
  readonly airings: Airings;
}

/** A planned reservation: all fields that the plan decides. */
export interface PlannedReservation {
  readonly programId: ProgramId;
  readonly stationId: StationId;
  readonly ruleId: RuleId | null;
  readonly relayOf: ProgramId | null;
  readonly state: ReservationState;
  readonly reason: ReservationReason | null;
  readonly priority: number;
  readonly name: string;
  readonly description: string;
  /** Epoch ms, of the programme. */
  readonly startAt: BroadcastMs;
  readonly endAt: BroadcastMs;
  readonly tuner: PlannedTuner | null;
  /**
   * Programmes whose reservations were preferred; as ids, because reservations created by the same plan have no
   * number yet.
   */
  readonly blockers: readonly ProgramId[];
  readonly alternatives: readonly ProgramId[];
}

/** How a recording gets its tuner. */
export interface PlannedOpening {
  readonly programId: ProgramId;
  readonly openAt: BroadcastMs;
  readonly closeAt: BroadcastMs;
  /**
   * It is on the air, or about to begin, and its end is unknown: it continues beyond `closeAt` until a later plan
   * gives an end or null, but not beyond this time. Epoch ms; null: it ends at `closeAt`.
   */
  readonly holdUntil: BroadcastMs | null;
  /**
   * Its programme was interrupted: its station is received until then after its end, in case the programme is listed
   * again. Epoch ms; null: not interrupted.
   */
  readonly listenUntil: BroadcastMs | null;
  /**
   * Since when another programme replaces it, long before its end. Epoch ms; null: none does, or its station is not
   * received.
   */
  readonly brokenAt: BroadcastMs | null;
  /** Epoch ms, of the programme: its actual start and end as far as they are known, for the verdict. */
  readonly startAt: BroadcastMs;
  readonly endAt: BroadcastMs;
  /** State reported by its station; null or absent: its station is not received. */
  readonly airState?: AirState | null;
  /** Programmes whose recordings it follows on their tuner (`after=rec <id>`). */
  readonly after: readonly ProgramId[];
  /** Expected loss by retuning. */
  readonly cuts: readonly PlannedCut[];
}

export interface PlannedCut {
  readonly part: 'head' | 'tail';
  readonly ms: number;
  /** The adjacent programme on its tuner. */
  readonly neighbour: ProgramId;
}

export interface Plan {
  /** To be created in this order, with ascending numbers. */
  readonly create: readonly PlannedReservation[];
  /** Reservations with any difference. */
  readonly update: readonly { readonly id: ReservationId; readonly to: PlannedReservation }[];
  /** To be deleted: no rule matches them any more. */
  readonly remove: readonly ReservationId[];
  /** All scheduled and running recordings, in the order of their requests to the agent. */
  readonly openings: readonly PlannedOpening[];
  /** Why a programme that a rule matches is not booked. */
  readonly passedOver: ReadonlyMap<ProgramId, PassedOverReason>;
}
