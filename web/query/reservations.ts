/**
 * The reservations that several screens share: read while one of them is shown, again on every event, and cached
 * between, so that a screen starts with the last known list. Only the range that the mounted screens need is read
 * (`booking-window.ts`): a household may have thousands of reservations.
 */
import { computed, signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import type { ProgramId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, plusMs } from '../../lib/arib/time.ts';
import type { ReservationItem } from '../../lib/wire/api.ts';
import type { ReservationId } from '../../lib/wire/ids.ts';
import { currentMs } from '../device/clock.ts';
import { type ApiFailure, getReservations, renewReservations } from './api.ts';
import { ALL, type BookingWindow, covers, isSameWindow, NOTHING, windowOf } from './booking-window.ts';
import type { Query } from './cache.ts';
import { callQuery, entryOf, useQuery } from './use-query.ts';

interface Bookings {
  /** With those of two weeks that are done with; those of the windows that are needed. Undefined until read. */
  readonly items: readonly ReservationItem[] | undefined;
  readonly failure: ApiFailure | undefined;
}

export const bookings = computed<Bookings>(() => {
  const { value, failure } = entryOf(BOOKINGS).answer.value;
  return { items: value, failure };
});

const byId = computed(() => new Map(bookings.value.items?.map((item) => [item.id, item])));
/** For a programme the latest reservation counts: an earlier one may have been withdrawn. */
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

/** The service's two lists as last read: upcoming and settled. */
interface ReadPart {
  readonly done: boolean;
  /** Of the window that was read. */
  etag: string | null;
  items: readonly ReservationItem[];
}
const parts: readonly ReadPart[] = [
  { done: false, etag: null, items: [] },
  { done: true, etag: null, items: [] },
];

/** Ranges of the mounted components; one without a range needs all reservations. */
const needs = new Map<symbol, BookingWindow | undefined>();
/** Range covered by the cached items. */
const covered = signal<BookingWindow>(NOTHING);

/** True when it is not as it was. */
async function readPart(part: ReadPart, wanted: BookingWindow, signal: AbortSignal): Promise<boolean> {
  const answer = await renewReservations(part.done, part.etag, signal, wanted);
  if (answer === 'unchanged') return false;
  part.etag = answer.etag;
  part.items = answer.content;
  return true;
}

const BOOKINGS: Query<readonly ReservationItem[]> = {
  key: 'reservations',
  events: ['reservations', 'recordings'],
  /** One that moves from one list to the other between the reads must not be missed: the settled list is read last. */
  async read(signal) {
    const wanted = windowOf(needs.values());
    let changed = bookings.peek().items === undefined;
    if (!isSameWindow(wanted, covered.peek())) for (const part of parts) part.etag = null;
    for (const part of parts) changed = (await readPart(part, wanted, signal)) || changed;
    covered.value = wanted;
    if (!changed) return 'unchanged';
    const items = new Map(parts.flatMap((part) => part.items).map((item) => [item.id, item]));
    return { content: [...items.values()], etag: null };
  },
};

/** Whether the list tells of a programme, so that one without a reservation has none. */
export function isBookingKnown(from: BroadcastMs, to: BroadcastMs): boolean {
  return bookings.value.items !== undefined && covers(covered.value, { from, to });
}

/** Reads; resolves when the cached list is newer than the call. */
export function readBookings(): Promise<void> {
  return entryOf(BOOKINGS).renew();
}

/**
 * Keeps the list fresh while the component is there. `items` is undefined until the window is covered.
 * @param window what overlaps it is needed; left out: all reservations; null: none
 */
export function useBookings(window?: BookingWindow | null): Bookings {
  const key = window == null ? String(window) : `${window.from}-${window.to}`;
  // Before the query is activated, whose first read must know the range.
  useLayoutEffect(() => {
    if (window === null) return undefined;
    const own = Symbol('component');
    needs.set(own, window);
    if (bookings.peek().items !== undefined && !covers(covered.peek(), window ?? ALL)) void readBookings();
    return () => {
      needs.delete(own);
    };
  }, [key]);
  useQuery(window === null ? undefined : BOOKINGS);
  const { items, failure } = bookings.value;
  const isHere = window !== null && covers(covered.value, window ?? ALL);
  return { items: isHere ? items : undefined, failure };
}

/** Number of upcoming reservations that the home screen reads: a household may have hundreds. */
export const MOST_NEXT = 100;
const RECENT_MS = 3 * 86_400_000;
/** Time passes without an event: what has ended leaves the list. */
const HOME_POLL_MS = 15 * 60_000;

/** Running and next, the first `MOST_NEXT` by start. */
export const NEXT_BOOKINGS: Query<readonly ReservationItem[]> = callQuery(
  'next reservations',
  ['reservations', 'recordings'],
  (signal) => getReservations(false, signal, { from: currentMs(), limit: MOST_NEXT }),
  HOME_POLL_MS,
);
/** Of all that is to come, the first `MOST_NEXT` by start: a conflict next week wants a decision too. */
export const CONFLICTS: Query<readonly ReservationItem[]> = callQuery(
  'conflicts',
  ['reservations', 'recordings'],
  (signal) => getReservations(false, signal, { from: currentMs(), state: 'conflict', limit: MOST_NEXT }),
  HOME_POLL_MS,
);
/** Reservations that ended in the last three days, latest first. */
export const RECENT_BOOKINGS: Query<readonly ReservationItem[]> = callQuery(
  'recent reservations',
  ['reservations', 'recordings'],
  (signal) => getReservations(true, signal, { from: plusMs(currentMs(), -RECENT_MS), limit: MOST_NEXT }),
  HOME_POLL_MS,
);
