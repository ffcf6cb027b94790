import type { ProgramId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { type ReservationId, reservationId } from '../../lib/wire/ids.ts';
import type { RecordingChoice, Reservation } from '../../src/model/reservation.ts';
import type { Plan, PlannedReservation } from '../../src/schedule/plan/plan-types.ts';

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
