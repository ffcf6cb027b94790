/** Invariants of every plan, for any input. */
import type { ProgramId } from '../../lib/arib/ids.ts';
import type { ReservationId } from '../../lib/wire/ids.ts';
import type { Reservation } from '../../src/model/reservation.ts';
import type { Plan, PlannedOpening } from '../../src/schedule/plan/plan-types.ts';
import { type Home, MINUTE } from './plan-home.ts';

/** @param byHand reservations by hand that were not cancelled @returns the violated invariants */
export function planFaults(home: Home, { openings }: Plan, byHand: ReadonlySet<ReservationId>): string[] {
  const faults: string[] = [];
  const ids = new Set(home.reservations.map(({ id }) => id));
  const lost = [...byHand].filter((id) => !ids.has(id));
  if (lost.length > 0) faults.push(`reservations ${lost} made by hand are gone`);
  for (const { id, state, reason, name } of home.reservations) {
    if (byHand.has(id) && state === 'cancelled') faults.push(`${name} was cancelled although no user did`);
    const needsReason = ['conflict', 'skipped', 'missed'].includes(state);
    if (needsReason !== (reason !== null)) faults.push(`${name} is ${state} because of ${reason?.code}`);
  }
  const at = new Map(openings.map((one) => [one.programId, one]));
  for (const opening of openings) {
    const reservation = home.of(opening.programId);
    if (reservation?.state === 'scheduled') faults.push(...marginFaults(home, reservation, opening, at));
  }
  return faults;
}

/** A margin is shortened only for a neighbour that needs the tuner at that time. */
function marginFaults(
  home: Home,
  own: Reservation,
  opening: PlannedOpening,
  at: ReadonlyMap<ProgramId, PlannedOpening>,
): string[] {
  const { marginBefore, marginAfter } = home.settings;
  const wide = ({ startAt, endAt, ...one }: Reservation) => ({
    from: startAt - (one.marginBefore ?? marginBefore),
    to: Math.max(endAt, at.get(one.programId)?.holdUntil ?? 0) + (one.marginAfter ?? marginAfter),
  });
  const wished = Math.max(wide(own).from, home.now);
  if (opening.openAt > Math.max(own.startAt, home.now)) return [`${own.name} begins late`];
  if (opening.openAt <= wished) return [];
  const isNear = home.reservations.some(
    (other) =>
      other.id !== own.id &&
      at.has(other.programId) &&
      wide(other).from < own.startAt + MINUTE &&
      Math.max(wide(other).to, home.now + MINUTE) > wished - (marginBefore + marginAfter),
  );
  return isNear ? [] : [`the margin of ${own.name} is shortened without a neighbour`];
}
