/** A day's timetable: tuners in rows, time across; on phones tuners in columns, time down. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { type BroadcastMs, DAY_MS, HOUR_MS, latest, plusMs } from '../../lib/arib/time.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import type { ReservationItem } from '../../lib/wire/api.ts';
import type { ReservationId } from '../../lib/wire/ids.ts';
import { currentMs, now } from '../device/clock.ts';
import { directionOf } from '../navigation/focus.ts';
import { isRecordKey } from '../navigation/keys.ts';
import { openReservation, query, setQuery } from '../navigation/router.ts';
import { TUNERS } from '../query/queries.ts';
import { reservationById } from '../query/reservations.ts';
import { originText } from '../query/rule-names.ts';
import { stationById } from '../query/stations.ts';
import { useQuery } from '../query/use-query.ts';
import { airHour } from '../ui/air-hour.ts';
import { Named } from '../ui/named.tsx';
import { Panel } from '../ui/panel.tsx';
import { adviceFor } from '../words/advice.ts';
import { narrow } from '../words/channel.ts';
import { broadcastDay, DAYS } from '../words/day.ts';
import { stateReason, titleOf } from '../words/reservation.ts';
import { StateBadge } from '../words/state-badge.tsx';
import { airDateText, lengthText, spanText, WEEKDAYS } from '../words/time.ts';
import { WholeTitle } from '../words/whole-title.tsx';
import { ActionButton } from './action-button.tsx';
import { toggle } from './actions.ts';
import { BarButton, TunerHead } from './bar.tsx';
import { ConflictHelp } from './conflict.tsx';
import { dateOf, dayOfText, dayWords, PLACED_STATES, textOfDay } from './days.ts';
import { TEXTS } from './texts.ts';
import { enterBars, stepBar, type TimetablePlace, type TunerRow, timetable, wayOf } from './timetable.ts';

const HOURS = 24;
/** As in styles/timetable.css. */
const UPRIGHT = '(max-width: 44.9375em)';
/** Part of the view before the present time. */
const NOW_LEAD = 0.25;

const hoursFrom = (day: BroadcastMs, at: BroadcastMs): number =>
  Math.min(HOURS, Math.max(0, (at - day) / HOUR_MS));

function Hours() {
  return (
    <div class="day-hours sticky at-top line-below surface layer-3" aria-hidden="true">
      {Array.from({ length: HOURS }, (_, index) => (
        <span key={index} class="numbers absolute note bold" style={{ '--at': index }}>
          {airHour(index + 5)}
          <small>{TEXTS.hour}</small>
        </span>
      ))}
    </div>
  );
}

interface TableProps {
  readonly rows: readonly TunerRow[];
  readonly day: BroadcastMs;
  readonly chosen: TimetablePlace | undefined;
  readonly onChoose: (place: TimetablePlace) => void;
}

function Table({ rows, day, chosen, onChoose }: TableProps) {
  const blockers = chosen === undefined ? undefined : reservationById(chosen.id)?.blockers;
  const at = (now.value - day) / HOUR_MS;
  return (
    <>
      {rows.map((row, index) => (
        <div
          key={row.key}
          class={`day-row flex line-below day-row-${row.kind}`}
          style={{ '--lanes': row.lanes }}
          data-empty={row.bars.length === 0 ? '' : undefined}
        >
          <TunerHead
            row={row}
            number={rows.slice(0, index + 1).filter(({ kind }) => kind === 'tuner').length}
          />
          <div class="day-track rigid relative">
            {row.tunings.map((tuning) => (
              <span
                key={tuning.from}
                class="day-tuning absolute track-color"
                aria-hidden="true"
                style={{
                  '--from': hoursFrom(day, tuning.from),
                  '--to': hoursFrom(day, tuning.to),
                  '--deep': tuning.lanes,
                }}
              />
            ))}
            {row.bars.map((bar) => (
              <BarButton
                key={bar.item.id}
                bar={bar}
                day={day}
                tuner={row.tuner}
                current={chosen?.id === bar.item.id}
                blocks={blockers?.includes(bar.item.id) === true}
                onFocus={() => {
                  onChoose({ row: index, id: bar.item.id, anchor: bar.item.startAt });
                }}
              />
            ))}
          </div>
        </div>
      ))}
      {at < 0 || at > HOURS ? null : (
        <span
          class="day-now absolute at-top at-bottom no-pointer"
          aria-hidden="true"
          style={{ '--at': at }}
        />
      )}
    </>
  );
}

/** Scrolls to the present time on today, to the first reservation on another day. */
function useFirstView(
  stage: { readonly current: HTMLElement | null },
  day: BroadcastMs,
  first: BroadcastMs | undefined,
) {
  useEffect(() => {
    const element = stage.current;
    if (element === null) return;
    const today = broadcastDay(currentMs()) === day;
    const at = today ? currentMs() : (first ?? plusMs(day, 13 * HOUR_MS));
    const part = hoursFrom(day, at) / HOURS;
    const upright = matchMedia(UPRIGHT).matches;
    if (upright) element.scrollTop = part * element.scrollHeight - element.clientHeight * NOW_LEAD;
    else element.scrollLeft = part * element.scrollWidth - element.clientWidth * NOW_LEAD;
  }, [day, first === undefined]);
}

function barElement(id: ReservationId): HTMLElement | null {
  return document.querySelector<HTMLElement>(`.bar[data-reservation="${id}"]`);
}

function useTable(
  items: readonly ReservationItem[],
  tuners: readonly Tuner[],
  day: BroadcastMs,
): readonly TunerRow[] {
  return useMemo(
    () =>
      timetable({
        items,
        tuners,
        typeOf: (id) => stationById(id)?.type,
        from: day,
        to: plusMs(day, DAY_MS),
      }),
    [items, tuners, day],
  );
}

/** Full text of the focused bar, which is too short for it; of a conflict, the ways to resolve it. */
function DayFocus({ id, onOpen }: { id: ReservationId | undefined; onOpen: (id: ReservationId) => void }) {
  const item = id === undefined ? undefined : reservationById(id);
  if (item === undefined) return null;
  return (
    <section
      class="day-focus stack one-column gap-75 round-l bordered surface shadow-1 wide-only pad-3"
      aria-label={TEXTS.chosen}
      data-nav-group="day-focus"
    >
      <div class="conflict-head flex align-start gap-75">
        <button
          type="button"
          class="conflict-name stack grow min-0 gap-10 text-left round-s"
          onClick={() => onOpen(item.id)}
        >
          <b class="text-l line-tight">
            <WholeTitle title={titleOf(item)} />
          </b>
          <span class="numbers note">
            {TEXTS.facts(
              airDateText(item.startAt),
              spanText(item.startAt, item.endAt),
              lengthText(item.endAt - item.startAt),
              narrow(item.serviceName),
              originText(item.ruleId),
            )}
          </span>
        </button>
        <StateBadge item={item} />
        <ActionButton item={item} />
      </div>
      {item.state === 'conflict' ? <ConflictHelp item={item} /> : null}
      {item.state === 'missed' ? <p class="text-s semibold text-warn">{stateReason(item)}</p> : null}
    </section>
  );
}

interface PickerProps {
  readonly items: readonly ReservationItem[];
  readonly day: BroadcastMs;
  readonly now: BroadcastMs;
  /** null: today. */
  readonly onDay: (text: string | null) => void;
}

/** Yesterday to the end of the guide, each day with the number of its reservations. */
function DayPicker({ items, day, now, onDay }: PickerProps) {
  const today = broadcastDay(now);
  const days = Array.from({ length: DAYS + 1 }, (_, index) => plusMs(today, (index - 1) * DAY_MS));
  return (
    <div class="flex hscroll gap-25 strip" role="tablist" aria-label={TEXTS.date} data-nav-group="day-picker">
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
            class="guide-day stack items-middle muted round-m hover-deep line-tight"
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
              <span class={`numbers text-mini bold nowrap ${conflicts > 0 ? 'pill fill-warn badge' : ''}`}>
                {within.length === 0 ? '–' : TEXTS.count(within.length)}
              </span>
            </Named>
          </button>
        );
      })}
    </div>
  );
}

export function DayView({ items }: { items: readonly ReservationItem[] }) {
  const tuners = useQuery(TUNERS);
  const day = dayOfText(query.value.get('day'), now.value);
  const rows = useTable(items, tuners.value ?? [], day);
  const chosen = useSignal<TimetablePlace | undefined>(undefined);
  const stage = useRef<HTMLElement>(null);
  const first = rows.flatMap(({ bars }) => bars).sort((a, b) => a.openAt - b.openAt)[0]?.openAt;
  // Before that every recording would stand as without one.
  const isKnown = (tuners.value ?? tuners.failure) !== undefined;
  useFirstView(stage, day, isKnown ? first : undefined);
  const shown = rows.some(({ bars }) => bars.some(({ item }) => item.id === chosen.value?.id))
    ? chosen.value
    : enterBars(rows, latest(day, now.value));
  const focusOn = (place: TimetablePlace): void => {
    chosen.value = place;
    const element = barElement(place.id);
    element?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || shown === undefined) return;
    const item = reservationById(shown.id);
    if (isRecordKey(event) && item !== undefined && !event.repeat) {
      event.preventDefault();
      toggle(
        { id: item.programId, title: titleOf(item), copyNever: false, endAt: item.endAt },
        item,
        now.value,
      );
      return;
    }
    const direction = directionOf(event.key);
    if (direction === undefined) return;
    const next = stepBar(rows, shown, wayOf(direction, matchMedia(UPRIGHT).matches));
    if (next === undefined) return;
    event.preventDefault();
    focusOn(next);
  };
  const counted = rows.reduce((sum, { bars }) => sum + bars.length, 0);
  return (
    <div class="stack one-column gap-75">
      <DayPicker
        items={items}
        day={day}
        now={now.value}
        onDay={(text) => {
          chosen.value = undefined;
          setQuery({ day: text }, true);
        }}
      />
      {tuners.value === undefined && tuners.failure !== undefined ? (
        <p class="alert" role="alert">
          {TEXTS.noTuners}
          {tuners.failure.message} {adviceFor(tuners.failure).next}
        </p>
      ) : null}
      {counted === 0 ? (
        <Panel
          icon="reserve"
          title={TEXTS.emptyDay}
          actions={
            <a class="button" href="guide">
              {TEXTS.openGuide}
            </a>
          }
        >
          <p>{TEXTS.emptyDayNote}</p>
        </Panel>
      ) : !isKnown ? (
        <span class="skeleton block-skeleton" role="status" aria-label={TEXTS.loading} />
      ) : (
        <>
          <section
            ref={stage}
            class="day-stage relative round-l bordered surface"
            aria-label={TEXTS.byTuner}
            data-nav-group="day-stage"
            data-nav-whole=""
            onKeyDown={onKey}
          >
            <div class="day-sheet relative" style={{ '--rows': rows.length }}>
              <div
                class="day-corner sticky at-top at-left line-below line-right surface"
                aria-hidden="true"
              />
              <Hours />
              <Table
                rows={rows}
                day={day}
                chosen={shown}
                onChoose={(place) => {
                  // Already selected by an arrow key, together with its anchor time.
                  if (chosen.peek()?.id !== place.id) chosen.value = place;
                }}
              />
            </div>
          </section>
          <DayFocus id={shown?.id} onOpen={openReservation} />
        </>
      )}
    </div>
  );
}
