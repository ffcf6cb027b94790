/** Search: results while typing, in four sections; the query is part of the address and restored from it. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SearchResult, SearchSection } from '../../lib/wire/api.ts';
import { MAX_QUERY_LENGTH } from '../../lib/wire/vocabulary.ts';
import { recentSearches } from '../device/preferences.ts';
import { query, screen, setQuery } from '../navigation/router.ts';
import { windowAround } from '../query/booking-window.ts';
import { listenFor, SEARCH_CHANGES } from '../query/events.ts';
import { useBookings } from '../query/reservations.ts';
import { recordAllOf } from '../rules/every-time.ts';
import { Icon } from '../ui/icon.tsx';
import { Panel } from '../ui/panel.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { adviceFor } from '../words/advice.ts';
import { Reason } from '../words/failure-panel.tsx';
import { MAJOR_GENRES } from '../words/genre.ts';
import { FilterPanel } from './filter-panel.tsx';
import { bodyOf, countFilters, type Filters, filterParameters, filtersOf, ruleAddress } from './filters.ts';
import { forgetSearches, rememberSearch } from './recent.ts';
import { ProgramRow, RecordingRow, ReservationRow, RuleRow } from './rows.tsx';
import { FIRST_SIZES, grown, type Sizes } from './sections.ts';
import { SearchRun } from './state.ts';
import { suggestionsFor } from './suggestions.ts';
import { TEXTS } from './texts.ts';

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
    <section class="found-section below-150" aria-label={title}>
      <header class="hstack gap-50 below-75">
        <h2 class="text-l">{title}</h2>
        <span class="note numbers">{more ? TEXTS.countOrMore(count) : TEXTS.count(count)}</span>
      </header>
      <div class="rows below-75 round-l bordered surface pad-1">{children}</div>
      {!more ? null : onMore === undefined ? (
        <p class="note">{TEXTS.moreNote}</p>
      ) : (
        <button type="button" class="button button-small" onClick={onMore}>
          {TEXTS.more}
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

/** What was found is what a rule would record: it is made at once, or in the editor. */
function Rule({ words, filters }: { words: string; filters: Filters }) {
  const waits = useSignal(false);
  const isNarrowed = countFilters(filters) > 0;
  const make = async (): Promise<void> => {
    if (waits.value) return;
    waits.value = true;
    await recordAllOf(bodyOf(words, filters));
    waits.value = false;
  };
  return (
    <p class="flex wrap gap-50 below-100">
      {isNarrowed ? (
        <button type="button" class="button" aria-disabled={waits.value} onClick={() => void make()}>
          <Icon name="retry" />
          {TEXTS.everyTime}
        </button>
      ) : null}
      <a class="button" href={ruleAddress(words, filters)}>
        <Icon name="filter" />
        {isNarrowed ? TEXTS.ruleOfAll : TEXTS.ruleOfWords}
      </a>
    </p>
  );
}

function Results({ result, filters, onMore }: ResultsProps) {
  const { programs, recordings, reservations, rules, q } = result;
  const total = [programs, recordings, reservations, rules].reduce((sum, { rows }) => sum + rows.length, 0);
  if (total === 0) {
    return (
      <Panel
        icon="search"
        title={q === '' ? TEXTS.noneOfFilters : TEXTS.noneFound(q)}
        actions={
          <a class="button" href={ruleAddress(q, filters)}>
            <Icon name="filter" />
            {TEXTS.recordWhenFound}
          </a>
        }
      >
        <ul class="hints stack gap-40 muted text-left">
          {countFilters(filters) === 0 ? null : <li>{TEXTS.hintFilters}</li>}
          <li>{TEXTS.hintShorter}</li>
          <li>{TEXTS.hintAll}</li>
          <li>{TEXTS.hintOver}</li>
        </ul>
      </Panel>
    );
  }
  return (
    <div data-nav-group="found">
      {countFilters(filters) === 0 ? null : <Rule words={q} filters={filters} />}
      <Section
        title={TEXTS.programs}
        more={programs.more}
        count={programs.rows.length}
        onMore={onMore('programs')}
      >
        {programs.rows.map((row) => (
          <ProgramRow key={row.id} row={row} words={q} />
        ))}
      </Section>
      <Section
        title={TEXTS.recordings}
        more={recordings.more}
        count={recordings.rows.length}
        onMore={onMore('recordings')}
      >
        {recordings.rows.map((row) => (
          <RecordingRow key={row.id} row={row} words={q} />
        ))}
      </Section>
      <Section
        title={TEXTS.reservations}
        more={reservations.more}
        count={reservations.rows.length}
        onMore={onMore('reservations')}
      >
        {reservations.rows.map((row) => (
          <ReservationRow key={row.id} row={row} words={q} />
        ))}
      </Section>
      <Section title={TEXTS.rules} more={rules.more} count={rules.rows.length} onMore={onMore('rules')}>
        {rules.rows.map((row) => (
          <RuleRow key={row.id} row={row} words={q} />
        ))}
      </Section>
      {countFilters(filters) === 0 ? <Rule words={q} filters={filters} /> : null}
    </div>
  );
}

function Genres({ onGenre }: { onGenre: (lv1: number) => void }) {
  return (
    <section class="below-150" aria-label={TEXTS.byGenre}>
      <h2 class="below-75 text-l">{TEXTS.byGenre}</h2>
      <div class="flex wrap gap-50" data-nav-group="genres">
        {MAJOR_GENRES.map(({ lv1, name }) => (
          <button
            key={lv1}
            type="button"
            class="chip button button-small"
            data-genre={lv1}
            onClick={() => onGenre(lv1)}
          >
            <span class="swatch" />
            {name}
          </button>
        ))}
      </div>
    </section>
  );
}

function Recent({ onPick }: { onPick: (words: string) => void }) {
  if (recentSearches.value.length === 0) return null;
  return (
    <section class="below-150" aria-label={TEXTS.recent}>
      <header class="below-75 above-75 no-margin hstack justify-between">
        <h2 class="text-l">{TEXTS.recent}</h2>
        <button type="button" class="button button-small" onClick={forgetSearches}>
          {TEXTS.forget}
        </button>
      </header>
      <ul class="flex wrap gap-50" data-nav-group="recent">
        {recentSearches.value.map((words) => (
          <li key={words}>
            <button type="button" class="chip button button-small" onClick={() => onPick(words)}>
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
    const cut = Array.from(text).slice(0, MAX_QUERY_LENGTH).join('');
    words.value = cut;
    written.current = cut.trim() === '' ? '' : cut;
    setQuery({ q: written.current === '' ? null : written.current }, true);
  };
  return { words, write };
}

export function SearchScreen() {
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
    const stop = listenFor(SEARCH_CHANGES, () => {
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
  const narrowTo = (changes: Partial<Filters>): void => {
    atOnce.current = true;
    sizes.value = FIRST_SIZES;
    setQuery(filterParameters({ ...filters, ...changes }), true);
  };
  return (
    <div class="search max-60">
      <h1 class="hidden-text">{TEXTS.search}</h1>
      <search class="search-head hstack gap-50 sticky at-top">
        <SearchField
          label={TEXTS.field}
          hint={TEXTS.hint}
          value={words.value}
          field={field}
          initial
          onInput={(text) => {
            sizes.value = FIRST_SIZES;
            write(text);
          }}
          onKeyDown={onKey}
        >
          <span class="search-wait circle" data-shown={state.kind === 'waiting' ? '' : undefined} />
        </SearchField>
        {words.value === '' ? null : (
          <button
            type="button"
            class="round"
            aria-label={TEXTS.clear}
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
        suggestions={suggestionsFor(words.value, shown, recentSearches.value)}
        onPick={pick}
        onChange={narrowTo}
      />
      <div class="search-results" aria-live="polite" aria-busy={state.kind === 'waiting'}>
        {state.kind === 'empty' ? (
          <>
            <Recent onPick={pick} />
            <Genres onGenre={(lv1) => narrowTo({ genre: { lv1, lv2: null } })} />
            {recentSearches.value.length > 0 ? null : (
              <Panel icon="search" title={TEXTS.invite}>
                <p>{TEXTS.inviteNote}</p>
              </Panel>
            )}
          </>
        ) : null}
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
                {TEXTS.retry}
              </button>
            }
          >
            <Reason title={adviceFor(state.failure).title} failure={state.failure} />
            <p>{adviceFor(state.failure).next}</p>
          </Panel>
        ) : null}
        {state.kind === 'waiting' && shown === undefined ? (
          <p class="late-note muted text-center" role="status">
            {TEXTS.searching}
          </p>
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
