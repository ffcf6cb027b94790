/** Filters of a search: chips for the usual ones, collapsed at first. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { BROADCAST_TYPES, type StationId } from '../../lib/arib/ids.ts';
import { stations } from '../query/stations.ts';
import { Icon } from '../ui/icon.tsx';
import { Toggle, toggled } from '../ui/toggle.tsx';
import { channelLabel, narrow } from '../words/channel.ts';
import { MAJOR_GENRES, middleGenres } from '../words/genre.ts';
import { WEEKDAYS } from '../words/time.ts';
import {
  countFilters,
  type Filters,
  type GenreWish,
  genresNamed,
  genreWishText,
  NO_FILTERS,
  TIME_BANDS,
} from './filters.ts';
import { TEXTS } from './texts.ts';

const TYPE_WORDS = { GR: TEXTS.terrestrial, BS: 'BS', CS: 'CS' } as const;
/** From Monday on, as a rule tells them. */
const WEEK_DAYS = [1, 2, 3, 4, 5, 6, 0].map((day) => [day, WEEKDAYS[day] ?? ''] as const);

function Group({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <fieldset class="stack min-0 no-margin no-padding gap-50 borderless">
      <legend class="no-padding note semibold">{label}</legend>
      <div class="flex wrap gap-50">{children}</div>
    </fieldset>
  );
}

interface PanelProps {
  readonly words: string;
  readonly filters: Filters;
  readonly onChange: (changes: Partial<Filters>) => void;
}

const isSame = (one: GenreWish | null, other: GenreWish): boolean =>
  one !== null && one.lv1 === other.lv1 && one.lv2 === other.lv2;

function Genres({ genre, onChange }: { genre: GenreWish | null; onChange: PanelProps['onChange'] }) {
  const choose = (wish: GenreWish): void => onChange({ genre: isSame(genre, wish) ? null : wish });
  return (
    <>
      <Group label={TEXTS.genre}>
        {MAJOR_GENRES.map(({ lv1, name }) => (
          <Toggle
            key={lv1}
            on={genre?.lv1 === lv1}
            onPress={() => onChange({ genre: genre?.lv1 === lv1 ? null : { lv1, lv2: null } })}
          >
            {name}
          </Toggle>
        ))}
      </Group>
      {genre === null || middleGenres(genre.lv1).length === 0 ? null : (
        <Group label={TEXTS.partsOf(genreWishText({ lv1: genre.lv1, lv2: null }))}>
          {middleGenres(genre.lv1).map(({ lv2, name }) => (
            <Toggle key={lv2} on={genre.lv2 === lv2} onPress={() => choose({ lv1: genre.lv1, lv2 })}>
              {name}
            </Toggle>
          ))}
        </Group>
      )}
    </>
  );
}

function StationChoice({ filters, onChange }: Omit<PanelProps, 'words'>) {
  const list = stations.value.filter(
    ({ type }) => filters.types.length === 0 || filters.types.includes(type),
  );
  return (
    <label class="stack min-0 no-margin no-padding gap-50 borderless">
      <span class="no-padding note semibold">{TEXTS.station}</span>
      <select
        class="surface round-m ink press-height rule-input"
        value={filters.stationId ?? ''}
        onChange={({ currentTarget }) =>
          onChange({
            stationId: currentTarget.value === '' ? null : (Number(currentTarget.value) as StationId),
          })
        }
      >
        <option value="">{TEXTS.allStations}</option>
        {list.map((station) => (
          <option key={station.id} value={station.id}>
            {channelLabel(station, stations.value)} {narrow(station.name)}
          </option>
        ))}
      </select>
    </label>
  );
}

interface FilterPanelProps extends PanelProps {
  readonly suggestions: readonly string[];
  readonly onPick: (words: string) => void;
}

export function FilterPanel({ words, filters, suggestions, onChange, onPick }: FilterPanelProps) {
  const open = useSignal(false);
  const count = countFilters(filters);
  const offered = genresNamed(words).filter((wish) => !isSame(filters.genre, wish));
  return (
    <div class="below-100" data-nav-group="filters">
      <div class="search-chips flex hscroll gap-50 strip">
        <button
          type="button"
          class="chip rigid nowrap button button-small"
          aria-expanded={open.value}
          aria-controls="search-filters"
          onClick={() => {
            open.value = !open.value;
          }}
        >
          <Icon name="filter" />
          {TEXTS.filter}
          {count === 0 ? '' : TEXTS.filterCount(count)}
        </button>
        {count === 0 ? null : (
          <button
            type="button"
            class="chip rigid nowrap button button-small"
            onClick={() => onChange(NO_FILTERS)}
          >
            <Icon name="close" />
            {TEXTS.clearAll}
          </button>
        )}
        {suggestions.map((text) => (
          <button
            key={text}
            type="button"
            class="chip rigid nowrap button button-small"
            onClick={() => onPick(text)}
          >
            <Icon name="search" />
            {text}
          </button>
        ))}
        {offered.map((wish) => (
          <button
            key={`${wish.lv1} ${wish.lv2}`}
            type="button"
            class="chip rigid nowrap button button-small"
            onClick={() => onChange({ genre: wish })}
          >
            {TEXTS.genreOffered(genreWishText(wish))}
          </button>
        ))}
      </div>
      <div
        id="search-filters"
        class="filter-groups stack gap-75 above-75 round-l bordered surface pad-3"
        hidden={!open.value}
      >
        {open.value ? (
          <>
            <Group label={TEXTS.bands}>
              {BROADCAST_TYPES.map((type) => (
                <Toggle
                  key={type}
                  on={filters.types.includes(type)}
                  onPress={() => onChange({ types: toggled(filters.types, type) })}
                >
                  {TYPE_WORDS[type]}
                </Toggle>
              ))}
              <Toggle on={filters.free} onPress={() => onChange({ free: !filters.free })}>
                {TEXTS.freeOnly}
              </Toggle>
            </Group>
            <Genres genre={filters.genre} onChange={onChange} />
            <Group label={TEXTS.weekdays}>
              {WEEK_DAYS.map(([day, name]) => (
                <Toggle
                  key={day}
                  on={filters.weekdays.includes(day)}
                  label={TEXTS.weekday(name)}
                  onPress={() => onChange({ weekdays: toggled(filters.weekdays, day).sort() })}
                >
                  {name}
                </Toggle>
              ))}
            </Group>
            <Group label={TEXTS.times}>
              {TIME_BANDS.map(({ key, label, hours }) => (
                <Toggle
                  key={key}
                  on={filters.time === key}
                  label={TEXTS.time(label, hours)}
                  onPress={() => onChange({ time: filters.time === key ? null : key })}
                >
                  {label} <span class="numbers text-xs muted">{hours}</span>
                </Toggle>
              ))}
            </Group>
            <StationChoice filters={filters} onChange={onChange} />
          </>
        ) : null}
      </div>
    </div>
  );
}
