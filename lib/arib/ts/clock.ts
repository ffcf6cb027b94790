/**
 * Arithmetic on the clocks of a stream: program_clock_reference (27 MHz) and time stamps (90 kHz), both of
 * which wrap every 26.5 hours. ISO/IEC 13818-1 2.4.2.1, 2.4.3.5 and 2.4.3.7. Nothing here reads a clock.
 */
import { PTS_MODULUS, type Pts90k, unwrapPts } from '../time.ts';

export const PCR_HZ = 27_000_000;
export const PCR_PER_MS = PCR_HZ / 1000;
export const PTS_HZ = 90_000;
/** Ticks of a PCR per unit of 90 kHz. */
const PCR_PER_PTS = 300;
export const PCR_MODULUS = PTS_MODULUS * PCR_PER_PTS;

/** The value nearest to `reference` that is congruent to `pcr`: unwraps a PCR. */
export function unwrapPcr(pcr: number, reference: number): number {
  let delta = (pcr - reference) % PCR_MODULUS;
  if (delta >= PCR_MODULUS / 2) delta -= PCR_MODULUS;
  else if (delta < -PCR_MODULUS / 2) delta += PCR_MODULUS;
  return reference + delta;
}

/** Ticks from `earlier` to `later`, across a wrap; negative if `later` is the earlier one. */
export function pcrDifference(later: number, earlier: number): number {
  return unwrapPcr(later, earlier) - earlier;
}

/** 90 kHz units from `earlier` to `later`, across a wrap; negative if `later` is the earlier one. */
export function ptsDifference(later: Pts90k, earlier: Pts90k): number {
  return unwrapPts(later, earlier) - earlier;
}

/** The base of a PCR: comparable with time stamps. */
export function pcrToPts(pcr: number): Pts90k {
  return Math.floor(pcr / PCR_PER_PTS) as Pts90k;
}

// Detects which of a programme's streams are missing, and for how long, by the clocks that are received: the
// programme clock and the time stamps of the other stream. A loss of all reception is not such a gap, because no
// clock advances then.

export type WatchedStream = 'video' | 'audio';

/** The fault as seen by a viewer. */
export const RECEPTION_FAULTS = ['scrambled', 'no_picture', 'no_sound'] as const;
export type ReceptionFault = (typeof RECEPTION_FAULTS)[number];

/**
 * Time stamps of a stream are at most 0.7 s apart (ISO/IEC 13818-1 2.7.4), programme clocks 0.1 s: after a larger
 * step the clock jumped, or was not received either.
 */
const MAX_STEP = PTS_HZ;
const FAULT_AFTER = PTS_HZ;

type Clock = WatchedStream | 'pcr';

export class GapWatch {
  /** Unwrapped, 90 kHz. */
  readonly #clocks = new Map<Clock, number>();
  /** By stream, the clocks at its last unit. */
  readonly #seen = new Map<WatchedStream, Map<Clock, number>>();
  /** Streams with scrambled packets since the last unit. */
  readonly #scrambled = new Set<WatchedStream>();

  /** Base of the programme clock. */
  clock(pcr: Pts90k): void {
    this.#tick('pcr', pcr);
  }

  /** A readable unit began. */
  unit(stream: WatchedStream, pts: Pts90k): void {
    this.#tick(stream, pts);
    this.#seen.set(stream, new Map(this.#clocks));
    this.#scrambled.delete(stream);
  }

  scrambled(stream: WatchedStream): void {
    this.#scrambled.add(stream);
  }

  /** 90 kHz ticks since its last unit; 0 before the first one. */
  missing(stream: WatchedStream): number {
    let most = 0;
    for (const [clock, then] of this.#seen.get(stream) ?? []) {
      if (clock !== stream) most = Math.max(most, (this.#clocks.get(clock) ?? then) - then);
    }
    return most;
  }

  get fault(): ReceptionFault | undefined {
    for (const stream of ['video', 'audio'] as const) {
      if (this.missing(stream) < FAULT_AFTER) continue;
      if (this.#scrambled.has(stream)) return 'scrambled';
      return stream === 'video' ? 'no_picture' : 'no_sound';
    }
    return undefined;
  }

  #tick(clock: Clock, value: Pts90k): void {
    const before = this.#clocks.get(clock);
    const now = before === undefined ? value : unwrapPts(value, before);
    const step = now - (before ?? now);
    if (step < 0 && step > -MAX_STEP) return;
    this.#clocks.set(clock, now);
    if (before !== undefined && step > 0 && step <= MAX_STEP) return;
    // The time that passed in a jump is unknown and counts as 0.
    for (const seen of this.#seen.values()) {
      const then = seen.get(clock);
      seen.set(clock, then === undefined ? now : then + step);
    }
  }
}
