/** A week of reservations, days side by side: shows busy and free evenings at a glance. */
import { type BroadcastMs, plusMs } from '../../lib/arib/time.ts';
import type { ReservationItem } from '../../lib/wire/api.ts';
import { minute } from '../device/clock.ts';
import { openReservation } from '../navigation/router.ts';
import { Named } from '../ui/named.tsx';
import { Week, type WeekPlace } from '../ui/week.tsx';
import { narrow } from '../words/channel.ts';
import { broadcastDay, DAY_MS, DAYS } from '../words/day.ts';
import { spokenText, standingWords, titleOf } from '../words/reservation.ts';
import { airClockText, dateText } from '../words/time.ts';
import { WholeTitle } from '../words/whole-title.tsx';
import { dateOf, PLACED_STATES, textOfDay } from './days.ts';
import { TEXTS } from './texts.ts';
import { bookedCorner } from './week-corner.ts';

/** Shorter bars, in hours, have room for one line only. */
const LINE_HOURS = 0.7;

function Booking({ item, place }: { item: ReservationItem; place: WeekPlace }) {
  const { face, tone } = standingWords(item);
  return (
    <button
      type="button"
      class="week-part week-booking vstack absolute clip text-xs ink text-left"
      data-tone={tone}
      style={place.style}
      data-line={place.hours < LINE_HOURS ? '' : undefined}
      title={`${airClockText(item.startAt)} ${titleOf(item)}（${face}）`}
      onClick={() => openReservation(item.id)}
    >
      <Named name={spokenText(item)}>
        <span class="week-words block-level relative layer-1 clip">
          <b class="numbers">{airClockText(item.startAt)}</b>
          <WholeTitle title={titleOf(item)} />
          <small class="muted">{narrow(item.serviceName)}</small>
        </span>
      </Named>
    </button>
  );
}

/** Link to the day's timetable, which shows the tuners. */
function DayHead({ day, count }: { day: BroadcastMs; count: number }) {
  return (
    <a href={`reservations?view=day&day=${textOfDay(day)}`} data-weekday={dateOf(day).getUTCDay()}>
      <b>{dateText(day)}</b>
      <small class="numbers">{count === 0 ? '–' : TEXTS.count(count)}</small>
    </a>
  );
}

export function BookingWeek({ items }: { items: readonly ReservationItem[] }) {
  const now = minute.value;
  const first = broadcastDay(now);
  const days = Array.from({ length: DAYS }, (_, index) => plusMs(first, index * DAY_MS));
  const shown = items.filter(({ state }) => PLACED_STATES.has(state));
  return (
    <div class="booking-week clip round-m bordered">
      <Week
        label={TEXTS.weekLabel}
        days={days}
        now={now}
        items={shown}
        openAt={(view) => bookedCorner(shown, days, view)}
        head={(day) => (
          <DayHead
            day={day}
            count={shown.filter(({ startAt }) => startAt >= day && startAt < day + DAY_MS).length}
          />
        )}
        draw={(item, place) => <Booking key={item.id} item={item} place={place} />}
      />
    </div>
  );
}
