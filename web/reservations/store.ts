/**
 * The reservations that several screens show: read while one of them is there, again on every event, and kept
 * between, so that a screen that is come back to begins with what was known.
 */
import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ReservationItem } from '../../wire/api.ts';
import { ApiFailure, getReservations, networkFailure } from '../api.ts';
import { listenFor } from '../events.ts';

export interface Bookings {
  /** With those of two weeks that are over; undefined until read. */
  readonly items: readonly ReservationItem[] | undefined;
  readonly failure: ApiFailure | undefined;
}

export const bookings = signal<Bookings>({ items: undefined, failure: undefined });

const byId = computed(() => new Map(bookings.value.items?.map((item) => [item.id, item])));
/** Of a programme the latest counts: an earlier one may have been withdrawn. */
const byProgram = computed(() => {
  const found = new Map<number, ReservationItem>();
  for (const item of bookings.value.items ?? []) {
    const known = found.get(item.programId);
    if (known === undefined || known.id < item.id) found.set(item.programId, item);
  }
  return found;
});

export function reservationById(id: number): ReservationItem | undefined {
  return byId.value.get(id);
}

export function reservationOf(programId: number | undefined): ReservationItem | undefined {
  return programId === undefined ? undefined : byProgram.value.get(programId);
}

let users = 0;
let stop: (() => void) | undefined;
let reading: Promise<void> | undefined;
let again = false;

/** What is to come first: one that ends between the two is then among those that are over, and not in neither. */
async function readAll(): Promise<ReservationItem[]> {
  const coming = await getReservations(false);
  const over = await getReservations(true);
  return [...new Map([...coming, ...over].map((item) => [item.id, item])).values()];
}

async function readOnce(): Promise<void> {
  try {
    bookings.value = { items: await readAll(), failure: undefined };
  } catch (error) {
    const failure = error instanceof ApiFailure ? error : networkFailure(error);
    // What was known stays on the screen.
    bookings.value = { items: bookings.value.items, failure };
  }
}

/** Reads; calls during a read lead to one more after it. Resolves when what is here is newer than the call. */
export async function readBookings(): Promise<void> {
  if (reading !== undefined) {
    again = true;
    return await reading;
  }
  const run = async (): Promise<void> => {
    do {
      again = false;
      await readOnce();
    } while (again);
    reading = undefined;
  };
  reading = run();
  return await reading;
}

/** Keeps the list fresh while the component is there. */
export function useBookings(): Bookings {
  useEffect(() => {
    users += 1;
    void readBookings();
    stop ??= listenFor(['reservations', 'recordings'], () => void readBookings());
    return () => {
      users -= 1;
      if (users > 0) return;
      stop?.();
      stop = undefined;
    };
  }, []);
  return bookings.value;
}
