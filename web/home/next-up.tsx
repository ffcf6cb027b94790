/** Home screen: recordings in progress and the next reservations; hidden when there are none. */
import { useLayoutEffect } from 'preact/hooks';
import { type BroadcastMs, HOUR_MS } from '../../lib/arib/time.ts';
import type { ReservationItem } from '../../lib/wire/api.ts';
import { now } from '../device/clock.ts';
import { homeNext } from '../device/preferences.ts';
import { openReservation } from '../navigation/router.ts';
import { NEXT_BOOKINGS } from '../query/reservations.ts';
import { useQuery } from '../query/use-query.ts';
import { nextUp } from '../reservations/sort.ts';
import { Named } from '../ui/named.tsx';
import { ProgramProgress } from '../ui/progress.tsx';
import { narrow } from '../words/channel.ts';
import { broadcastDay } from '../words/day.ts';
import { spokenText, titleOf } from '../words/reservation.ts';
import { airClockText, leftToRecord, shortText } from '../words/time.ts';
import { RowHead, RowHeadSpace } from './row-head.tsx';
import { TEXTS } from './texts.ts';

function when(item: ReservationItem, at: BroadcastMs): string {
  if (item.state === 'recording') return leftToRecord(item.endAt, at);
  return broadcastDay(item.startAt) === broadcastDay(at)
    ? airClockText(item.startAt)
    : shortText(item.startAt);
}

function NextEntry({ item }: { item: ReservationItem }) {
  const recording = item.state === 'recording';
  return (
    <li class="next-item stack">
      <button
        type="button"
        class={`next content-start stack text-left bordered hover-surface gap-10 pad-2 round-m surface ${recording ? 'next-recording' : ''}`}
        onClick={() => openReservation(item.id)}
      >
        <Named name={spokenText(item)}>
          <span class="card-when wrap numbers flex min-0 clip note bold nowrap gap-50">
            {recording ? (
              <b class="inline-row text-danger gap-40">
                <i class="booking-dot" />
                {when(item, now.value)}
              </b>
            ) : (
              when(item, now.value)
            )}
            <span class="min-0 truncate">{narrow(item.serviceName)}</span>
          </span>
          <span class="next-title min-0 bold truncate">{titleOf(item)}</span>
          {recording ? (
            <ProgramProgress startAt={item.startAt} endAt={item.endAt} />
          ) : (
            <span class="progress invisible" />
          )}
        </Named>
      </button>
    </li>
  );
}

/** From the beginning of the broadcast day to its evening, at 17:00. */
const EVENING_MS = 12 * HOUR_MS;

/** What stands below it. */
function titleOfRow(
  running: readonly ReservationItem[],
  coming: readonly ReservationItem[],
  at: BroadcastMs,
): string {
  if (coming.length === 0) return TEXTS.running;
  if (running.length > 0) return TEXTS.runningAndNext;
  const today = broadcastDay(at);
  const isTonight = coming.every(
    ({ startAt }) => broadcastDay(startAt) === today && startAt >= today + EVENING_MS,
  );
  return isTonight ? TEXTS.tonight : TEXTS.next;
}

/** As high as the loaded content, so that what is below does not move. */
function Waiting() {
  return (
    <section class="home-row above-150 next-up below-100" aria-hidden="true">
      <RowHeadSpace />
      <ul class="flex hscroll gap-50 strip">
        <li class="next-item stack">
          <span class="next content-start skeleton stack text-left bordered hover-surface gap-10 pad-2 round-m surface">
            <span class="card-when wrap flex min-0 clip note bold nowrap gap-50">&nbsp;</span>
            <span class="next-title min-0 bold truncate">&nbsp;</span>
            <span class="progress invisible" />
          </span>
        </li>
      </ul>
    </section>
  );
}

/** Neither this visit nor the last one says whether there is anything. */
export function useIsNextUnknown(): boolean {
  const { value, failure } = useQuery(NEXT_BOOKINGS);
  return value === undefined && failure === undefined && !homeNext.value;
}

export function NextUp() {
  const { value: items, failure } = useQuery(NEXT_BOOKINGS);
  const { running, coming } = nextUp(items ?? [], now.value);
  const some = running.length + coming.length > 0;
  // Within the rendering itself, so that the position is kept even if the user leaves at once.
  useLayoutEffect(() => {
    if (items !== undefined) homeNext.value = some;
  }, [items, some]);
  if (items === undefined && failure === undefined && homeNext.value) return <Waiting />;
  if (!some) return null;
  const title = titleOfRow(running, coming, now.value);
  return (
    <section class="home-row above-150 next-up below-100" aria-label={title} data-nav-group="next-up">
      <RowHead title={title} all="reservations" />
      <ul class="flex hscroll gap-50 strip">
        {[...running, ...coming].map((item) => (
          <NextEntry key={item.id} item={item} />
        ))}
      </ul>
    </section>
  );
}
