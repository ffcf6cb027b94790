/** Above the sheet of the guide: broadcast types, days, the present, the evening, zoom, genres. */
import type { Station } from '../../wire/api.ts';
import { Icon } from '../ui/icon.tsx';
import { Named } from '../ui/named.tsx';
import { DAY_MS, DAYS, HOUR_MS } from '../words/day.ts';
import { majorGenreName } from '../words/genre.ts';

const JST_OFFSET_MS = 9 * HOUR_MS;
const WEEKDAYS = ['日', '月', '火', '水', '木', '金', '土'] as const;

export interface Band {
  readonly type: Station['type'];
  readonly label: string;
}

interface ToolbarProps {
  readonly bands: readonly Band[];
  readonly type: Station['type'];
  /** Beginning of the first day. */
  readonly from: number;
  /** Beginning of the day in view. */
  readonly day: number;
  readonly genre: number | undefined;
  readonly onType: (type: Station['type']) => void;
  readonly onDay: (day: number) => void;
  readonly onNow: () => void;
  readonly onEvening: () => void;
  readonly onZoom: (by: 1 | -1) => void;
  readonly onGenres: () => void;
}

function DayButton({
  day,
  index,
  chosen,
  onDay,
}: {
  day: number;
  index: number;
  chosen: boolean;
  onDay: (day: number) => void;
}) {
  const date = new Date(day + JST_OFFSET_MS);
  const weekday = date.getUTCDay();
  const words = index === 0 ? '今日' : index === 1 ? '明日' : `${WEEKDAYS[weekday] ?? ''}曜`;
  return (
    <button
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
            {date.getUTCDate() === 1 || index === 0 ? `${date.getUTCMonth() + 1}/` : ''}
          </span>
          {date.getUTCDate()}
        </b>
      </Named>
    </button>
  );
}

export function Toolbar(props: ToolbarProps) {
  const { bands, type, from, day, genre } = props;
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
        {Array.from({ length: DAYS }, (_, index) => {
          const start = from + index * DAY_MS;
          return (
            <DayButton key={start} day={start} index={index} chosen={start === day} onDay={props.onDay} />
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
