/** Times and numbers as the tables send them: ARIB STD-B10 Part 2, Annex C. */
import { type BroadcastMs, JST_OFFSET_MS } from '../../lib/arib/time.ts';

const DAY_MS = 86_400_000;
/** Modified Julian Date of 1970-01-01. */
const MJD_EPOCH = 40_587;

/** A number 0..99 as two BCD digits. */
export function toBcd(value: number): number {
  return (Math.floor(value / 10) << 4) | (value % 10);
}

/** The five octets of a JST_time, MJD first. The time is truncated to full seconds. */
export function encodeJstTime(at: BroadcastMs): [number, number, number, number, number] {
  const local = at + JST_OFFSET_MS;
  const days = Math.floor(local / DAY_MS);
  const seconds = Math.floor((local - days * DAY_MS) / 1000);
  const mjd = days + MJD_EPOCH;
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return [(mjd >> 8) & 0xff, mjd & 0xff, toBcd(hours), toBcd(minutes), toBcd(seconds % 60)];
}
