/**
 * A household whose programmes are all reserved before the first one is recorded, even if its processes start
 * slowly.
 */
import { Household, type HouseholdOptions, type Show } from './household.ts';

/**
 * Time until the first programme begins: enough to make films, start both processes and collect the guide of
 * a few channels.
 */
const LEAD_MS = 24_000;
/** Recordings open this long before their programmes. */
const BEFORE_MS = 10_000;
/** The last attempt allows this many times as long. */
const STARTS = 4;

interface Booking {
  options: HouseholdOptions;
  /** Runs before anything is reserved. */
  booked?: readonly Show[];
  /** Before anything is booked. */
  prepare?: (household: Household) => Promise<void>;
}

export interface BookedHousehold {
  readonly household: Household;
  /** Epoch ms at which its programmes are to begin. */
  readonly at: number;
  readonly shows: readonly Show[];
  /** Programme id of each reserved show. */
  readonly ids: ReadonlyMap<Show, number>;
}

/**
 * Retries with a later start if the machine was too busy to reserve everything in time. @param bookingAt
 * options for the moment at which the first programme begins @param leadMs lead time of the first attempt
 * @throws Error after the last attempt
 */
export async function startBooked(
  name: string,
  bookingAt: (at: number) => Booking,
  leadMs = LEAD_MS,
): Promise<BookedHousehold> {
  for (let attempt = 1; ; attempt += 1) {
    const at = Math.ceil((Date.now() + leadMs * attempt) / 1000) * 1000;
    const { options, booked = options.shows, prepare } = bookingAt(at);
    const isLate = (): boolean => Date.now() > at - BEFORE_MS;
    const household = await Household.start(options);
    try {
      await prepare?.(household);
      const ids = await household.reserveAll(booked);
      if (!isLate()) return { household, at, shows: options.shows, ids };
    } catch (error) {
      // Reserving fails if a programme is already over.
      if (!isLate()) {
        await household.close();
        throw error;
      }
    }
    await household.close();
    if (attempt === STARTS) throw new Error(`the machine is too busy to start ${name}`);
    console.warn(`${name} starts again: the machine is busy`);
  }
}
