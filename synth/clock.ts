/**
 * The broadcaster's clock. Its system time clock (STC) is a pure function of wall time, so that every tuning
 * of a channel carries the same time stamps at the same moment.
 */
import { type BroadcastMs, broadcastMs, PTS_MODULUS } from '../lib/arib/time.ts';

/** Wall-clock moment at which every STC was zero: 2025-01-01T00:00:00Z. */
export const STC_ZERO: BroadcastMs = broadcastMs(Date.UTC(2025, 0, 1));
/** Ticks per second of PTS, DTS and `program_clock_reference_base`, ISO/IEC 13818-1 2.4.2. */
export const TICKS_PER_SECOND = 90_000;
/** Ticks per second of the system clock: 300 of them are one tick of 90 kHz. */
export const SYSTEM_HZ = 27_000_000;

/** A flash and a beep are presented together whenever the unwrapped time stamp is a multiple of this. */
export const MARK_PERIOD = 90_090;

/** 27 MHz ticks stay exact integers (below 2^53) this far from STC_ZERO: a little over ten years. */
const RANGE_MS = 10 * 365 * 86_400_000;

/** Whether the clock can be exact at that moment. */
export function inClockRange(at: number): boolean {
  return Number.isFinite(at) && Math.abs(at - STC_ZERO) < RANGE_MS;
}

/** Unwrapped 90 kHz time of a moment; may have a fraction of a tick. */
export function ticksAt(at: BroadcastMs): number {
  return (at - STC_ZERO) * 90;
}

/** The moment of an unwrapped 90 kHz time. */
export function momentOf(ticks: number): BroadcastMs {
  return broadcastMs(STC_ZERO + ticks / 90);
}

/** The 33-bit time stamp that is sent for an unwrapped one. */
export function wrapTicks(ticks: number): number {
  const rest = ticks % PTS_MODULUS;
  return rest < 0 ? rest + PTS_MODULUS : rest;
}
