/** The days of the timetable: yesterday to the end of the guide, each with the number of its reservations. */
import { type BroadcastMs, plusMs } from '../../arib/time.ts';
import type { ReservationItem } from '../../wire/api.ts';
import { Named } from '../ui/named.tsx';
import { broadcastDay, DAY_MS, DAYS } from '../words/day.ts';
import { dateOf, dayWords, textOfDay } from './days.ts';
import { TEXTS } from './texts.ts';

interface PickerProps {
  readonly items: readonly ReservationItem[];
  readonly day: BroadcastMs;
  readonly now: BroadcastMs;
  /** null: today. */
  readonly onDay: (text: string | null) => void;
}

const SHOWN = new Set<ReservationItem['state']>(['scheduled', 'recording', 'finished', 'conflict', 'missed']);

export function DayPicker({ items, day, now, onDay }: PickerProps) {
  const today = broadcastDay(now);
  const days = Array.from({ length: DAYS + 1 }, (_, index) => plusMs(today, (index - 1) * DAY_MS));
  return (
    <div class="day-picker" role="tablist" aria-label={TEXTS.date} data-nav-group="day-picker">
      {days.map((one) => {
        const date = dateOf(one);
        const words = dayWords(one, now) || TEXTS.weekday(TEXTS.weekdays[date.getUTCDay()] ?? '');
        const within = items.filter(
          (item) => SHOWN.has(item.state) && item.endAt > one && item.startAt < one + DAY_MS,
        );
        const conflicts = within.filter(({ state }) => state === 'conflict').length;
        return (
          <button
            key={one}
            type="button"
            role="tab"
            class="guide-day"
            data-weekday={date.getUTCDay()}
            aria-selected={one === day}
            onClick={() => onDay(one === today ? null : textOfDay(one))}
          >
            <Named
              name={`${TEXTS.dayName(date.getUTCMonth() + 1, date.getUTCDate(), words, within.length)}${conflicts === 0 ? '' : TEXTS.dayConflicts(conflicts)}`}
            >
              <span class="guide-day-words">{words}</span>
              <b class="guide-day-number numbers">
                <span class="guide-month">{`${date.getUTCMonth() + 1}/`}</span>
                {date.getUTCDate()}
              </b>
              <span class={`day-count numbers ${conflicts > 0 ? 'day-count-warn' : ''}`}>
                {within.length === 0 ? '–' : TEXTS.count(within.length)}
              </span>
            </Named>
          </button>
        );
      })}
    </div>
  );
}
