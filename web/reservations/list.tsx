/** Reservations by broadcast day: conflicts first, past ones last. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { Icon } from '../ui/icon.tsx';
import { dateText } from '../words/time.ts';
import { dayWords } from './days.ts';
import { BookingRow, ConflictRow } from './row.tsx';
import type { Day, ShownReservations } from './sort.ts';
import { TEXTS } from './texts.ts';

/** Rows rendered at first: more than the highest screen shows. A household may have hundreds of reservations. */
const FIRST_ROWS = 16;
/** Rows added at a time when the view comes near. */
const MORE_ROWS = 16;
/** Estimated height of a row that is not rendered yet. */
const ROW_REM = 4.4;
/** More conflicts than these begin folded. */
const MOST_OPEN = 2;
/** Conflicts shown above the other reservations: few enough to keep some of those in view. */
const MOST_CONFLICTS = 3;

/** Placeholder for rows that are not rendered yet: requests more when it is within a screen of the view. */
function Rest({ count, onNear }: { count: number; onNear: () => void }) {
  const place = useRef<HTMLLIElement>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const watch = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) onNear();
      },
      { rootMargin: '100% 0px' },
    );
    watch.observe(element);
    return () => watch.disconnect();
    // Observed again whenever fewer rows are left, which reports its new position.
  }, [count]);
  return <li ref={place} class="unlisted" style={{ height: `${count * ROW_REM}rem` }} />;
}

/** A day, or its first rows. */
interface SomeOfDay extends Day {
  /** Number of all its reservations, where not all are given. */
  readonly total?: number;
}

interface DayProps {
  readonly day: SomeOfDay;
  readonly now: BroadcastMs;
  /** Rows rendered at first. */
  readonly first: number;
  /** Prefix of the heading: a day may occur in several lists. */
  readonly of: string;
  /** Of conflicts: whether their actions are expanded. */
  readonly open?: boolean | undefined;
}

function DaySection({ day, now, first, of, open }: DayProps) {
  const [some, setSome] = useState(first);
  const words = dayWords(day.day, now);
  const date = dateText(day.day, now);
  const rest = day.items.length - some;
  return (
    <section class="booking-day below-150" aria-label={`${of}${words}${date}`}>
      <h2 class="booking-day-name flex align-baseline text-l below-75 gap-50">
        {words === '' ? null : <b>{words}</b>}
        <span class="numbers">{date}</span>
        <small class="numbers note semibold">{TEXTS.count(day.total ?? day.items.length)}</small>
      </h2>
      <ul class="booking-list stack gap-10 round-l bordered surface shadow-1 pad-1">
        {day.items
          .slice(0, some)
          .map((item) =>
            open === undefined ? (
              <BookingRow key={item.id} item={item} />
            ) : (
              <ConflictRow key={item.id} item={item} open={open} />
            ),
          )}
        {rest > 0 ? <Rest count={rest} onNear={() => setSome(some + MORE_ROWS)} /> : null}
      </ul>
    </section>
  );
}

/** Number of rows of each day to render at first. */
function firstRows(days: readonly Day[], before: number): number[] {
  let left = Math.max(0, FIRST_ROWS - before);
  return days.map(({ items }) => {
    const first = Math.min(items.length, left);
    left -= first;
    return first;
  });
}

const countOf = (days: readonly Day[]): number => days.reduce((sum, { items }) => sum + items.length, 0);

/** The first rows over all days. */
function firstOf(days: readonly Day[], count: number): SomeOfDay[] {
  let left = count;
  return days.flatMap((day) => {
    const items = day.items.slice(0, left);
    left -= items.length;
    return items.length === 0 ? [] : [{ ...day, items, total: day.items.length }];
  });
}

interface DaysProps {
  readonly days: readonly SomeOfDay[];
  readonly now: BroadcastMs;
  /** Rows above them. */
  readonly before: number;
  readonly of: string;
  readonly open?: boolean | undefined;
}

function Days({ days, now, before, of, open }: DaysProps) {
  const first = firstRows(days, before);
  return (
    <>
      {days.map((day, index) => (
        <DaySection key={day.day} day={day} now={now} first={first[index] ?? 0} of={of} open={open} />
      ))}
    </>
  );
}

/** Above other reservations only the first conflicts are shown, until the viewer asks for all. */
function Conflicts({ shown, now }: { shown: ShownReservations; now: BroadcastMs }) {
  const [all, setAll] = useState(false);
  const { conflicts, days } = shown;
  const count = countOf(conflicts);
  // One more takes no more space than the button would.
  const foldable = days.length > 0 && count > MOST_CONFLICTS + 1;
  return (
    <section class="conflicts below-150" aria-label={TEXTS.conflicts}>
      <h2 class="booking-day-name flex align-baseline text-l below-75 gap-50">
        <b>{TEXTS.conflict}</b>
        <small class="note semibold">{TEXTS.conflictNote}</small>
      </h2>
      <Days
        days={foldable && !all ? firstOf(conflicts, MOST_CONFLICTS) : conflicts}
        now={now}
        before={0}
        of={TEXTS.ofConflicts}
        open={count <= MOST_OPEN}
      />
      {foldable ? (
        <button type="button" class="button" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? TEXTS.fewerConflicts : TEXTS.moreConflicts(count - MOST_CONFLICTS)}
          <Icon name={all ? 'up' : 'down'} />
        </button>
      ) : null}
    </section>
  );
}

export function BookingList({ shown, now }: { shown: ShownReservations; now: BroadcastMs }) {
  const { conflicts, days, over } = shown;
  const missing = countOf(conflicts);
  const open = missing + countOf(days);
  return (
    <div data-nav-group="bookings" data-nav-start="">
      {missing === 0 ? null : <Conflicts shown={shown} now={now} />}
      <Days days={days} now={now} before={missing} of="" />
      {over.length === 0 ? null : (
        <section class="line-above above-150 pad-y" aria-label={TEXTS.over}>
          <h2 class="below-100 text-l muted">{TEXTS.overTwoWeeks}</h2>
          <Days days={over} now={now} before={open} of={TEXTS.ofOver} />
        </section>
      )}
    </div>
  );
}
