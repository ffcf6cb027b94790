/** The difference between current and planned reservations, and the result of applying it. Pure. */
import type { ProgramId } from '../../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../../lib/arib/time.ts';
import { type ReservationId, reservationId } from '../../../lib/wire/ids.ts';
import type { RecordingChoice, Reservation } from '../../model/reservation.ts';
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

/**
 * The reservations with a plan applied, new ones numbered from `nextId` on.
 * @param choiceOf the options that a new reservation takes from its rule
 * @param now epoch ms
 */
export function applied(
  reservations: readonly Reservation[],
  { create, update, remove }: Pick<Plan, 'create' | 'update' | 'remove'>,
  nextId: ReservationId,
  choiceOf: (planned: PlannedReservation) => RecordingChoice,
  now: BroadcastMs,
): Reservation[] {
  const removed = new Set(remove);
  const changes = new Map(update.map(({ id, to }) => [id, to]));
  const left = reservations.filter(({ id }) => !removed.has(id));
  const next = [
    ...left.map((reservation) => ({ reservation, to: changes.get(reservation.id) })),
    ...create.map((to, index) => ({
      reservation: { id: reservationId(nextId + index), ...choiceOf(to), createdAt: now },
      to,
    })),
  ];
  const numbers = new Map<ProgramId, ReservationId>();
  for (const { reservation, to } of next) {
    const programId = to?.programId ?? ('programId' in reservation ? reservation.programId : undefined);
    if (programId !== undefined) numbers.set(programId, reservation.id);
  }
  return next.map(({ reservation, to }) => {
    if (to === undefined) return reservation as Reservation;
    const blockers = to.blockers.flatMap((programId) => numbers.get(programId) ?? []);
    const before =
      'matchedAt' in reservation && reservation.ruleId === to.ruleId ? reservation.matchedAt : null;
    const matchedAt = to.ruleId === null ? null : (before ?? to.startAt);
    return { ...reservation, ...to, matchedAt, blockers, updatedAt: now };
  });
}
