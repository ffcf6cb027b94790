/**
 * A household whose programmes are all reserved before the first one is recorded, even if its processes start
 * slowly.
 */
import { BEFORE_MS, Household, type HouseholdOptions, type Show } from './household.ts';

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

/** A household on the air, and the time by which everything has to be reserved, epoch ms. */
interface Begun<Home> {
  home: Home;
  deadline: number;
}

/**
 * Retries with a later start if the machine was too busy to reserve everything in time. @param start a factor of
 * the time that it allows @param reserve @throws Error after the last attempt, or the error of `reserve`
 */
export async function reservedInTime<Home extends { close(): Promise<void> }, Reserved>(
  name: string,
  start: (patience: number) => Promise<Begun<Home>>,
  reserve: (home: Home) => Promise<Reserved>,
): Promise<{ home: Home; reserved: Reserved }> {
  for (let attempt = 1; ; attempt += 1) {
    const { home, deadline } = await start(attempt);
    try {
      const reserved = await reserve(home);
      if (Date.now() < deadline) return { home, reserved };
    } catch (error) {
      // Reserving fails if a programme is already over.
      if (Date.now() < deadline) {
        await home.close();
        throw error;
      }
    }
    await home.close();
    if (attempt === STARTS) throw new Error(`the machine is too busy to start ${name}`);
    console.warn(`${name} starts again: the machine is busy`);
  }
}

/**
 * @param bookingAt options for the moment at which the first programme begins; called again once that moment is
 * known @throws like `reservedInTime`
 */
export async function startBooked(
  name: string,
  bookingAt: (at: number) => Booking,
): Promise<BookedHousehold> {
  let at = 0;
  const { home, reserved } = await reservedInTime(
    name,
    async (patience) => {
      const { household, at: begin } = await Household.start((moment) => bookingAt(moment).options, patience);
      at = begin;
      return { home: household, deadline: at - BEFORE_MS };
    },
    async (household) => {
      const { options, booked = options.shows, prepare } = bookingAt(at);
      await prepare?.(household);
      return { shows: options.shows, ids: await household.reserveAll(booked) };
    },
  );
  return { household: home, at, ...reserved };
}
