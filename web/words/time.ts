/**
 * Broadcast times for people. Always Japan Standard Time (UTC+9, no summer time), whatever the machine's zone.
 *
 * A time after midnight belongs to the evening before, as in a printed guide: its date is that of the broadcast day,
 * and its hour has the format that the viewer chose (`lateNight`). Times of other things follow the calendar.
 */
import { type BroadcastMs, DAY_MS, JST_OFFSET_MS, MINUTE_MS, plusMs } from '../../lib/arib/time.ts';
import type { EpochMs } from '../../lib/wire/times.ts';
import { lateNight } from '../device/preferences.ts';

/** From Sunday. */
export const WEEKDAYS = ['日', '月', '火', '水', '木', '金', '土'] as const;

function shifted(at: EpochMs): Date {
  return new Date(at + JST_OFFSET_MS);
}

/** `21:05`; hours without a leading zero, as programme guides print them. */
export function clockText(at: EpochMs): string {
  const date = shifted(at);
  return `${date.getUTCHours()}:${String(date.getUTCMinutes()).padStart(2, '0')}`;
}

export function secondsText(at: EpochMs): string {
  return `${clockText(at)}:${String(shifted(at).getUTCSeconds()).padStart(2, '0')}`;
}

/** Whether two instants lie in different years in Japan; false without the second. */
function isOtherYear(at: EpochMs, today: EpochMs | undefined): boolean {
  return today !== undefined && shifted(at).getUTCFullYear() !== shifted(today).getUTCFullYear();
}

/** `11月20日(金)`. @param today epoch ms: the year is added where it is not the present one, `2025年11月20日(木)` */
export function dateText(at: EpochMs, today?: EpochMs): string {
  const date = shifted(at);
  const year = isOtherYear(at, today) ? `${date.getUTCFullYear()}年` : '';
  return `${year}${date.getUTCMonth() + 1}月${date.getUTCDate()}日(${WEEKDAYS[date.getUTCDay()] ?? ''})`;
}

/** `2026年11月`. */
export function monthText(at: EpochMs): string {
  const date = shifted(at);
  return `${date.getUTCFullYear()}年${date.getUTCMonth() + 1}月`;
}

/** The broadcast day begins at this hour. */
const DAY_BEGINS = 5;

/** Whether it is after midnight and counted as part of the evening before. */
function isLate(at: BroadcastMs): boolean {
  return lateNight.value !== 'calendar' && shifted(at).getUTCHours() < DAY_BEGINS;
}

/** A moment of the calendar day to which the programme is counted. */
const dayOfAir = (at: BroadcastMs): BroadcastMs => (isLate(at) ? plusMs(at, -DAY_MS) : at);

/** When a programme is on: `21:05`; after midnight `25:05`, `深夜1:05` or `1:05`. */
export function airClockText(at: BroadcastMs): string {
  if (!isLate(at)) return clockText(at);
  if (lateNight.value === 'words') return `深夜${clockText(at)}`;
  const date = shifted(at);
  return `${date.getUTCHours() + 24}:${String(date.getUTCMinutes()).padStart(2, '0')}`;
}

/** The day of a programme, as `dateText`: after midnight that of the evening before. */
export function airDateText(at: BroadcastMs, today?: BroadcastMs): string {
  return dateText(dayOfAir(at), today);
}

/** `20:00 – 20:54`, `23:30 – 24:30`, `深夜0:30 – 1:00`. */
export function spanText(startAt: BroadcastMs, endAt: BroadcastMs): string {
  const isWordSaid = lateNight.value === 'words' && isLate(startAt);
  return `${airClockText(startAt)} – ${isWordSaid ? clockText(endAt) : airClockText(endAt)}`;
}

/** Machine-readable form of an instant for `<time datetime>`. */
export function isoText(at: EpochMs): string {
  return `${shifted(at).toISOString().slice(0, 16)}+09:00`;
}

/** `あと12分`, `あと1時間5分`, in the last minute `まもなく終了`; once it is over `終了`. */
export function remainingText(endAt: BroadcastMs, now: BroadcastMs): string {
  const left = endAt - now;
  if (left <= 0) return '終了';
  if (left < MINUTE_MS) return 'まもなく終了';
  const minutes = Math.ceil(left / MINUTE_MS);
  if (minutes < 60) return `あと${minutes}分`;
  const rest = minutes % 60;
  return rest === 0 ? `あと${minutes / 60}時間` : `あと${Math.floor(minutes / 60)}時間${rest}分`;
}

/**
 * For a recording in progress: it continues past the announced end, for its margin or because the programme overruns.
 */
export function leftToRecord(endAt: BroadcastMs, now: BroadcastMs): string {
  return now < endAt ? remainingText(endAt, now) : '終了待ち';
}

/** `54分`, `1時間`, `2時間5分`. */
export function lengthText(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / MINUTE_MS));
  const rest = minutes % 60;
  if (minutes < 60) return `${minutes}分`;
  return rest === 0 ? `${minutes / 60}時間` : `${Math.floor(minutes / 60)}時間${rest}分`;
}

/** How long ago: `たった今`, `12分前`, `3時間前`, then the date. */
export function agoText(at: EpochMs, now: EpochMs): string {
  const minutes = Math.floor((now - at) / MINUTE_MS);
  if (minutes < 1) return 'たった今';
  if (minutes < 60) return `${minutes}分前`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)}時間前`;
  return `${dateText(at)} ${clockText(at)}`;
}

function slashedText(day: EpochMs, clock: string, today: EpochMs | undefined): string {
  const date = shifted(day);
  const year = isOtherYear(day, today) ? `${date.getUTCFullYear()}/` : '';
  return `${year}${date.getUTCMonth() + 1}/${date.getUTCDate()}(${WEEKDAYS[date.getUTCDay()] ?? ''}) ${clock}`;
}

/**
 * When a programme is on, for rows of a list: `11/21(土) 21:05`, `11/21(土) 25:05`.
 * @param today epoch ms: of another year `2025/11/21(金) 21:05`
 */
export function shortText(at: BroadcastMs, today?: BroadcastMs): string {
  return slashedText(dayOfAir(at), airClockText(at), today);
}

/** When something else happened, by the calendar: `11/22(日) 1:05`. @param today as above */
export function momentText(at: EpochMs, today?: EpochMs): string {
  return slashedText(at, clockText(at), today);
}
