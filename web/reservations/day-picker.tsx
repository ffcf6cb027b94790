/** The days of the timetable: yesterday to the end of the guide, each with the number of its reservations. */
import { type BroadcastMs, plusMs } from '../../lib/arib/time.ts';
import type { ReservationItem } from '../../lib/wire/api.ts';
import { Named } from '../ui/named.tsx';
import { broadcastDay, DAY_MS, DAYS } from '../words/day.ts';
import { WEEKDAYS } from '../words/time.ts';
import { dateOf, dayWords, PLACED_STATES, textOfDay } from './days.ts';
import { TEXTS } from './texts.ts';

interface PickerProps {
  readonly items: readonly ReservationItem[];
  readonly day: BroadcastMs;
  readonly now: BroadcastMs;
  /** null: today. */
  readonly onDay: (text: string | null) => void;
}

export function DayPicker({ items, day, now, onDay }: PickerProps) {
  const today = broadcastDay(now);
  const days = Array.from({ length: DAYS + 1 }, (_, index) => plusMs(today, (index - 1) * DAY_MS));
  return (
    <div
      class="day-picker flex hscroll gap-20"
      role="tablist"
      aria-label={TEXTS.date}
      data-nav-group="day-picker"
    >
      {days.map((one) => {
        const date = dateOf(one);
        const words = dayWords(one, now) || TEXTS.weekday(WEEKDAYS[date.getUTCDay()] ?? '');
        const within = items.filter(
          (item) => PLACED_STATES.has(item.state) && item.endAt > one && item.startAt < one + DAY_MS,
        );
        const conflicts = within.filter(({ state }) => state === 'conflict').length;
        return (
          <button
            key={one}
            type="button"
            role="tab"
            class="guide-day stack items-middle muted round-m hover-deep"
            data-weekday={date.getUTCDay()}
            aria-selected={one === day}
            onClick={() => onDay(one === today ? null : textOfDay(one))}
          >
            <Named
              name={`${TEXTS.dayName(date.getUTCMonth() + 1, date.getUTCDate(), words, within.length)}${conflicts === 0 ? '' : TEXTS.dayConflicts(conflicts)}`}
            >
              <span class="text-mini bold">{words}</span>
              <b class="guide-day-number numbers ink">
                <span class="wide-only">{`${date.getUTCMonth() + 1}/`}</span>
                {date.getUTCDate()}
              </b>
              <span
                class={`numbers text-mini bold nowrap ${conflicts > 0 ? 'day-count-warn pill fill-warn' : ''}`}
              >
                {within.length === 0 ? '–' : TEXTS.count(within.length)}
              </span>
            </Named>
          </button>
        );
      })}
    </div>
  );
}
