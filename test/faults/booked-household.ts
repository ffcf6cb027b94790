/**
 * A household whose programmes are all reserved before the first one is recorded, even if its processes start
 * slowly.
 */
import { Household, type HouseholdOptions, type Show } from './household.ts';

/** Each attempt allows this many times as long as the first. */
const STARTS = 3;

interface Booking {
  options: HouseholdOptions;
  /** Default: all. */
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
 * options for the moment at which the first programme begins; called again once that moment is known
 * @throws Error after the last attempt
 */
export async function startBooked(
  name: string,
  bookingAt: (at: number) => Booking,
): Promise<BookedHousehold> {
  for (let attempt = 1; ; attempt += 1) {
    const { household, at } = await Household.start((begin) => bookingAt(begin).options, attempt);
    try {
      const { options, booked = options.shows, prepare } = bookingAt(at);
      await prepare?.(household);
      const ids = await household.reserveAll(booked);
      if (!Household.isLate(at)) return { household, at, shows: options.shows, ids };
    } catch (error) {
      // Reserving fails if a programme is already over.
      if (!Household.isLate(at)) {
        await household.close();
        throw error;
      }
    }
    await household.close();
    if (attempt === STARTS) throw new Error(`the machine is too busy to start ${name}`);
    console.warn(`${name} starts again: the machine is busy`);
  }
}
