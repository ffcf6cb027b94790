/** A reservation by hand of which nothing more is said than what a test cares for. */
import type { Reservation } from '../src/model/reservation.ts';

type Given = Pick<Reservation, 'id' | 'programId' | 'stationId' | 'name' | 'startAt' | 'endAt'>;

export function reservationOf(given: Given & Partial<Reservation>): Reservation {
  return {
    ruleId: null,
    matchedAt: null,
    state: 'scheduled',
    reason: null,
    priority: 2,
    description: '',
    marginBefore: null,
    marginAfter: null,
    encode: null,
    keepTs: null,
    tuner: null,
    blockers: [],
    alternatives: [],
    createdAt: 0,
    updatedAt: 0,
    ...given,
  };
}
