/** Input and output of the plan. */
import type { BroadcastType, ProgramId, StationId } from '../../../arib/ids.ts';
import type { BroadcastMs } from '../../../arib/time.ts';
import type { Airings, Heard } from '../../model/airing.ts';
import type {
  Cancellation,
  PlannedTuner,
  Reservation,
  ReservationId,
  ReservationState,
} from '../../model/reservation.ts';
import type { PassedOverReason, ReservationReason } from '../../model/reservation-reason.ts';
import type { Rule, RuleId } from '../../model/rule.ts';
import type { StationRecord } from '../../model/station.ts';
import type { EpisodeText } from '../dedupe/episode.ts';
import type { GuideProgram } from '../match/guide-index.ts';
import type { RetuneCost } from './openings.ts';
import type { PlanGuide } from './plan-guide.ts';
import type { Facts } from './program-facts.ts';
import type { PlanTuner } from './tuner-allocation.ts';

export interface TunerOfPlan extends PlanTuner {
  /** Reservations that are being recorded on it. */
  readonly recording: readonly ReservationId[];
  /** It is unusable now; the types that it could receive. `types` has those that no other tuner receives. */
  readonly broken?: readonly BroadcastType[];
}

/**
 * A recording that blocks its episode from being recorded again: those of the last 30 days and running ones, except
 * failed ones and those whose damage allows the next airing to be booked.
 */
export interface RecordedEpisode extends EpisodeText {
  /** null: imported. */
  readonly programId: ProgramId | null;
  /** Epoch ms. */
  readonly startAt: BroadcastMs;
}

/** All in ms. */
export interface PlanSettings {
  readonly marginBefore: number;
  /** From asking for a tuner to the first packet: it is asked for so much before the margin begins. */
  readonly tuning: number;
  readonly marginAfter: number;
  /** Which of two programmes that meet on one tuner the time of retuning is taken from. */
  readonly retuneCost: RetuneCost;
  /** A reservation that begins this soon is kept though its rule no longer matches. */
  readonly retractGrace: number;
}

export interface PlanInput {
  readonly now: BroadcastMs;
  readonly guide: PlanGuide;
  readonly facts: Facts;
  /** What each rule matches, of rules that are enabled. */
  readonly matches: ReadonlyMap<RuleId, readonly GuideProgram[]>;
  readonly rules: readonly Rule[];
  readonly reservations: readonly Reservation[];
  readonly recorded: readonly RecordedEpisode[];
  readonly cancellations: readonly Cancellation[];
  readonly stations: ReadonlyMap<StationId, StationRecord>;
  /** In rank order, without disabled ones; null: unknown, and every reservation keeps its state. */
  readonly tuners: readonly TunerOfPlan[] | null;
  readonly settings: PlanSettings;
  /** Reservations whose recordings have ended and are only judged: they need no tuner any more. */
  readonly judged?: readonly ReservationId[];
  /** Since when the recorder runs: earlier programmes were missed for lack of it. */
  readonly runningSince?: BroadcastMs;
  /** False: the time is unconfirmed: nothing counts as over. */
  readonly isTimeSure?: boolean;
  /** Programmes by present/following of the stations being received (`AirWatch`). */
  readonly airings: Airings;
}

/** A reservation as the plan has it: everything that the plan decides of it. */
export interface PlannedReservation {
  readonly programId: ProgramId;
  readonly stationId: StationId;
  readonly ruleId: RuleId | null;
  readonly state: ReservationState;
  readonly reason: ReservationReason | null;
  readonly priority: number;
  readonly name: string;
  readonly description: string;
  /** Epoch ms, of the programme. */
  readonly startAt: BroadcastMs;
  readonly endAt: BroadcastMs;
  readonly tuner: PlannedTuner | null;
  /** Programmes whose reservations it lost against: those made by the same plan have no id yet. */
  readonly blockers: readonly ProgramId[];
  readonly alternatives: readonly ProgramId[];
}

/** How a recording gets its tuner. */
export interface PlannedOpening {
  readonly programId: ProgramId;
  /** Epoch ms. */
  readonly openAt: BroadcastMs;
  readonly closeAt: BroadcastMs;
  /**
   * It is on the air, or about to begin, and its end is unknown: it continues beyond `closeAt`, until another plan
   * says null or an end, and no longer than this. Epoch ms; null: it ends at `closeAt`.
   */
  readonly holdUntil: BroadcastMs | null;
  /**
   * Its programme was broken off: so long its station is listened to after its end, in case that it is named again.
   * Epoch ms; null: it is not.
   */
  readonly listenUntil: BroadcastMs | null;
  /**
   * Since when another programme is on in its place, long before its end. Epoch ms; null: none is, or its station is
   * not received.
   */
  readonly brokenAt: BroadcastMs | null;
  /** Epoch ms, of the programme: its real start and end as far as they are known, by which the recording is judged. */
  readonly startAt: BroadcastMs;
  readonly endAt: BroadcastMs;
  /** What its station says of it; null or absent: its station is not received. */
  readonly heard?: Heard | null;
  /** Programmes whose recordings it follows on their tuner (`after=rec <id>`). */
  readonly after: readonly ProgramId[];
  /** What retuning is expected to take of it. */
  readonly cuts: readonly PlannedCut[];
}

export interface PlannedCut {
  readonly part: 'head' | 'tail';
  readonly ms: number;
  /** What it meets on its tuner. */
  readonly neighbour: ProgramId;
}

export interface Plan {
  /** To be made, in this order: numbers ascend with it. */
  readonly create: readonly PlannedReservation[];
  /** Those of which anything differs. */
  readonly update: readonly { readonly id: ReservationId; readonly to: PlannedReservation }[];
  /** To be deleted: no rule wants them any more. */
  readonly remove: readonly ReservationId[];
  /** Of everything that is scheduled or being recorded, in the order in which the agent is to be asked. */
  readonly openings: readonly PlannedOpening[];
  /** Why a programme that a rule matches is not booked. */
  readonly passedOver: ReadonlyMap<ProgramId, PassedOverReason>;
}
