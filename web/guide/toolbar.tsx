/** Above the sheet of the guide: broadcast types, days, the present, the evening, zoom, genres. */
import { useEffect, useRef } from 'preact/hooks';
import type { Station } from '../../wire/api.ts';
import { Icon } from '../ui/icon.tsx';
import { Named } from '../ui/named.tsx';
import { DAY_MS, HOUR_MS } from '../words/day.ts';
import { majorGenreName } from '../words/genre.ts';
import type { Span } from './geometry.ts';

const JST_OFFSET_MS = 9 * HOUR_MS;
const WEEKDAYS = ['日', '月', '火', '水', '木', '金', '土'] as const;

export interface Band {
  readonly type: Station['type'];
  readonly label: string;
}

interface ToolbarProps {
  readonly bands: readonly Band[];
  readonly type: Station['type'];
  readonly span: Span;
  /** Beginning of the present day. */
  readonly today: number;
  /** Beginning of the day in view. */
  readonly day: number;
  readonly genre: number | undefined;
  readonly onType: (type: Station['type']) => void;
  readonly onDay: (day: number) => void;
  readonly onNow: () => void;
  readonly onEvening: () => void;
  readonly onZoom: (by: 1 | -1) => void;
  readonly onGenres: () => void;
  readonly onJump: () => void;
  readonly onLook: () => void;
}

/** By distance from today. */
const NEAR_DAYS: Readonly<Partial<Record<number, string>>> = { [-1]: '昨日', 0: '今日', 1: '明日' };

interface DayButtonProps {
  readonly day: number;
  readonly today: number;
  readonly chosen: boolean;
  readonly onDay: (day: number) => void;
}

function DayButton({ day, today, chosen, onDay }: DayButtonProps) {
  const date = new Date(day + JST_OFFSET_MS);
  const weekday = date.getUTCDay();
  const distance = Math.round((day - today) / DAY_MS);
  const words = NEAR_DAYS[distance] ?? `${WEEKDAYS[weekday] ?? ''}曜`;
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
      class="guide-day"
      data-weekday={weekday}
      aria-selected={chosen}
      onClick={() => onDay(day)}
    >
      <Named name={`${date.getUTCMonth() + 1}月${date.getUTCDate()}日 ${words}`}>
        <span class="guide-day-words">{words}</span>
        <b class="guide-day-number numbers">
          <span class="guide-month">
            {date.getUTCDate() === 1 || distance === 0 ? `${date.getUTCMonth() + 1}/` : ''}
          </span>
          {date.getUTCDate()}
        </b>
      </Named>
    </button>
  );
}

export function Toolbar(props: ToolbarProps) {
  const { bands, type, span, today, day, genre } = props;
  const days = Math.round((span.to - span.from) / DAY_MS);
  return (
    <div class="guide-bar">
      <h1 class="hidden-text">番組表</h1>
      {bands.length < 2 ? null : (
        <div class="tabs guide-types" role="tablist" aria-label="放送の種類" data-nav-group="guide-types">
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
      <div class="guide-days" role="tablist" aria-label="日付" data-nav-group="guide-days">
        {Array.from({ length: days }, (_, index) => {
          const start = span.from + index * DAY_MS;
          return (
            <DayButton key={start} day={start} today={today} chosen={start === day} onDay={props.onDay} />
          );
        })}
      </div>
      <div class="guide-tools">
        <button type="button" class="button button-small guide-tool-now" onClick={props.onNow}>
          <Icon name="clock" />
          いま
        </button>
        <button type="button" class="button button-small" onClick={props.onEvening} aria-label="19時へ">
          <Icon name="evening" />
          <span class="numbers">19時</span>
        </button>
        <button
          type="button"
          class="button button-small"
          data-genre={genre}
          aria-haspopup="dialog"
          aria-label={genre === undefined ? 'ジャンル' : `ジャンル ${majorGenreName(genre)}`}
          onClick={props.onGenres}
        >
          {genre === undefined ? <Icon name="filter" /> : <span class="swatch" />}
          <span class="guide-tool-words">{genre === undefined ? 'ジャンル' : majorGenreName(genre)}</span>
        </button>
        <button
          type="button"
          class="button button-small button-icon"
          aria-haspopup="dialog"
          aria-label="日時を選ぶ"
          onClick={props.onJump}
        >
          <Icon name="reserve" />
        </button>
        <button
          type="button"
          class="button button-small button-icon"
          aria-haspopup="dialog"
          aria-label="番組表の表示"
          onClick={props.onLook}
        >
          <Icon name="tune" />
        </button>
        <span class="guide-zoom">
          <button
            type="button"
            class="button button-small button-icon"
            aria-label="縮小"
            onClick={() => props.onZoom(-1)}
          >
            <Icon name="minus" />
          </button>
          <button
            type="button"
            class="button button-small button-icon"
            aria-label="拡大"
            onClick={() => props.onZoom(1)}
          >
            <Icon name="plus" />
          </button>
        </span>
      </div>
    </div>
  );
}
