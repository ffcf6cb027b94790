/** The difference between current and planned reservations. Pure. */
import type { ProgramId } from '../../../lib/arib/ids.ts';
import type { ReservationId } from '../../../lib/wire/ids.ts';
import type { Reservation } from '../../model/reservation.ts';
import { isSameReason } from '../../model/reservation-reason.ts';
import type { Claims } from './claims.ts';
import type { Plan, PlanInput, PlannedReservation } from './plan-types.ts';

function sameList<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((one, index) => one === b[index]);
}

type Comparable = Omit<PlannedReservation, 'relayOf' | 'reason' | 'tuner' | 'blockers' | 'alternatives'>;
const FIELDS: readonly (keyof Comparable)[] = [
  'programId',
  'stationId',
  'ruleId',
  'state',
  'priority',
  'name',
  'description',
  'startAt',
  'endAt',
];

function isSame(
  reservation: Reservation,
  planned: PlannedReservation,
  programOf: ReadonlyMap<ReservationId, ProgramId>,
): boolean {
  const blockers = reservation.blockers.flatMap((id) => programOf.get(id) ?? []);
  return (
    FIELDS.every((field) => reservation[field] === planned[field]) &&
    (reservation.relayOf ?? null) === planned.relayOf &&
    isSameReason(reservation.reason, planned.reason) &&
    reservation.tuner?.rank === planned.tuner?.rank &&
    reservation.tuner?.type === planned.tuner?.type &&
    blockers.length === reservation.blockers.length &&
    sameList(blockers, planned.blockers) &&
    sameList(reservation.alternatives, planned.alternatives)
  );
}

export function difference(
  input: PlanInput,
  claims: Claims,
  planned: readonly PlannedReservation[],
): Pick<Plan, 'create' | 'update' | 'remove'> {
  const programOf = new Map(claims.reservations.map((one) => [one.id, one.programId]));
  const wanted = new Map(planned.map((one) => [one.programId, one]));
  const current = new Set(claims.reservations.map(({ id }) => id));
  const before = new Map(input.reservations.map((one) => [one.id, one]));
  const update: { id: ReservationId; to: PlannedReservation }[] = [];
  // A completed one is replaced by another programme with its event id.
  const remove = input.reservations.flatMap(({ id, programId }) =>
    claims.replaced.has(id) || (!current.has(id) && wanted.has(programId)) ? [id] : [],
  );
  for (const { id, programId } of claims.reservations) {
    if (claims.closed.has(programId)) continue;
    const reservation = before.get(id);
    const to = wanted.get(programId);
    wanted.delete(programId);
    if (to !== undefined && reservation !== undefined) {
      // Without known tuners their allocation is unknown.
      const placed = input.tuners === null ? { ...to, tuner: reservation.tuner } : to;
      if (!isSame(reservation, placed, programOf)) update.push({ id, to: placed });
    } else if (claims.byProgram.has(programId)) remove.push(id);
  }
  return { create: [...wanted.values()], update, remove };
}
