/** Hours along the side of a day that begins at 05:00, in the format in which the viewer reads times after midnight. */
import { lateNight } from '../device/preferences.ts';

const DAY_HOURS = 24;

/** @param hour counted from midnight before the day, 5 to 28 */
export const airHour = (hour: number): number => (lateNight.value === 'hours' ? hour : hour % DAY_HOURS);
