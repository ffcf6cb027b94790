/** Parsing and formatting of times, durations and dates of the rule form. Japan Standard Time. */
import { type BroadcastMs, broadcastMs, DAY_MS, JST_OFFSET_MS, MINUTE_MS } from '../../lib/arib/time.ts';

const HOUR_MINUTES = 60;
export const DAY_MINUTES = 24 * HOUR_MINUTES;
/** Programmes after midnight are printed as 24:00 to 28:59 of the day before. */
const LAST_HOUR = 29;
/** The broadcast day begins at 05:00. */
const DAY_BEGIN_MS = 5 * HOUR_MINUTES * MINUTE_MS;

/** `19:00`, and `24:00` for the end of the day. */
export function minuteText(minute: number): string {
  return `${Math.floor(minute / HOUR_MINUTES)}:${String(minute % HOUR_MINUTES).padStart(2, '0')}`;
}

const CLOCK_TEXT = /^(\d{1,2})(?:(?::|時)(\d{1,2})?分?)?$/u;
const DIGITS = /^(\d{1,2})(\d{2})$/u;

/**
 * `19:00`, `1900`, `19時半`, `25:30`. Minutes of the day; `end` takes 24:00 for the end of the day instead of its
 * beginning. Undefined for anything else.
 */
export function readMinute(text: string, end: boolean): number | undefined {
  const plain = text.normalize('NFKC').replace(/\s/gu, '').replace('半', '30');
  const found = CLOCK_TEXT.exec(plain) ?? DIGITS.exec(plain);
  if (found === null) return undefined;
  const hour = Number(found[1]);
  const minute = Number(found[2] ?? 0);
  if (hour > LAST_HOUR || minute >= HOUR_MINUTES) return undefined;
  const all = hour * HOUR_MINUTES + minute;
  if (all === DAY_MINUTES) return end ? DAY_MINUTES : 0;
  return all % DAY_MINUTES;
}

/** A day of the calendar and a time in it; without a time the broadcast day. */
export interface DateTime {
  /** `2026-11-20`, or empty. */
  readonly date: string;
  /** `19:00`, with seconds where there were some, or empty. */
  readonly time: string;
}

const NO_DATE_TIME: DateTime = { date: '', time: '' };

/** @param end of a period: a day without a time is over when the next begins */
export function dateTimeOf(at: BroadcastMs | null, end: boolean): DateTime {
  if (at === null) return NO_DATE_TIME;
  const local = at + JST_OFFSET_MS;
  const inDay = ((local % DAY_MS) + DAY_MS) % DAY_MS;
  if (inDay === DAY_BEGIN_MS) {
    return { date: new Date(end ? local - DAY_MS : local).toISOString().slice(0, 10), time: '' };
  }
  const [date = '', time = ''] = new Date(local).toISOString().split('T');
  const rest = inDay % MINUTE_MS;
  return { date, time: time.slice(0, rest === 0 ? 5 : rest % 1000 === 0 ? 8 : 12) };
}

/** Null when empty; undefined when invalid. */
export function readDateTime({ date, time }: DateTime, end: boolean): BroadcastMs | null | undefined {
  if (date === '') return time === '' ? null : undefined;
  const day = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(day)) return undefined;
  if (time === '') return broadcastMs(day - JST_OFFSET_MS + DAY_BEGIN_MS + (end ? DAY_MS : 0));
  const at = Date.parse(`${date}T${time.length === 4 ? `0${time}` : time}Z`);
  return Number.isNaN(at) ? undefined : broadcastMs(at - JST_OFFSET_MS);
}

/** `10`, `10.5` */
export function secondsInput(ms: number | null): string {
  return ms === null ? '' : String(ms / 1000);
}

/** Milliseconds of a number of seconds with at most three decimals; undefined for anything else. */
export function readSeconds(text: string): number | undefined {
  const plain = text.normalize('NFKC').trim();
  return /^\d{1,6}(\.\d{1,3})?$/u.test(plain) ? Math.round(Number(plain) * 1000) : undefined;
}

export function countText(count: number | null): string {
  return count === null ? '' : String(count);
}

export function readCount(text: string): number | undefined {
  const plain = text.normalize('NFKC').trim();
  return /^\d{1,9}$/u.test(plain) ? Number(plain) : undefined;
}
