/**
 * Days side by side, hours downwards, with items placed by their time. A day begins at 05:00 as in a printed guide; an
 * item beyond that has a part in each of its days.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type BroadcastMs, DAY_MS, HOUR_MS } from '../../lib/arib/time.ts';
import { airHour } from './air-hour.ts';
import { type Placed, placeColumn, type Timed } from './lanes.ts';

const HOURS = 24;
const FIRST_HOUR = 5;
/** Part of the view above the present. */
const NOW_LEAD = 0.25;
/** Where a week without a present part begins: 18:00. */
const EVENING_HOURS = 13;

/** Narrowest day, and narrowest of those side by side in one, in rem. */
const COLUMN_REM = 7.2;
const LANE_REM = 4.6;

/** Where a part lies, for the style of its element. */
export interface WeekPlace {
  readonly style: Readonly<Record<string, string | number>>;
  /** Hours that are to be seen of it. */
  readonly hours: number;
}

interface WeekProps<T extends Timed> {
  readonly label: string;
  /** 05:00 of each day. */
  readonly days: readonly BroadcastMs[];
  readonly now: BroadcastMs;
  readonly items: readonly T[];
  readonly head: (day: BroadcastMs) => ComponentChildren;
  readonly draw: (item: T, place: WeekPlace) => ComponentChildren;
  /** Where it opens. Default: at the present, of a week without it in the evening. */
  readonly openAt?: (view: WeekView) => WeekCorner;
}

/** How much of a week is in view. */
export interface WeekView {
  readonly hours: number;
  readonly days: number;
}

/** The first hour in view, from 05:00 on, and the first day. */
export interface WeekCorner {
  readonly hour: number;
  readonly day: number;
}

function dayParts<T extends Timed>(items: readonly T[], day: BroadcastMs): Placed<T>[] {
  return placeColumn(items.filter(({ startAt, endAt }) => startAt < day + DAY_MS && endAt > day));
}

function weekPlace({ program, lane, lanes }: Placed<Timed>, day: BroadcastMs): WeekPlace {
  const from = Math.max(0, (program.startAt - day) / HOUR_MS);
  const to = Math.min(HOURS, (program.endAt - day) / HOUR_MS);
  const style = { '--from': from.toFixed(4), '--to': to.toFixed(4), '--lane': lane, '--lanes': lanes };
  return { style, hours: to - from };
}

export function Week<T extends Timed>({ label, days, now, items, head, draw, openAt }: WeekProps<T>) {
  const stage = useRef<HTMLElement>(null);
  const today = days.findIndex((day) => now >= day && now < day + DAY_MS);
  useEffect(() => {
    const element = stage.current;
    const sheet = element?.firstElementChild;
    if (element === null || sheet == null) return;
    const columns = [...sheet.querySelectorAll<HTMLElement>('.week-day')];
    const corner = sheet.firstElementChild;
    const [width, top] = [corner?.clientWidth ?? 0, corner?.clientHeight ?? 0];
    const hourHeight = (columns[0]?.clientHeight ?? 0) / HOURS;
    const inView = {
      hours: (element.clientHeight - top) / hourHeight,
      days: columns.filter((column) => column.offsetLeft + column.clientWidth <= element.clientWidth).length,
    };
    const present = today < 0 ? EVENING_HOURS : (now - (days[today] ?? now)) / HOUR_MS;
    const lead = (element.clientHeight * NOW_LEAD - top) / hourHeight;
    const { hour, day } = openAt?.(inView) ?? { hour: present - lead, day: Math.max(0, today) };
    element.scrollTop = hour * hourHeight;
    element.scrollLeft = (columns[day]?.offsetLeft ?? 0) - width;
  }, [label, days[0], days.length]);
  const columns = days.map((day) => dayParts(items, day));
  const widths = columns.map((parts) => {
    const lanes = Math.max(1, ...parts.map((part) => part.lanes));
    return `minmax(${Math.max(COLUMN_REM, lanes * LANE_REM)}rem, 1fr)`;
  });
  return (
    <section
      ref={stage}
      class="week full-height ground-deep"
      aria-label={label}
      data-nav-group="week"
      data-nav-start=""
    >
      <div
        class="week-sheet stack relative"
        style={{ 'grid-template-columns': `var(--ruler) ${widths.join(' ')}` }}
      >
        <div class="sticky at-top at-left line-below line-right surface layer-3" aria-hidden="true" />
        {days.map((day, index) => (
          <div
            key={day}
            class="week-head place-center sticky at-top layer-3 text-s nowrap line-below line-right surface"
            data-today={index === today ? '' : undefined}
          >
            {head(day)}
          </div>
        ))}
        <div class="week-hours sticky at-left layer-2 line-right surface" aria-hidden="true">
          {Array.from({ length: HOURS }, (_, index) => (
            <span
              key={index}
              class="numbers absolute at-left at-right bold muted text-center"
              style={{ '--from': index }}
            >
              {airHour(index + FIRST_HOUR)}
            </span>
          ))}
        </div>
        {days.map((day, index) => (
          <div key={day} class="week-day relative line-right" data-today={index === today ? '' : undefined}>
            {columns[index]?.map((part) => draw(part.program, weekPlace(part, day)))}
            {index === today ? (
              <i
                class="week-now record-color absolute at-left no-pointer at-right"
                aria-hidden="true"
                style={{ '--from': ((now - day) / HOUR_MS).toFixed(4) }}
              />
            ) : null}
          </div>
        ))}
      </div>
    </section>
  );
}
