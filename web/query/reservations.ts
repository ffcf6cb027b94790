/**
 * The reservations that several screens show: read while one of them is there, again on every event, and kept
 * between, so that a screen that is come back to begins with what was known.
 */
import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ReservationItem } from '../../wire/api.ts';
import { ApiFailure, networkFailure, renewReservations } from './api.ts';
import { listenFor } from './events.ts';

export interface Bookings {
  /** With those of two weeks that are done with; undefined until read. */
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

/** One of the two lists that the service keeps, as it was last read. */
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
async function readPart(part: Part): Promise<boolean> {
  const answer = await renewReservations(part.done, part.etag, new AbortController().signal);
  if (answer === 'unchanged') return false;
  part.etag = answer.etag;
  part.items = answer.content;
  return true;
}

/** One that moves from one list to the other between the two reads must not be missed: what is done is read last. */
async function readOnce(): Promise<void> {
  try {
    let changed = bookings.value.items === undefined || bookings.value.failure !== undefined;
    for (const part of parts) changed = (await readPart(part)) || changed;
    if (!changed) return;
    const items = new Map(parts.flatMap((part) => part.items).map((item) => [item.id, item]));
    bookings.value = { items: [...items.values()], failure: undefined };
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
