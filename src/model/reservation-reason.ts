/**
 * Why a reservation stands where it stands, and what happened to it by itself, as codes with their parameters.
 * Sentences are made where they are shown (`booking/reservation-reason-text.ts`).
 */

import type { BroadcastType } from '../../arib/ids.ts';
import type { BroadcastMs } from '../../arib/time.ts';

/** Why it is in conflict, skipped, missed or cancelled by the service. */
export type ReservationReason =
  /** No tuner receives its type. */
  | { readonly code: 'not_received'; readonly type: BroadcastType }
  | {
      readonly code: 'tuners_in_use';
      /** The first programmes that have the tuners, as broadcast. */
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
  /** It ended as a conflict of code `tuners_in_use`. `names`, `hasMore`: what had the tuners; a version before left them out. */
  | { readonly code: 'missed_tuners_in_use'; readonly names: readonly string[]; readonly hasMore: boolean }
  | { readonly code: 'missed_service_stopped' }
  | { readonly code: 'missed_not_begun' }
  /** A sentence that a version before 2 stored. */
  | { readonly code: 'text'; readonly text: string };

/** Why a programme that a rule matches is not booked. Never stored. */
export type PassedOverReason =
  | { readonly code: 'cancelled_before' }
  | { readonly code: 'on_other_service' }
  | { readonly code: 'recorded_before' }
  /** `startAt` (epoch ms): the airing of the same episode that is booked. */
  | { readonly code: 'other_airing'; readonly startAt: BroadcastMs }
  /** The rule matches more than `limit` programmes; this one is booked when it is nearer. */
  | { readonly code: 'beyond_limit'; readonly limit: number };

/** What the service did with a reservation without being asked. */
export type ReservationNote =
  /** A rule booked it in place of a damaged recording of the same episode. */
  | { readonly code: 'repeat_of_rule' }
  /** Booked in place of a damaged recording that was booked by hand. `name`: as broadcast. */
  | { readonly code: 'repeat_by_hand'; readonly name: string }
  /** A sentence that a version before 2 stored. */
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
