/** A reservation by hand with default values for everything that a test does not specify. */
import { broadcastMs } from '../lib/arib/time.ts';
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
    commercials: null,
    tuner: null,
    blockers: [],
    alternatives: [],
    createdAt: broadcastMs(0),
    updatedAt: broadcastMs(0),
    ...given,
  };
}
