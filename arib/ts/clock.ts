/**
 * Arithmetic on the clocks of a stream: program_clock_reference (27 MHz) and time stamps (90 kHz), both of
 * which wrap every 26.5 hours. ISO/IEC 13818-1 2.4.2.1, 2.4.3.5 and 2.4.3.7. Nothing here reads a clock.
 */
import { PTS_MODULUS, type Pts90k, unwrapPts } from '../time.ts';

export const PCR_HZ = 27_000_000;
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
