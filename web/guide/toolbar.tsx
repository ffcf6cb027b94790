/** Toolbar above the guide: broadcast types, days, now, evening, zoom, genres. */
import { useEffect, useRef } from 'preact/hooks';
import { type BroadcastMs, DAY_MS, JST_OFFSET_MS, plusMs } from '../../lib/arib/time.ts';
import type { Station } from '../../lib/wire/api.ts';
import { Icon } from '../ui/icon.tsx';
import { Named } from '../ui/named.tsx';
import { majorGenreName } from '../words/genre.ts';
import { WEEKDAYS } from '../words/time.ts';
import type { Span } from './geometry.ts';
import { TEXTS } from './texts.ts';

export interface Band {
  readonly type: Station['type'];
  readonly label: string;
}

interface ToolbarProps {
  readonly bands: readonly Band[];
  readonly type: Station['type'];
  readonly span: Span;
  /** Beginning of the present day. */
  readonly today: BroadcastMs;
  /** Beginning of the day in view. */
  readonly day: BroadcastMs;
  readonly genre: number | undefined;
  readonly onType: (type: Station['type']) => void;
  readonly onDay: (day: BroadcastMs) => void;
  readonly onNow: () => void;
  readonly onEvening: () => void;
  readonly onZoom: (by: 1 | -1) => void;
  readonly onGenres: () => void;
  readonly onJump: () => void;
  readonly onLook: () => void;
}

/** By offset from today. */
const NEAR_DAYS: Readonly<Partial<Record<number, string>>> = {
  [-1]: TEXTS.yesterday,
  0: TEXTS.today,
  1: TEXTS.tomorrow,
};

interface DayButtonProps {
  readonly day: BroadcastMs;
  readonly today: BroadcastMs;
  readonly chosen: boolean;
  readonly onDay: (day: BroadcastMs) => void;
}

function DayButton({ day, today, chosen, onDay }: DayButtonProps) {
  const date = new Date(day + JST_OFFSET_MS);
  const weekday = date.getUTCDay();
  const distance = Math.round((day - today) / DAY_MS);
  const words = NEAR_DAYS[distance] ?? TEXTS.weekday(WEEKDAYS[weekday] ?? '');
  const button = useRef<HTMLButtonElement>(null);
  // The first days may be out of sight on a phone.
  useEffect(() => {
    if (chosen) button.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [chosen]);
  return (
    <button
      ref={button}
      type="button"
      role="tab"
      class="guide-day stack items-middle muted round-m hover-deep line-tight"
      data-weekday={weekday}
      aria-selected={chosen}
      onClick={() => onDay(day)}
    >
      <Named name={TEXTS.dayName(date.getUTCMonth() + 1, date.getUTCDate(), words)}>
        <span class="text-mini bold">{words}</span>
        <b class="guide-day-number numbers ink">
          <span class="wide-only">
            {date.getUTCDate() === 1 || distance === 0 ? `${date.getUTCMonth() + 1}/` : ''}
          </span>
          {date.getUTCDate()}
        </b>
      </Named>
    </button>
  );
}

export function GuideToolbar(props: ToolbarProps) {
  const { bands, type, span, today, day, genre } = props;
  const days = Math.round((span.to - span.from) / DAY_MS);
  const date = new Date(day + JST_OFFSET_MS);
  const shortDay = TEXTS.shortDay(date.getUTCDate(), WEEKDAYS[date.getUTCDay()] ?? '');
  return (
    <div class="guide-bar cluster">
      <h1 class="hidden-text">{TEXTS.guide}</h1>
      {bands.length < 2 ? null : (
        <div class="tabs guide-types" role="tablist" aria-label={TEXTS.bands} data-nav-group="guide-types">
          {bands.map((band) => (
            <button
              key={band.type}
              type="button"
              role="tab"
              class="tab"
              aria-selected={band.type === type}
              onClick={() => props.onType(band.type)}
            >
              {band.label}
            </button>
          ))}
        </div>
      )}
      <div
        class="wide-only flex hscroll gap-25 strip"
        role="tablist"
        aria-label={TEXTS.date}
        data-nav-group="guide-days"
      >
        {Array.from({ length: days }, (_, index) => {
          const start = plusMs(span.from, index * DAY_MS);
          return (
            <DayButton key={start} day={start} today={today} chosen={start === day} onDay={props.onDay} />
          );
        })}
      </div>
      <div class="guide-tools hstack push-end gap-40">
        <button type="button" class="button button-small" onClick={props.onNow}>
          <Icon name="clock" class="wide-only" />
          {TEXTS.now}
        </button>
        <button
          type="button"
          class="button button-small wide-only"
          onClick={props.onEvening}
          aria-label={TEXTS.toEvening}
        >
          <Icon name="evening" />
          <span class="numbers">{TEXTS.evening}</span>
        </button>
        <button
          type="button"
          class="button button-small"
          data-genre={genre}
          aria-haspopup="dialog"
          aria-label={genre === undefined ? TEXTS.genre : TEXTS.genreChosen(majorGenreName(genre))}
          onClick={props.onGenres}
        >
          {genre === undefined ? <Icon name="filter" /> : <span class="swatch" />}
          <span class="guide-tool-words wide-only">
            {genre === undefined ? TEXTS.genre : majorGenreName(genre)}
          </span>
        </button>
        <button
          type="button"
          class="button button-small button-icon guide-jump"
          aria-haspopup="dialog"
          aria-label={TEXTS.jumpFrom(shortDay)}
          onClick={props.onJump}
        >
          <Icon name="reserve" class="wide-only" />
          {/* On phones in place of the row of days. */}
          <span class="numbers phone-only">{shortDay}</span>
        </button>
        <button
          type="button"
          class="button button-small button-icon"
          aria-haspopup="dialog"
          aria-label={TEXTS.look}
          onClick={props.onLook}
        >
          <Icon name="tune" />
        </button>
        <span class="guide-zoom gap-25 wide-only">
          <button
            type="button"
            class="button button-small button-icon"
            aria-label={TEXTS.zoomOut}
            onClick={() => props.onZoom(-1)}
          >
            <Icon name="minus" />
          </button>
          <button
            type="button"
            class="button button-small button-icon"
            aria-label={TEXTS.zoomIn}
            onClick={() => props.onZoom(1)}
          >
            <Icon name="plus" />
          </button>
        </span>
      </div>
    </div>
  );
}
