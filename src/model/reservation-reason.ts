/**
 * Why a reservation is in its state, and automatic changes of it, as codes with their parameters. Sentences are
 * created where they are shown (`booking/reservation-reason-text.ts`).
 */
import type { BroadcastType } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';

/** Why it is in conflict, skipped, missed or cancelled by the service. */
export type ReservationReason =
  /** No tuner receives its type. */
  | { readonly code: 'not_received'; readonly type: BroadcastType }
  | {
      readonly code: 'tuners_in_use';
      /** The first programmes that occupy the tuners, as broadcast. */
      readonly names: readonly string[];
      /** Whether there are more of them. */
      readonly hasMore: boolean;
      /** Tuners of its type that cannot be used because of an error. */
      readonly broken: number;
    }
  | { readonly code: 'copy_never' }
  | { readonly code: 'station_gone' }
  /** It ended as a conflict of code `not_received`. */
  | { readonly code: 'missed_not_received'; readonly type: BroadcastType }
  /**
   * It ended as a conflict of code `tuners_in_use`. `names`, `hasMore`: programmes that occupied the tuners; absent
   * in an earlier version.
   */
  | { readonly code: 'missed_tuners_in_use'; readonly names: readonly string[]; readonly hasMore: boolean }
  | { readonly code: 'missed_service_stopped' }
  | { readonly code: 'missed_not_begun' }
  /** A sentence stored by a version before 2. */
  | { readonly code: 'text'; readonly text: string };

/** Why a programme that a rule matches is not booked. Never stored. */
export type PassedOverReason =
  | { readonly code: 'cancelled_before' }
  | { readonly code: 'on_other_service' }
  | { readonly code: 'recorded_before' }
  /** `startAt` (epoch ms): the airing of the same episode that is booked. */
  | { readonly code: 'other_airing'; readonly startAt: BroadcastMs }
  /** The rule matches more than `limit` programmes; this one is reserved later. */
  | { readonly code: 'beyond_limit'; readonly limit: number };

/** An automatic change of a reservation by the service. */
export type ReservationNote =
  /** A rule reserved it to replace a damaged recording of the same episode. */
  | { readonly code: 'repeat_of_rule' }
  /** Reserved to replace a damaged recording of a manual reservation. `name`: as broadcast. */
  | { readonly code: 'repeat_by_hand'; readonly name: string }
  /** The booked programme was split; this is another part of it. `name`: as broadcast. */
  | { readonly code: 'part_by_hand'; readonly name: string }
  /** A sentence stored by a version before 2. */
  | { readonly code: 'text'; readonly text: string };

export function isSameReason(a: ReservationReason | null, b: ReservationReason | null): boolean {
  if (a === null || b === null || a.code !== b.code) return a === b;
  if ('names' in a && 'names' in b) {
    const isNamedAlike =
      a.names.length === b.names.length && a.names.every((name, at) => name === b.names[at]);
    const isBrokenAlike = !('broken' in a && 'broken' in b) || a.broken === b.broken;
    return isNamedAlike && a.hasMore === b.hasMore && isBrokenAlike;
  }
  if ('type' in a && 'type' in b) return a.type === b.type;
  if (a.code === 'text' && b.code === 'text') return a.text === b.text;
  return true;
}
