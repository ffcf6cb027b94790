/** Reservations: as a list by day, as a day's timetable by tuner, and as a week. */
import { useSignal } from '@preact/signals';
import { type BroadcastMs, DAY_MS, plusMs } from '../../lib/arib/time.ts';
import type { ReservationItem } from '../../lib/wire/api.ts';
import { minute } from '../device/clock.ts';
import { openReservation, query, setQuery } from '../navigation/router.ts';
import { readBookings, useBookings } from '../query/reservations.ts';
import { useRuleNames } from '../query/rule-names.ts';
import { Icon } from '../ui/icon.tsx';
import { Named } from '../ui/named.tsx';
import { Panel } from '../ui/panel.tsx';
import { Week, type WeekPlace } from '../ui/week.tsx';
import { narrow } from '../words/channel.ts';
import { broadcastDay, DAYS } from '../words/day.ts';
import { FailurePanel } from '../words/failure-panel.tsx';
import { spokenText, standingWords, titleOf } from '../words/reservation.ts';
import { airClockText, dateText } from '../words/time.ts';
import { WholeTitle } from '../words/whole-title.tsx';
import { DayView } from './day.tsx';
import { dateOf, PLACED_STATES, textOfDay } from './days.ts';
import { BookingList } from './list.tsx';
import { arrange, type Counts, countsOf, FILTERS, type Filter, filterOf } from './sort.ts';
import { BookingTabs } from './tabs.tsx';
import { TEXTS } from './texts.ts';
import { bookedCorner } from './week-corner.ts';

function StateFilters({ chosen, counts }: { chosen: Filter; counts: Counts }) {
  return (
    <div class="tabs" role="radiogroup" aria-label={TEXTS.filters} data-nav-group="booking-filters">
      {FILTERS.map(({ filter, label }) => (
        // biome-ignore lint/a11y/useSemanticElements: a radio input would change with the arrow keys that move the focus here
        <button
          key={filter}
          type="button"
          role="radio"
          class="tab"
          aria-checked={filter === chosen}
          onClick={() => setQuery({ filter: filter === 'all' ? null : filter }, true)}
        >
          {label}
          {filter === 'conflict' && counts.conflict > 0 ? (
            <span class="faint semibold numbers badge fill-warn">{counts.conflict}</span>
          ) : null}
        </button>
      ))}
    </div>
  );
}

/** They are shown even where ended ones are not listed: people do not look for a failure they do not know of. */
function Troubles({ counts, onShow }: { counts: Counts; onShow: (() => void) | undefined }) {
  const { missed, failed, damaged } = counts;
  const words = [
    missed === 0 ? [] : TEXTS.missed(missed),
    failed === 0 ? [] : TEXTS.failed(failed),
    damaged === 0 ? [] : TEXTS.damaged(damaged),
  ].flat();
  if (words.length === 0) return null;
  return (
    <div class="below-100 alert align-center">
      <Icon name="alert" />
      <p class="grow min-0">
        <b class="numbers block-level">{TEXTS.troubles(words.join('、'))}</b>
        {onShow === undefined && missed > 0 ? <small class="block-level">{TEXTS.missedNote}</small> : null}
      </p>
      {onShow === undefined ? null : (
        <button type="button" class="button button-small rigid" onClick={onShow}>
          {TEXTS.lookAtTroubles}
        </button>
      )}
    </div>
  );
}

function Nothing({ filter, any }: { filter: Filter; any: boolean }) {
  if (filter === 'conflict') {
    return (
      <Panel icon="check" title={TEXTS.noConflicts}>
        <p>{TEXTS.noConflictsNote}</p>
      </Panel>
    );
  }
  if (filter === 'trouble') {
    return (
      <Panel icon="check" title={TEXTS.noTroubles}>
        <p>{TEXTS.noTroublesNote}</p>
      </Panel>
    );
  }
  return (
    <Panel
      icon="reserve"
      title={any ? TEXTS.noneOfFilter : TEXTS.none}
      actions={
        <>
          <a class="button button-main" href="guide" data-nav-initial="">
            {TEXTS.openGuide}
          </a>
          <a class="button" href="rules">
            {TEXTS.byRule}
          </a>
        </>
      }
    >
      <p>{TEXTS.noneNote}</p>
    </Panel>
  );
}

function ListView({ items }: { items: readonly ReservationItem[] }) {
  const completed = useSignal(false);
  const filter = filterOf(query.value.get('filter'));
  const counts = countsOf(items, minute.value);
  const shown = arrange(items, { filter, completed: completed.value, now: minute.value });
  const empty = shown.conflicts.length + shown.days.length + shown.over.length === 0;
  return (
    <>
      <div class="cluster below-100 gap-tools">
        <StateFilters chosen={filter} counts={counts} />
        <button
          type="button"
          role="switch"
          class="inline-row press-height bold pill gap-75"
          aria-checked={completed.value}
          onClick={() => {
            completed.value = !completed.value;
          }}
        >
          <span class="switch" aria-hidden="true" />
          {TEXTS.showOver}
        </button>
        <p class="booking-sum numbers push-end semibold muted" role="status">
          {TEXTS.sumBooked(counts.booked)}
          {counts.recording === 0 ? '' : TEXTS.sumRecording(counts.recording)}
        </p>
      </div>
      <Troubles
        counts={counts}
        onShow={
          completed.value || filter === 'trouble' ? undefined : () => setQuery({ filter: 'trouble' }, true)
        }
      />
      {empty ? (
        <Nothing filter={filter} any={items.length > 0} />
      ) : (
        <BookingList shown={shown} now={minute.value} />
      )}
    </>
  );
}

function Skeleton() {
  return (
    <div class="booking-skeleton stack gap-50" role="status">
      <span class="hidden-text">{TEXTS.loading}</span>
      {Array.from({ length: 6 }, (_, index) => (
        <span key={index} class="skeleton" />
      ))}
    </div>
  );
}

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
        <span class="week-words max-full block-level relative layer-1 clip">
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
      <small class="numbers muted">{count === 0 ? '–' : TEXTS.count(count)}</small>
    </a>
  );
}

/** A week of reservations, days side by side: shows busy and free evenings at a glance. */
function BookingWeek({ items }: { items: readonly ReservationItem[] }) {
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

export function ReservationsScreen() {
  const { items, failure } = useBookings();
  useRuleNames();
  const asked = query.value.get('view');
  const view = asked === 'day' || asked === 'week' ? asked : 'list';
  return (
    <>
      <header class="screen-head">
        <h1 class="screen-title">{TEXTS.reservations}</h1>
        <BookingTabs shown={view} />
      </header>
      {items !== undefined ? (
        view === 'day' ? (
          <DayView items={items} />
        ) : view === 'week' ? (
          <BookingWeek items={items} />
        ) : (
          <ListView items={items} />
        )
      ) : failure !== undefined ? (
        <FailurePanel failure={failure} onRetry={() => void readBookings()} />
      ) : (
        <Skeleton />
      )}
    </>
  );
}
