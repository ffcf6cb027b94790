/** Broadcast days in words and in addresses. Each is known by its 05:00 in Japan. */
import { type BroadcastMs, broadcastMs, DAY_MS, HOUR_MS, JST_OFFSET_MS } from '../../lib/arib/time.ts';
import type { ReservationState } from '../../lib/wire/vocabulary.ts';
import { broadcastDay } from '../words/day.ts';
import { TEXTS } from './texts.ts';

const DAY_BEGINS_MS = 5 * HOUR_MS;

/** The calendar day that a broadcast day is named after. */
export function dateOf(day: BroadcastMs): Date {
  return new Date(day + JST_OFFSET_MS);
}

/** `20261121` */
export function textOfDay(day: BroadcastMs): string {
  return dateOf(day).toISOString().slice(0, 10).replaceAll('-', '');
}

/** Today for an invalid date. */
export function dayOfText(text: string | null, now: BroadcastMs): BroadcastMs {
  const parts = /^(\d{4})(\d{2})(\d{2})$/u.exec(text ?? '');
  if (parts === null) return broadcastDay(now);
  const midnight = Date.UTC(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3])) - JST_OFFSET_MS;
  return broadcastMs(midnight + DAY_BEGINS_MS);
}

export function dayWords(day: BroadcastMs, now: BroadcastMs): string {
  const distance = Math.round((day - broadcastDay(now)) / DAY_MS);
  if (distance === 0) return TEXTS.today;
  if (distance === 1) return TEXTS.tomorrow;
  return distance === -1 ? TEXTS.yesterday : '';
}

/** States of reservations that have a place in a day. */
export const PLACED_STATES: ReadonlySet<ReservationState> = new Set([
  'scheduled',
  'recording',
  'finished',
  'conflict',
  'missed',
]);
