/** Rules that match every programme are refused, and ignored where they are stored. */
import { BROADCAST_TYPES } from '../../../lib/arib/ids.ts';
import type { RuleConditions } from '../../model/rule.ts';
import { readKeyword } from './keyword.ts';

const WEEKDAYS = 7;
const DAY_MINUTES = 24 * 60;

/** Whether any condition is set: a rule without one would book every programme. */
export function isLimited(conditions: RuleConditions): boolean {
  const { keyword, regex, stationIds, types, genres, weekdays } = conditions;
  // Quotation marks and bars alone, or exclusions alone, are not a condition.
  if (regex ? keyword !== '' : readKeyword(keyword).wanted.length > 0) return true;
  if (stationIds.length > 0 || genres.length > 0) return true;
  if (types.length > 0 && types.length < BROADCAST_TYPES.length) return true;
  if (weekdays.length > 0 && weekdays.length < WEEKDAYS) return true;
  return isTimed(conditions);
}

function isTimed({ timeFrom, timeTo, durationMin, durationMax }: RuleConditions): boolean {
  const isWholeDay = (timeFrom ?? 0) === 0 && (timeTo ?? DAY_MINUTES) % DAY_MINUTES === 0;
  return !isWholeDay || (durationMin ?? 0) > 0 || durationMax !== null;
}
