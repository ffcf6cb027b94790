/**
 * The reservations that several screens show: read while one of them is there, again on every event, and kept
 * between, so that a screen that is come back to begins with what was known.
 */
import { computed } from '@preact/signals';
import type { ProgramId } from '../../arib/ids.ts';
import type { ReservationItem } from '../../wire/api.ts';
import type { ReservationId } from '../../wire/ids.ts';
import { type ApiFailure, getReservations, renewReservations } from './api.ts';
import type { Query } from './cache.ts';
import { callQuery, entryOf, useQuery } from './use-query.ts';

interface Bookings {
  /** With those of two weeks that are done with; undefined until read. */
  readonly items: readonly ReservationItem[] | undefined;
  readonly failure: ApiFailure | undefined;
}

export const bookings = computed<Bookings>(() => {
  const { value, failure } = entryOf(BOOKINGS).answer.value;
  return { items: value, failure };
});

const byId = computed(() => new Map(bookings.value.items?.map((item) => [item.id, item])));
/** Of a programme the latest counts: an earlier one may have been withdrawn. */
const byProgram = computed(() => {
  const found = new Map<ProgramId, ReservationItem>();
  for (const item of bookings.value.items ?? []) {
    const known = found.get(item.programId);
    if (known === undefined || known.id < item.id) found.set(item.programId, item);
  }
  return found;
});

export function reservationById(id: ReservationId): ReservationItem | undefined {
  return byId.value.get(id);
}

export function reservationOf(programId: ProgramId | undefined): ReservationItem | undefined {
  return programId === undefined ? undefined : byProgram.value.get(programId);
}

/** The two lists that the service keeps, as they were last read: what is to come, and what is done with. */
interface Part {
  readonly done: boolean;
  etag: string | null;
  items: readonly ReservationItem[];
}
const parts: readonly Part[] = [
  { done: false, etag: null, items: [] },
  { done: true, etag: null, items: [] },
];

/** True when it is not as it was. */
async function readPart(part: Part, signal: AbortSignal): Promise<boolean> {
  const answer = await renewReservations(part.done, part.etag, signal);
  if (answer === 'unchanged') return false;
  part.etag = answer.etag;
  part.items = answer.content;
  return true;
}

const BOOKINGS: Query<readonly ReservationItem[]> = {
  key: 'reservations',
  events: ['reservations', 'recordings'],
  /** One that moves from one list to the other between the reads must not be missed: what is done is read last. */
  async read(signal) {
    let changed = bookings.peek().items === undefined;
    for (const part of parts) changed = (await readPart(part, signal)) || changed;
    if (!changed) return 'unchanged';
    const items = new Map(parts.flatMap((part) => part.items).map((item) => [item.id, item]));
    return { content: [...items.values()], etag: null };
  },
};

/** Reads; resolves when what is here is newer than the call. */
export function readBookings(): Promise<void> {
  return entryOf(BOOKINGS).renew();
}

/** Keeps the list fresh while the component is there. */
export function useBookings(): Bookings {
  useQuery(BOOKINGS);
  return bookings.value;
}

/** So many of the next reservations the home screen reads: a house may have hundreds booked. */
export const MOST_NEXT = 100;
const RECENT_MS = 3 * 86_400_000;
/** Time passes without an event: what has ended leaves the list. */
const HOME_POLL_MS = 15 * 60_000;

/** Running and next, the first `MOST_NEXT` by start. */
export const NEXT_BOOKINGS: Query<readonly ReservationItem[]> = callQuery(
  'next reservations',
  ['reservations', 'recordings'],
  (signal) => getReservations(false, signal, { from: Date.now(), limit: MOST_NEXT }),
  HOME_POLL_MS,
);
/** What ended in the last three days, the last first. */
export const RECENT_BOOKINGS: Query<readonly ReservationItem[]> = callQuery(
  'recent reservations',
  ['reservations', 'recordings'],
  (signal) => getReservations(true, signal, { from: Date.now() - RECENT_MS, limit: MOST_NEXT }),
  HOME_POLL_MS,
);
