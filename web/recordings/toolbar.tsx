/** Toolbar above the recordings: filters, order and appearance. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { RecordingShow, StorageFacts } from '../../lib/wire/api.ts';
import { MAX_QUERY_LENGTH } from '../../lib/wire/vocabulary.ts';
import { recordingsGrouped, recordingsLook, recordingsSort } from '../device/preferences.ts';
import { query, setQuery } from '../navigation/router.ts';
import { stationById } from '../query/stations.ts';
import { Icon } from '../ui/icon.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { narrow } from '../words/channel.ts';
import { majorGenreName } from '../words/genre.ts';
import { SORT_NAMES } from '../words/recording.ts';
import type { RecordingQuery } from './query.ts';
import { TEXTS } from './texts.ts';

interface Kind {
  readonly key: string;
  readonly label: string;
  readonly show: RecordingShow | null;
  readonly unwatched: boolean;
  readonly count?: (storage: StorageFacts) => number;
}

const KINDS: readonly Kind[] = [
  { key: 'all', label: TEXTS.all, show: null, unwatched: false, count: ({ recordings }) => recordings.count },
  {
    key: 'unwatched',
    label: TEXTS.unwatched,
    show: null,
    unwatched: true,
    count: ({ recordings }) => recordings.unwatched,
  },
  { key: 'protected', label: TEXTS.protected, show: 'protected', unwatched: false },
  {
    key: 'failed',
    label: TEXTS.failed,
    show: 'failed',
    unwatched: false,
    count: ({ recordings }) => recordings.failed,
  },
  {
    key: 'bin',
    label: TEXTS.bin,
    show: 'bin',
    unwatched: false,
    count: ({ recordings }) => recordings.binned,
  },
];

function Kinds({ shown, storage }: { shown: RecordingQuery; storage: StorageFacts | undefined }) {
  return (
    <div class="tabs rec-kinds" role="tablist" aria-label={TEXTS.kinds} data-nav-group="rec-kinds">
      {KINDS.map(({ key, label, show, unwatched, count }) => {
        const many = storage === undefined ? undefined : count?.(storage);
        return (
          <button
            key={key}
            type="button"
            role="tab"
            class="tab"
            aria-selected={(shown.show ?? null) === show && shown.unwatched === unwatched}
            onClick={() => setQuery({ show, unwatched: unwatched ? '1' : null }, true)}
          >
            {label}
            {many === undefined || many === 0 ? null : (
              <span class="wide-only faint semibold text-xs numbers">{many.toLocaleString('ja-JP')}</span>
            )}
          </button>
        );
      })}
    </div>
  );
}

/** Debounce of the search field: longer than the pause between two letters of a word. */
const PAUSE_MS = 160;

/** The field keeps its own text while the user types; the address follows, and wins only when it changed by itself. */
function Words() {
  const inAddress = query.value.get('q') ?? '';
  const words = useSignal(inAddress);
  const written = useRef(inAddress);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (inAddress === written.current) return;
    clearTimeout(timer.current);
    written.current = inAddress;
    words.value = inAddress;
  }, [inAddress]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const write = (text: string, atOnce: boolean): void => {
    const cut = Array.from(text).slice(0, MAX_QUERY_LENGTH).join('');
    words.value = cut;
    clearTimeout(timer.current);
    timer.current = setTimeout(
      () => {
        written.current = cut.trim() === '' ? '' : cut;
        setQuery({ q: written.current === '' ? null : written.current }, true);
      },
      atOnce ? 0 : PAUSE_MS,
    );
  };
  return (
    <search class="rec-search min-0">
      <SearchField
        label={TEXTS.find}
        value={words.value}
        field={field}
        onInput={(text) => write(text, false)}
        onKeyDown={(event) => {
          if (event.isComposing || event.key !== 'Escape' || words.value === '') return;
          event.preventDefault();
          event.stopPropagation();
          write('', true);
        }}
      >
        {words.value === '' ? null : (
          <button
            type="button"
            class="rec-clear place-center faint circle"
            aria-label={TEXTS.clearWords}
            onClick={(event) => {
              event.preventDefault();
              write('', true);
              field.current?.focus();
            }}
          >
            <Icon name="close" />
          </button>
        )}
      </SearchField>
    </search>
  );
}

/** Active filters besides the kind; a press removes each. */
function Narrowed({ shown, ruleName }: { shown: RecordingQuery; ruleName: string | undefined }) {
  const { genre, stationId, ruleId } = shown;
  const all = [
    genre === undefined ? undefined : (['genre', majorGenreName(genre)] as const),
    stationId === undefined
      ? undefined
      : (['station', narrow(stationById(stationId)?.name ?? TEXTS.chosenStation)] as const),
    ruleId === undefined ? undefined : (['rule', ruleName ?? TEXTS.chosenRule] as const),
  ];
  return all
    .filter((one) => one !== undefined)
    .map(([name, label]) => (
      <button
        key={name}
        type="button"
        class="chip chip-on text-s text-accent button button-small chosen"
        onClick={() => setQuery({ [name]: null }, true)}
      >
        <span>{label}</span>
        <Icon name="close" />
        <span class="hidden-text">{TEXTS.widen}</span>
      </button>
    ));
}

function LookSwitch() {
  const list = recordingsLook.value === 'list';
  return (
    <button
      type="button"
      class="button button-small"
      aria-label={list ? TEXTS.asGrid : TEXTS.asList}
      title={list ? TEXTS.asGrid : TEXTS.asList}
      onClick={() => {
        recordingsLook.value = list ? 'grid' : 'list';
      }}
    >
      <Icon name={list ? 'tiles' : 'list'} />
    </button>
  );
}

interface ToolbarProps {
  readonly shown: RecordingQuery;
  readonly storage: StorageFacts | undefined;
  readonly ruleName: string | undefined;
  /** Grouping by series is available: no other filter is set. */
  readonly groupable: boolean;
  /** Undefined: the list has an order of its own. */
  readonly onSort: (() => void) | undefined;
  readonly onFilter: () => void;
  /** The pressed button disappears: keyboard users need another focus. */
  readonly onChoose: ((byKeys: boolean) => void) | undefined;
}

export function RecordingsToolbar(props: ToolbarProps) {
  const { shown, storage, ruleName, groupable, onSort, onFilter, onChoose } = props;
  return (
    <div class="rec-tools stack align-center gap-75 below-100">
      <Kinds shown={shown} storage={storage} />
      <Words />
      <div class="rec-tools-more flex wrap gap-50" data-nav-group="rec-tools">
        {onSort === undefined ? null : (
          <button type="button" class="button button-small" aria-haspopup="dialog" onClick={onSort}>
            <Icon name="sort" />
            {SORT_NAMES[recordingsSort.value]}
          </button>
        )}
        <button type="button" class="button button-small" aria-haspopup="dialog" onClick={onFilter}>
          <Icon name="filter" />
          {TEXTS.filter}
        </button>
        {groupable ? (
          <button
            type="button"
            class="button button-small"
            aria-pressed={recordingsGrouped.value}
            onClick={() => {
              recordingsGrouped.value = !recordingsGrouped.value;
            }}
          >
            <Icon name="pile" />
            <span>
              <span class="wide-only">{TEXTS.bySeries}</span>
              {TEXTS.group}
            </span>
          </button>
        ) : null}
        <Narrowed shown={shown} ruleName={ruleName} />
      </div>
      <div class="rec-tools-end flex gap-50" data-nav-group="rec-tools">
        {onChoose === undefined ? null : (
          <button
            type="button"
            class="button button-small"
            aria-label={TEXTS.choose}
            onClick={(event) => onChoose(event.detail === 0)}
          >
            <Icon name="choose" />
            <span class="wide-only">{TEXTS.choose}</span>
          </button>
        )}
        <LookSwitch />
      </div>
    </div>
  );
}
