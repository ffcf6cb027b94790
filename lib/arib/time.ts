/**
 * Broadcast time and media time as branded numbers. Broadcasts use Japan Standard Time (UTC+9, no daylight saving
 * time), whatever the machine's time zone; nothing here reads a clock.
 */

declare const brand: unique symbol;

/** Milliseconds since 1970-01-01T00:00:00Z by the broadcast's clock: JST_time fields, and the clock set by TOT. */
export type BroadcastMs = number & { readonly [brand]: 'BroadcastMs' };
/** 33-bit time stamp in units of 1/90000 s, ISO/IEC 13818-1 2.4.3.7. */
export type Pts90k = number & { readonly [brand]: 'Pts90k' };
/** Units of 1/90000 s since the start of the content being watched. Never wraps; a reception gap has no length. */
export type Media90k = number & { readonly [brand]: 'Media90k' };

/** Ticks of `Pts90k` and `Media90k`. */
export const TICKS_PER_SECOND = 90_000;
export const TICKS_PER_MS = TICKS_PER_SECOND / 1000;

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
export const JST_OFFSET_MS = 9 * HOUR_MS;
export const PTS_MODULUS = 2 ** 33;
/** Modified Julian Date of 1970-01-01. */
const MJD_EPOCH = 40_587;

export function broadcastMs(value: number): BroadcastMs {
  return value as BroadcastMs;
}

/** A time of any clock, shifted by ms: a time of the same clock. */
export function plusMs<T extends number>(at: T, ms: number): T {
  return (at + ms) as T;
}

/** The latest of several times of one clock. */
export function latest<T extends number>(...times: [T, ...T[]]): T {
  return Math.max(...times) as T;
}

/** The earliest of several times of one clock. */
export function earliest<T extends number>(...times: [T, ...T[]]): T {
  return Math.min(...times) as T;
}

/** The time stamp within one 33-bit wrap. */
export function pts90k(value: number): Pts90k {
  const wrapped = value % PTS_MODULUS;
  return (wrapped < 0 ? wrapped + PTS_MODULUS : wrapped) as Pts90k;
}

export function media90k(ticks: number): Media90k {
  return ticks as Media90k;
}

/** The value nearest to `reference` that is congruent to `pts`: unwraps a 33-bit time stamp (26.5 hours). */
export function unwrapPts(pts: number, reference: number): number {
  const half = PTS_MODULUS / 2;
  let delta = (pts - reference) % PTS_MODULUS;
  if (delta >= half) delta -= PTS_MODULUS;
  else if (delta < -half) delta += PTS_MODULUS;
  return reference + delta;
}

/** Two BCD digits as a number; undefined if a digit is above 9. */
export function fromBcd(byte: number): number | undefined {
  const tens = byte >> 4;
  const units = byte & 0x0f;
  return tens > 9 || units > 9 ? undefined : tens * 10 + units;
}

/**
 * JST_time: 16-bit Modified Julian Date and 24-bit BCD hhmmss, ARIB STD-B10 Part 2, Annex C. Undefined for the
 * all-ones "not defined" value and for digits that are not a valid time.
 */
export function jstTime(mjd: number, hh: number, mm: number, ss: number): BroadcastMs | undefined {
  const hours = fromBcd(hh);
  const minutes = fromBcd(mm);
  const seconds = fromBcd(ss);
  if (hours === undefined || minutes === undefined || seconds === undefined) return undefined;
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  const dayStart = (mjd - MJD_EPOCH) * DAY_MS;
  return (dayStart + ((hours * 60 + minutes) * 60 + seconds) * 1000 - JST_OFFSET_MS) as BroadcastMs;
}

/** Start of the Japanese calendar day of `at`. */
export function jstDayStart(at: BroadcastMs): BroadcastMs {
  return (Math.floor((at + JST_OFFSET_MS) / DAY_MS) * DAY_MS - JST_OFFSET_MS) as BroadcastMs;
}
