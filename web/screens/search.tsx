/** Search: results while typing, in four sections; the query is part of the address and restored from it. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SearchResult, SearchSection } from '../../wire/api.ts';
import { recentSearches } from '../device/preferences.ts';
import { query, screen, setQuery } from '../navigation/router.ts';
import { windowAround } from '../query/booking-window.ts';
import { listenFor } from '../query/events.ts';
import { useBookings } from '../query/reservations.ts';
import { FilterPanel } from '../search/filter-panel.tsx';
import { countFilters, type Filters, filtersOf, parametersOf, ruleAddress } from '../search/filters.ts';
import { forgetSearches, rememberSearch } from '../search/recent.ts';
import { ProgramRow, RecordingRow, ReservationRow, RuleRow } from '../search/rows.tsx';
import { FIRST_SIZES, grown, type Sizes } from '../search/sections.ts';
import { SearchRun } from '../search/state.ts';
import { Icon } from '../ui/icon.tsx';
import { Panel } from '../ui/panel.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { adviceFor } from '../words/advice.ts';
import { Reason } from '../words/failure-panel.tsx';

const MOST_LETTERS = 100;

interface SectionProps {
  readonly title: string;
  readonly more: boolean;
  readonly count: number;
  readonly onMore: (() => void) | undefined;
  readonly children: ComponentChildren;
}

function Section({ title, more, count, onMore, children }: SectionProps) {
  if (count === 0) return null;
  return (
    <section class="found-section" aria-label={title}>
      <h2>{title}</h2>
      <div class="rows found-rows">{children}</div>
      {!more ? null : onMore === undefined ? (
        <p class="found-more-note">ほかにもあります。言葉を足すと絞り込めます。</p>
      ) : (
        <button type="button" class="button button-small" onClick={onMore}>
          もっと見る
        </button>
      )}
    </section>
  );
}

interface ResultsProps {
  readonly result: SearchResult;
  readonly filters: Filters;
  /** Undefined for a section that may not grow any more. */
  readonly onMore: (section: SearchSection) => (() => void) | undefined;
}

function Results({ result, filters, onMore }: ResultsProps) {
  const { programs, recordings, reservations, rules, q } = result;
  const total = [programs, recordings, reservations, rules].reduce((sum, { rows }) => sum + rows.length, 0);
  if (total === 0) {
    return (
      <Panel
        icon="search"
        title={q === '' ? '条件に合う番組は見つかりませんでした' : `「${q}」は見つかりませんでした`}
        actions={
          <a class="button" href={ruleAddress(q, filters)}>
            <Icon name="filter" />
            見つかったら録画する
          </a>
        }
      >
        <ul class="hints">
          {countFilters(filters) === 0 ? null : <li>絞り込みを解除すると、ほかの番組も探せます。</li>}
          <li>言葉を短くするか、ひとつだけにしてみてください。</li>
          <li>空白で区切ると、すべての言葉を含むものを探します。</li>
          <li>終わった番組は番組表からなくなります。</li>
        </ul>
      </Panel>
    );
  }
  return (
    <div class="found-list" data-nav-group="found">
      <Section title="番組" more={programs.more} count={programs.rows.length} onMore={onMore('programs')}>
        {programs.rows.map((row) => (
          <ProgramRow key={row.id} row={row} words={q} />
        ))}
      </Section>
      <Section
        title="録画"
        more={recordings.more}
        count={recordings.rows.length}
        onMore={onMore('recordings')}
      >
        {recordings.rows.map((row) => (
          <RecordingRow key={row.id} row={row} words={q} />
        ))}
      </Section>
      <Section
        title="予約"
        more={reservations.more}
        count={reservations.rows.length}
        onMore={onMore('reservations')}
      >
        {reservations.rows.map((row) => (
          <ReservationRow key={row.id} row={row} words={q} />
        ))}
      </Section>
      <Section title="録画ルール" more={rules.more} count={rules.rows.length} onMore={onMore('rules')}>
        {rules.rows.map((row) => (
          <RuleRow key={row.id} row={row} words={q} />
        ))}
      </Section>
      <p>
        <a class="button" href={ruleAddress(q, filters)}>
          <Icon name="filter" />
          {countFilters(filters) === 0 ? 'この言葉の録画ルールを作る' : 'この条件の録画ルールを作る'}
        </a>
      </p>
    </div>
  );
}

function Recent({ onPick }: { onPick: (words: string) => void }) {
  if (recentSearches.value.length === 0) {
    return (
      <Panel icon="search" title="番組を探しましょう">
        <p>番組の名前、出演者、内容の言葉で探せます。空白で区切ると、すべてを含む番組を探します。</p>
      </Panel>
    );
  }
  return (
    <section class="recent" aria-label="最近の検索">
      <header class="recent-head">
        <h2>最近の検索</h2>
        <button type="button" class="button button-small" onClick={forgetSearches}>
          履歴を消す
        </button>
      </header>
      <ul class="recent-list" data-nav-group="recent">
        {recentSearches.value.map((words) => (
          <li key={words}>
            <button type="button" class="chip" onClick={() => onPick(words)}>
              <Icon name="history" />
              {words}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/**
 * The field keeps its own text while the user types: the address follows, and replaces it only after a change from
 * elsewhere.
 */
function useWords() {
  const words = useSignal(query.value.get('q') ?? '');
  const inAddress = query.value.get('q') ?? '';
  const written = useRef(inAddress);
  useEffect(() => {
    // By now more may have been written than when this was drawn: only what came by another way counts.
    const present = query.peek().get('q') ?? '';
    if (screen.value.name !== 'search' || present === written.current) return;
    written.current = present;
    words.value = present;
  }, [inAddress]);
  const write = (text: string): void => {
    const cut = Array.from(text).slice(0, MOST_LETTERS).join('');
    words.value = cut;
    written.current = cut.trim() === '' ? '' : cut;
    setQuery({ q: written.current === '' ? null : written.current }, true);
  };
  return { words, write };
}

export function Search() {
  const field = useRef<HTMLInputElement>(null);
  const { words, write } = useWords();
  const [run] = useState(() => new SearchRun());
  const sizes = useSignal<Sizes>(FIRST_SIZES);
  const atOnce = useRef(true);
  const state = run.state.value;
  const filters = filtersOf(query.value);
  const latest = useRef(filters);
  latest.current = filters;
  const narrowing = JSON.stringify(filters);

  useEffect(() => {
    run.search(words.value, sizes.value, atOnce.current, latest.current);
    atOnce.current = false;
  }, [words.value, sizes.value, narrowing]);
  useEffect(() => {
    const stop = listenFor(['programs', 'recordings', 'reservations'], () => {
      run.search(words.peek(), sizes.peek(), true, latest.current);
    });
    // With a result to come back to, the focus is better left where it was.
    if (words.peek() === '') field.current?.focus({ preventScroll: true });
    return () => {
      stop();
      run.close();
      rememberSearch(words.peek());
    };
  }, []);

  const onKey = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === 'Escape' && words.value !== '') {
      event.preventDefault();
      write('');
    } else if (event.key === 'Enter') {
      event.preventDefault();
      rememberSearch(words.value);
      run.search(words.value, sizes.value, true, latest.current);
      document.querySelector<HTMLElement>('.found, .chip')?.focus();
    }
  };
  const shown = state.kind === 'ready' ? state.result : state.kind === 'waiting' ? state.before : undefined;
  useBookings(windowAround(shown?.programs.rows ?? []) ?? null);
  const pick = (text: string): void => {
    atOnce.current = true;
    sizes.value = FIRST_SIZES;
    write(text);
    field.current?.focus();
  };
  return (
    <div class="search">
      <h1 class="hidden-text">検索</h1>
      <search class="search-head">
        <SearchField
          label="番組を検索"
          hint="番組名・出演者・内容で検索"
          value={words.value}
          field={field}
          initial
          onInput={(text) => {
            sizes.value = FIRST_SIZES;
            write(text);
          }}
          onKeyDown={onKey}
        >
          <span class="search-wait" data-shown={state.kind === 'waiting' ? '' : undefined} />
        </SearchField>
        {words.value === '' ? null : (
          <button
            type="button"
            class="round"
            aria-label="検索の言葉を消す"
            onClick={() => {
              write('');
              field.current?.focus();
            }}
          >
            <Icon name="close" />
          </button>
        )}
      </search>
      <FilterPanel
        words={words.value}
        filters={filters}
        onChange={(changes) => {
          atOnce.current = true;
          sizes.value = FIRST_SIZES;
          setQuery(parametersOf({ ...filters, ...changes }), true);
        }}
      />
      <div class="search-results" aria-live="polite" aria-busy={state.kind === 'waiting'}>
        {state.kind === 'empty' ? <Recent onPick={pick} /> : null}
        {state.kind === 'failed' ? (
          <Panel
            alert
            icon="unlink"
            title={adviceFor(state.failure).title}
            actions={
              <button
                type="button"
                class="button button-main"
                onClick={() => run.search(words.value, sizes.value, true, latest.current)}
              >
                再試行
              </button>
            }
          >
            <Reason failure={state.failure} />
            <p>{adviceFor(state.failure).next}</p>
          </Panel>
        ) : null}
        {shown === undefined ? null : (
          <Results
            result={shown}
            filters={filters}
            onMore={(section) => {
              const bigger = grown(sizes.value, section);
              if (bigger === undefined) return undefined;
              return () => {
                atOnce.current = true;
                sizes.value = bigger;
              };
            }}
          />
        )}
      </div>
    </div>
  );
}
