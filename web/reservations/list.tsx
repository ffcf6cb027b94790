/** Reservations by broadcast day: conflicts first, what is over last. */
import type { ReservationItem } from '../../wire/api.ts';
import { openReservation } from '../navigation/router.ts';
import { originText } from '../query/rule-names.ts';
import { Named } from '../ui/named.tsx';
import { narrow } from '../words/channel.ts';
import { spokenText, titleOf } from '../words/reservation.ts';
import { StateBadge } from '../words/state-badge.tsx';
import { airDateText, dateText, spanText } from '../words/time.ts';
import { ActionButton } from './action-button.tsx';
import { ConflictHelp } from './conflict.tsx';
import { dayWords } from './days.ts';
import { BookingRow } from './row.tsx';
import type { Day, Shown } from './sort.ts';

function DaySection({ day, now }: { day: Day; now: number }) {
  const words = dayWords(day.day, now);
  const date = dateText(day.day);
  return (
    <section class="booking-day" aria-label={`${words}${date}`}>
      <h2 class="booking-day-name">
        {words === '' ? null : <b>{words}</b>}
        <span class="numbers">{date}</span>
        <small class="numbers">{day.items.length}件</small>
      </h2>
      <ul class="booking-list">
        {day.items.map((item) => (
          <BookingRow key={item.id} item={item} />
        ))}
      </ul>
    </section>
  );
}

function ConflictCard({ item }: { item: ReservationItem }) {
  return (
    <li class="conflict" data-reservation={item.id}>
      <div class="conflict-head">
        <button type="button" class="conflict-name" onClick={() => openReservation(item.id)}>
          <Named name={spokenText(item)}>
            <b>{titleOf(item)}</b>
            <span class="conflict-when numbers">
              {airDateText(item.startAt)} {spanText(item.startAt, item.endAt)}
            </span>
            <span class="conflict-when">
              {narrow(item.serviceName)}・{originText(item.ruleId)}
              ・優先度 {item.priority}
            </span>
          </Named>
        </button>
        <StateBadge item={item} />
        <ActionButton item={item} />
      </div>
      <ConflictHelp item={item} />
    </li>
  );
}

export function BookingList({ shown, now }: { shown: Shown; now: number }) {
  return (
    <div data-nav-group="bookings" data-nav-start="">
      {shown.conflicts.length === 0 ? null : (
        <section class="conflicts" aria-label="競合している予約">
          <h2 class="booking-day-name">
            <b>競合</b>
            <small class="numbers">{shown.conflicts.length}件はこのままでは録画されません</small>
          </h2>
          <ul class="conflict-list">
            {shown.conflicts.map((item) => (
              <ConflictCard key={item.id} item={item} />
            ))}
          </ul>
        </section>
      )}
      {shown.days.map((day) => (
        <DaySection key={day.day} day={day} now={now} />
      ))}
      {shown.over.length === 0 ? null : (
        <section class="booking-over" aria-label="終わった予約">
          <h2 class="booking-over-name">終わった予約（2週間分）</h2>
          {shown.over.map((day) => (
            <DaySection key={day.day} day={day} now={now} />
          ))}
        </section>
      )}
    </div>
  );
}
