/** Broadcast times for people. Always Japan Standard Time (UTC+9, no summer time), whatever the machine's zone. */

const JST_OFFSET_MS = 9 * 3_600_000;
const MINUTE_MS = 60_000;
const WEEKDAYS = ['日', '月', '火', '水', '木', '金', '土'] as const;

function shifted(at: number): Date {
  return new Date(at + JST_OFFSET_MS);
}

/** `21:05`; hours without a leading zero, as programme guides print them. */
export function clockText(at: number): string {
  const date = shifted(at);
  return `${date.getUTCHours()}:${String(date.getUTCMinutes()).padStart(2, '0')}`;
}

/** Whether two instants lie in different years in Japan; false without the second. */
function isOtherYear(at: number, today: number | undefined): boolean {
  return today !== undefined && shifted(at).getUTCFullYear() !== shifted(today).getUTCFullYear();
}

/** `11月20日(金)`. @param today epoch ms: the year is added where it is not the present one, `2025年11月20日(木)` */
export function dateText(at: number, today?: number): string {
  const date = shifted(at);
  const year = isOtherYear(at, today) ? `${date.getUTCFullYear()}年` : '';
  return `${year}${date.getUTCMonth() + 1}月${date.getUTCDate()}日(${WEEKDAYS[date.getUTCDay()] ?? ''})`;
}

/** `20:00 – 20:54` */
export function spanText(startAt: number, endAt: number): string {
  return `${clockText(startAt)} – ${clockText(endAt)}`;
}

/** Machine-readable form of an instant for `<time datetime>`. */
export function isoText(at: number): string {
  return `${shifted(at).toISOString().slice(0, 16)}+09:00`;
}

/** `あと12分`, `あと1時間5分`, in the last minute `まもなく終了`; once it is over `終了`. */
export function remainingText(endAt: number, now: number): string {
  const left = endAt - now;
  if (left <= 0) return '終了';
  if (left < MINUTE_MS) return 'まもなく終了';
  const minutes = Math.ceil(left / MINUTE_MS);
  if (minutes < 60) return `あと${minutes}分`;
  const rest = minutes % 60;
  return rest === 0 ? `あと${minutes / 60}時間` : `あと${Math.floor(minutes / 60)}時間${rest}分`;
}

/** Of what is being recorded: it goes on behind the announced end, for its margin or because the programme runs over. */
export function leftToRecord(endAt: number, now: number): string {
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
export function agoText(at: number, now: number): string {
  const minutes = Math.floor((now - at) / MINUTE_MS);
  if (minutes < 1) return 'たった今';
  if (minutes < 60) return `${minutes}分前`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)}時間前`;
  return `${dateText(at)} ${clockText(at)}`;
}

/** `11/21(土) 21:05` for rows of a list. @param today epoch ms: of another year `2025/11/21(金) 21:05` */
export function shortText(at: number, today?: number): string {
  const date = shifted(at);
  const year = isOtherYear(at, today) ? `${date.getUTCFullYear()}/` : '';
  return `${year}${date.getUTCMonth() + 1}/${date.getUTCDate()}(${WEEKDAYS[date.getUTCDay()] ?? ''}) ${clockText(at)}`;
}
