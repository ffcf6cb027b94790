/** Messages between main thread and planning worker. */
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { RecordingId, ReservationId, RuleId } from '../../lib/wire/ids.ts';
import type { Airings } from '../model/airing.ts';
import type { PassedOverReason, ReservationReason } from '../model/reservation-reason.ts';
import type { RuleDraft } from '../model/rule.ts';
import type { RuleFault } from '../model/rule-fault.ts';
import type {
  PlannedOpening,
  PlannedReservation,
  PlanSettings,
  TunerOfPlan,
} from '../schedule/plan/plan-types.ts';

/** Inputs that are not in the database. */
export interface PlanOrder {
  readonly now: BroadcastMs;
  readonly tuners: readonly TunerOfPlan[] | null;
  /** Reservations whose recordings have ended and only lack their verdict. */
  readonly judged?: readonly ReservationId[];
  /** False: no broadcast has confirmed the time since the machine was started. */
  readonly isTimeSure?: boolean;
  /** Since when the service runs. */
  readonly runningSince?: BroadcastMs;
  readonly settings: PlanSettings;
  readonly airings: Airings;
}

/** The next airing after a damaged recording of a manually booked programme. */
export interface Repeat {
  readonly recordingId: RecordingId;
  readonly program: {
    readonly id: ProgramId;
    readonly stationId: StationId;
    readonly name: string;
    readonly description: string;
    readonly startAt: BroadcastMs;
    readonly endAt: BroadcastMs;
  };
}

export interface Planned {
  /** Version of its inputs (`ReservationStore.stamp`). */
  readonly stamp: string;
  /** `repeats`: the damaged recording whose episode it is. */
  readonly create: readonly (PlannedReservation & { readonly repeats: RecordingId | null })[];
  readonly update: readonly { readonly id: ReservationId; readonly to: PlannedReservation }[];
  readonly remove: readonly ReservationId[];
  readonly openings: readonly PlannedOpening[];
  /** Rules that cannot be used, with the reason, Japanese. */
  readonly faults: readonly (readonly [RuleId, RuleFault])[];
  readonly repeats: readonly Repeat[];
  /** Rules that match more than is booked at once, with the number of programmes that are booked later. */
  readonly crowded: readonly (readonly [RuleId, number])[];
}

export interface PreviewOrder extends PlanOrder {
  readonly draft: RuleDraft;
  /** The rule under edit; null: a new one. */
  readonly replaces: RuleId | null;
  /** Limit of listed programmes. */
  readonly limit: number;
}

export interface PreviewRow {
  readonly id: ProgramId;
  readonly stationId: StationId;
  readonly name: string;
  readonly startAt: BroadcastMs;
  readonly endAt: BroadcastMs;
  readonly state: PlannedReservation['state'] | null;
  readonly reason: ReservationReason | PassedOverReason | null;
  readonly reservationId: ReservationId | null;
}

export interface Previewed {
  readonly total: number;
  /** Sorted by start. */
  readonly programs: readonly PreviewRow[];
  /** Why the rule cannot be used. */
  readonly fault: RuleFault | null;
}

export interface PlanningContract {
  requests: {
    plan: { ask: PlanOrder; answer: Planned };
    preview: { ask: PreviewOrder; answer: Previewed };
  };
  /** The first message. */
  orders: { readonly kind: 'open'; readonly path: string };
  events: never;
}
