/** Conditions of a rule on station, time and genre; keywords are in `keyword.ts`. */
import { type BroadcastMs, JST_OFFSET_MS } from '../../../arib/time.ts';
import type { RuleConditions, RuleGenre } from '../../model/rule.ts';
import type { StationRecord } from '../../model/station.ts';
import type { GuideProgram } from './guide-index.ts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
const DAY_MS = DAY_MINUTES * MINUTE_MS;
/** The broadcast day begins at 05:00. */
const DAY_BEGIN_MS = 5 * 60 * MINUTE_MS;
/** 1970-01-01 was a Thursday. */
const FIRST_WEEKDAY = 4;

/** Fields of a station that rules need. */
export type RuleStation = Readonly<Pick<StationRecord, 'id' | 'type'>>;

/** 0 (Sunday) to 6, of the broadcast day in Japan. */
export function broadcastWeekday(at: BroadcastMs): number {
  const days = Math.floor((at + JST_OFFSET_MS - DAY_BEGIN_MS) / DAY_MS);
  return (((days + FIRST_WEEKDAY) % 7) + 7) % 7;
}

/** Minutes of the day in Japan. */
export function minuteOfDay(at: BroadcastMs): number {
  const minutes = Math.floor((at + JST_OFFSET_MS) / MINUTE_MS) % DAY_MINUTES;
  return minutes < 0 ? minutes + DAY_MINUTES : minutes;
}

function inTime({ timeFrom, timeTo }: RuleConditions, startAt: BroadcastMs): boolean {
  if (timeFrom === null && timeTo === null) return true;
  const minute = minuteOfDay(startAt);
  const from = timeFrom ?? 0;
  const to = timeTo ?? DAY_MINUTES;
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

function inLength({ durationMin, durationMax }: RuleConditions, length: number): boolean {
  return length >= (durationMin ?? 0) * MINUTE_MS && length <= (durationMax ?? Infinity) * MINUTE_MS;
}

function hasGenre(wanted: readonly RuleGenre[], { genres }: GuideProgram): boolean {
  if (wanted.length === 0) return true;
  return genres.some((genre) =>
    wanted.some(({ lv1, lv2 }) => lv1 === genre.lv1 && (lv2 === null || lv2 === genre.lv2)),
  );
}

/**
 * Whether all conditions except keywords hold.
 * @param matchedAt the start that conditions of time apply to: the programme's own, or the one when a rule first
 *   matched it
 */
export function meetsConditions(
  conditions: RuleConditions,
  program: GuideProgram,
  station: RuleStation,
  matchedAt: BroadcastMs = program.startAt,
): boolean {
  const { stationIds, types, weekdays, freeOnly, periodFrom, periodTo, genres } = conditions;
  const { startAt, endAt } = program;
  if (freeOnly && !program.isFree) return false;
  if (stationIds.length > 0 && !stationIds.includes(station.id)) return false;
  if (types.length > 0 && !types.includes(station.type)) return false;
  if (periodFrom !== null && matchedAt < periodFrom) return false;
  if (periodTo !== null && matchedAt >= periodTo) return false;
  if (!inTime(conditions, matchedAt) || !inLength(conditions, endAt - startAt)) return false;
  if (weekdays.length > 0 && !weekdays.includes(broadcastWeekday(matchedAt))) return false;
  return hasGenre(genres, program);
}
