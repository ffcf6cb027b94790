/** The two simple kinds of carousel: constant sections, and sections made for the current moment. */
import type { BroadcastMs } from '../../arib/time.ts';
import { momentOf, TICKS_PER_SECOND } from '../clock.ts';
import type { Carousel } from './section-source.ts';

export function constantCarousel(seconds: number, sections: readonly Uint8Array[]): Carousel {
  const bursts = [() => sections];
  return { period: seconds * TICKS_PER_SECOND, bursts: () => bursts };
}

/** Built for each turn, for the moment at which it is sent. */
export function momentCarousel(seconds: number, make: (at: BroadcastMs) => Uint8Array[]): Carousel {
  const period = seconds * TICKS_PER_SECOND;
  return { period, bursts: (turn) => [() => make(momentOf(turn * period))] };
}
