/** The two simple kinds of carousel, constant sections and sections made for the current moment, and how often tables repeat. */
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { momentOf, TICKS_PER_SECOND } from '../clock.ts';
import type { Carousel } from './section-source.ts';

/**
 * Seconds between repetitions of all tables except those of events, as measured in a terrestrial channel;
 * SDTT and CDT more often than broadcasters send them (180 and 600 s there), within ARIB TR-B14 (terrestrial)
 * and TR-B15.
 */
export const TABLE_CYCLE = {
  GR: { pat: 0.1, partialMap: 0.5, cat: 9, nit: 1, sdt: 2, tot: 5, bit: 1, sdtt: 20, cdt: 60 },
  satellite: { pat: 0.1, partialMap: 0.5, cat: 1, nit: 5, sdt: 5, tot: 5, bit: 10, sdtt: 20, cdt: 60 },
  other: { sdt: 10 },
} as const;

/** For tables on PIDs of their own. */
export const STREAM_CYCLE = {
  /** The list of modules of a carousel, and its blocks. */
  dii: 1,
  bml: 4,
  /** Event messages and NPT references. */
  events: 0.5,
  logos: 30,
  application: 1,
  /**
   * Keys change every two seconds, ARIB STD-B25 Part 1, 4.9; a receiver that joins waits for the next
   * message.
   */
  ecm: 0.1,
  emm: 10,
  /** Map of the engineering service of a terrestrial channel, and its content. */
  engineering: 1,
  engineeringData: 9,
  /** EMMs of the terrestrial content protection: long ones, one after another. */
  protectionEmm: 1,
} as const;

export function constantCarousel(seconds: number, sections: readonly Uint8Array[]): Carousel {
  const bursts = [() => sections];
  return { period: seconds * TICKS_PER_SECOND, bursts: () => bursts };
}

/** Built for each turn, for the moment at which it is sent. */
export function momentCarousel(seconds: number, make: (at: BroadcastMs) => Uint8Array[]): Carousel {
  const period = seconds * TICKS_PER_SECOND;
  return { period, bursts: (turn) => [() => make(momentOf(turn * period))] };
}
