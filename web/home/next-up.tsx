/** On the home screen: what is being recorded, what comes next, and conflicts, as long as there is any of these. */

import { useLayoutEffect } from 'preact/hooks';
import type { ReservationItem } from '../../wire/api.ts';
import { now } from '../device/clock.ts';
import { homeNext } from '../device/preferences.ts';
import { openReservation } from '../navigation/router.ts';
import { useBookings } from '../query/reservations.ts';
import { countsOf, nextUp } from '../reservations/sort.ts';
import { Icon } from '../ui/icon.tsx';
import { Named } from '../ui/named.tsx';
import { ProgramProgress } from '../ui/progress.tsx';
import { narrow } from '../words/channel.ts';
import { broadcastDay } from '../words/day.ts';
import { spokenText, titleOf } from '../words/reservation.ts';
import { clockText, leftToRecord, shortText } from '../words/time.ts';

function when(item: ReservationItem, at: number): string {
  if (item.state === 'recording') return leftToRecord(item.endAt, at);
  return broadcastDay(item.startAt) === broadcastDay(at) ? clockText(item.startAt) : shortText(item.startAt);
}

function Entry({ item }: { item: ReservationItem }) {
  const recording = item.state === 'recording';
  return (
    <li class="next-item">
      <button
        type="button"
        class={`next ${recording ? 'next-recording' : ''}`}
        onClick={() => openReservation(item.id)}
      >
        <Named name={spokenText(item)}>
          <span class="next-when numbers">
            {recording ? (
              <b class="next-state">
                <i class="booking-dot" />
                <span class="next-word">録画中</span>
              </b>
            ) : null}
            {when(item, now.value)}
            <span class="next-station">{narrow(item.serviceName)}</span>
          </span>
          <span class="next-title">{titleOf(item)}</span>
          {recording ? <ProgramProgress startAt={item.startAt} endAt={item.endAt} /> : null}
        </Named>
      </button>
    </li>
  );
}

/** As high as what comes: the stations below stay where they are. */
function Waiting() {
  return (
    <section class="next-up" aria-hidden="true">
      <ul class="next-list">
        <li class="next-item">
          <span class="next skeleton">
            <span class="next-when">&nbsp;</span>
            <span class="next-title">&nbsp;</span>
            <span class="next-line" />
          </span>
        </li>
      </ul>
    </section>
  );
}

export function NextUp() {
  const { items, failure } = useBookings();
  const { running, coming } = nextUp(items ?? [], now.value);
  const { conflict, booked } = countsOf(items ?? [], now.value);
  const some = running.length + coming.length + conflict > 0;
  // With the drawing itself: whoever leaves at once finds the place kept, too.
  useLayoutEffect(() => {
    if (items !== undefined) homeNext.value = some;
  }, [items, some]);
  if (items === undefined && failure === undefined && homeNext.value) return <Waiting />;
  if (!some) return null;
  return (
    <section class="next-up" aria-label="録画と予約" data-nav-group="next-up">
      <ul class="next-list">
        {[...running, ...coming].map((item) => (
          <Entry key={item.id} item={item} />
        ))}
        <li class="next-item next-item-links">
          {conflict === 0 ? null : (
            <a class="next-link next-link-warn" href="reservations?filter=conflict">
              <Icon name="alert" />
              <span class="numbers">競合 {conflict}件</span>
            </a>
          )}
          <a class="next-link" href="reservations">
            <Icon name="reserve" />
            <span class="numbers">予約 {booked}件</span>
          </a>
        </li>
      </ul>
    </section>
  );
}
