/** A household whose programmes are booked before the first of them is recorded, also where its processes start slowly. */
import { Household, type HouseholdOptions, type Show } from './household.ts';

/** Until the first programme begins: films, both processes and the guide of a few channels are there by then. */
const LEAD_MS = 24_000;
/** Recordings open so long before their programmes. */
const BEFORE_MS = 10_000;
/** The last attempt waits so many times as long. */
const STARTS = 4;

interface Booking {
  options: HouseholdOptions;
  /** Default: all of them. */
  booked?: readonly Show[];
  /** Before anything is booked. */
  prepare?: (household: Household) => Promise<void>;
}

export interface BookedHousehold {
  readonly household: Household;
  /** Epoch ms at which its programmes were to begin. */
  readonly at: number;
  readonly shows: readonly Show[];
  /** Programme of each that is booked. */
  readonly ids: ReadonlyMap<Show, number>;
}

/**
 * Retries later where the machine was too busy to book everything in time.
 * @param bookingAt what is on when the first programme begins at this moment @param leadMs of the first attempt
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
      // A programme may be over by then.
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
