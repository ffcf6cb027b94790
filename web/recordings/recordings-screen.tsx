/** Recordings, finished and running: find, judge, keep and delete them. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Recording, RecordingSeries, StorageFacts } from '../../lib/wire/api.ts';
import type { RecordingId, RuleId } from '../../lib/wire/ids.ts';
import { recordingsGrouped, recordingsSort } from '../device/preferences.ts';
import { isBackKey, isTextField } from '../navigation/focus.ts';
import { query, setQuery } from '../navigation/router.ts';
import { OfflineLine, SeriesButton } from '../offline/series-button.tsx';
import { startOffline } from '../offline/start.ts';
import { RULES, RUNNING_RECORDINGS, STORAGE } from '../query/queries.ts';
import { getRecordingPage, getSeriesPage } from '../query/recordings.ts';
import { useQuery } from '../query/use-query.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Icon } from '../ui/icon.tsx';
import { lazy } from '../ui/lazy.tsx';
import { quoted } from '../words/recording.ts';
import { splitTitle, tidyTitle } from '../words/title.ts';
import { erase, stopRecording } from './actions.ts';
import { focusCellList } from './cell-list.tsx';
import { EncodeLine, EncodeSeries, useEncodes } from './encodes.tsx';
import { ListState, RecordingList, SeriesList, useChoosing } from './list.tsx';
import { Lists, useList } from './lists.ts';
import { forgetAbsentPosters } from './poster.tsx';
import {
  closeRecording,
  closeSeries,
  isFiltered,
  listParameters,
  queryOf,
  type RecordingQuery,
  shownRecording,
} from './query.ts';
import { Running } from './running.tsx';
import { Selection } from './selection.ts';
import { SelectionBar, Working } from './selection-bar.tsx';
import { FilterSheet, type RuleName, SortSheet } from './sheets.tsx';
import { FreeSpaceWarnings, RoomFailed, RoomGauge, RoomSheet } from './storage.tsx';
import { TEXTS } from './texts.ts';
import { RecordingsToolbar } from './toolbar.tsx';

/** Fetched once the list stands: nobody opens one before. */
const LateRecordingSheet = lazy({
  styles: [],
  load: async () => (await import('./sheet.tsx')).RecordingSheet,
});

const RUNNING_POLL_MS = 3_000;

const recordingLists = new Lists<Recording>();
const seriesLists = new Lists<RecordingSeries>();
const isRunning = ({ recording }: Recording): boolean => recording;
/** Recordings in progress, polled every few seconds while there are any; undefined until known. */
function useRunning(): readonly Recording[] | undefined {
  const [some, setSome] = useState(false);
  const running = useQuery(some ? { ...RUNNING_RECORDINGS, poll: RUNNING_POLL_MS } : RUNNING_RECORDINGS);
  const count = running.value?.length ?? 0;
  useEffect(() => setSome(count > 0), [count > 0]);
  return running.value ?? (running.failure === undefined ? undefined : []);
}

/** Escape and its like end a choice before they leave the screen. */
function useBackEndsChoice(selection: Selection): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!isBackKey(event.key) || !selection.choosing.peek() || isTextField(event.target)) return;
      if (document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      event.stopPropagation();
      const inBar = document.activeElement?.closest('.select-bar') != null;
      selection.clear();
      if (inBar) focusCellList();
    };
    document.addEventListener('keydown', onKey, { capture: true });
    return () => document.removeEventListener('keydown', onKey, { capture: true });
  }, []);
}

function SeriesHead({ first, total }: { first: Recording | undefined; total: number | undefined }) {
  const name = tidyTitle(first?.series?.name ?? '') || splitTitle(first?.name ?? '').title;
  return (
    <header class="hstack gap-50 below-75">
      <button type="button" class="round" aria-label={TEXTS.toSeries} onClick={closeSeries}>
        <Icon name="back" />
      </button>
      <h2 class="min-0 text-xl">{name}</h2>
      {total === undefined ? null : (
        <span class="rec-series-count numbers rigid semibold muted">{TEXTS.count(total)}</span>
      )}
      {first?.series === undefined || first.series === null ? null : (
        <>
          <EncodeSeries series={first.series.key} name={name} />
          <SeriesButton series={first.series.key} name={name} />
        </>
      )}
    </header>
  );
}

/** A sheet opened by its address passes the focus to its recording on closing: no other element had it before. */
function useFocusAfterSheet(id: RecordingId | undefined): void {
  useEffect(() => {
    if (id === undefined) return undefined;
    return () => {
      requestAnimationFrame(() => {
        const active = document.activeElement;
        if (active !== null && active !== document.body && active.id !== 'main') return;
        document.querySelector<HTMLElement>(`.cell-main[data-id="${id}"]`)?.focus({ preventScroll: true });
      });
    };
  }, [id]);
}

interface ShownProps {
  readonly shown: RecordingQuery;
  readonly selection: Selection;
  readonly onErase: (list: readonly Recording[]) => void;
  readonly onStop: (recording: Recording) => void;
  readonly ruleName: (id: RuleId) => string | undefined;
  readonly running: readonly Recording[] | undefined;
  /** For what stands above the list. */
  readonly waits: boolean;
  readonly onKnown: () => void;
}

/** The list itself, and what knows its rows: the bar of the choice, the sheet. */
function Listed({ shown, selection, onErase, onStop, ruleName, running, waits, onKnown }: ShownProps) {
  const sort = recordingsSort.value;
  const parameters = listParameters(shown, sort);
  const key = parameters.toString();
  // What runs stands above the list, but not above a part of it.
  const apart = !isFiltered(shown) && shown.series === undefined;
  const kept = useMemo(
    () =>
      recordingLists.of(
        key,
        (offset, limit, signal, cursor) => getRecordingPage(parameters, { offset, limit, cursor }, signal),
        apart ? isRunning : undefined,
      ),
    [key],
  );
  const { pages, busy } = useList(kept);
  const { total } = pages.state.value;
  const { all } = useChoosing({ shown, pages, selection });
  const id = shownRecording.value;
  useFocusAfterSheet(id);
  useEffect(() => void LateRecordingSheet.prefetch().catch(() => undefined), []);
  const find = (wanted: number): Recording | undefined =>
    running?.find((one) => one.id === wanted) ?? pages.known().find((one) => one.id === wanted);
  useEffect(() => {
    const known = new Map(pages.known().map((one) => [one.id, one]));
    selection.renew((wanted) => known.get(wanted));
  }, [pages.state.value]);
  return (
    <>
      {shown.series === undefined ? null : <SeriesHead first={pages.at(0)} total={total} />}
      {shown.show === 'bin' && pages.count > 0 ? <p class="below-75 note">{TEXTS.binNote}</p> : null}
      <ListState pages={pages} shown={shown} waits={waits} onKnown={onKnown}>
        <RecordingList key={key} shown={shown} pages={pages} busy={busy} selection={selection} />
      </ListState>
      {selection.choosing.value ? (
        <SelectionBar selection={selection} inBin={shown.show === 'bin'} onAll={all} onErase={onErase} />
      ) : null}
      {id === undefined ? null : (
        <LateRecordingSheet
          key={id}
          id={id}
          listed={find(id)}
          ruleName={ruleName}
          onErase={(recording) => onErase([recording])}
          onStop={onStop}
        />
      )}
    </>
  );
}

function Grouped({ shown, waits, onKnown }: Pick<ShownProps, 'shown' | 'waits' | 'onKnown'>) {
  const kept = useMemo(
    () => seriesLists.of('', (offset, limit, signal) => getSeriesPage({ offset, limit }, signal)),
    [],
  );
  const { pages, busy } = useList(kept);
  return (
    <>
      <ListState pages={pages} shown={shown} waits={waits} onKnown={onKnown}>
        <SeriesList pages={pages} busy={busy} />
      </ListState>
      {pages.state.value.total === undefined ? null : (
        <p class="cluster gap-75 above-150 note">
          {TEXTS.noSeriesNote}
          <button
            type="button"
            class="button button-small"
            onClick={() => {
              recordingsGrouped.value = false;
            }}
          >
            {TEXTS.ungroup}
          </button>
        </p>
      )}
    </>
  );
}

/** Overlays above the screen, besides a recording's sheet. */
type Over =
  | { readonly kind: 'sort' | 'filter' | 'room' }
  | { readonly kind: 'erase'; readonly list: readonly Recording[] }
  | { readonly kind: 'stop'; readonly recording: Recording };

interface OverProps {
  readonly over: Over;
  readonly shown: RecordingQuery;
  readonly storage: StorageFacts | undefined;
  readonly rules: readonly RuleName[];
  readonly selection: Selection;
  readonly onClose: () => void;
}

interface EraseProps {
  readonly list: readonly Recording[];
  readonly onClose: () => void;
  readonly onErase: () => void;
}

function EraseSheet({ list, onClose, onErase }: EraseProps) {
  const only = list.length === 1 ? list[0] : undefined;
  return (
    <Confirm title={TEXTS.eraseShort} action={TEXTS.erase} onConfirm={onErase} onClose={onClose}>
      <p>
        {only === undefined
          ? TEXTS.erasesMany(list.length.toLocaleString('ja-JP'))
          : TEXTS.erases(quoted(splitTitle(only.name).title))}
      </p>
      <p>
        <b>{TEXTS.noUndo}</b>
      </p>
    </Confirm>
  );
}

interface StopProps {
  readonly recording: Recording;
  readonly onClose: () => void;
  readonly onStop: () => void;
}

function StopSheet({ recording, onClose, onStop }: StopProps) {
  return (
    <Confirm title={TEXTS.stop} action={TEXTS.stop} onConfirm={onStop} onClose={onClose}>
      <p>{TEXTS.stops(quoted(splitTitle(recording.name).title))}</p>
    </Confirm>
  );
}

function OverScreen({ over, shown, storage, rules, selection, onClose }: OverProps) {
  switch (over.kind) {
    case 'sort':
      return <SortSheet onClose={onClose} />;
    case 'filter':
      return <FilterSheet shown={shown} rules={rules} onClose={onClose} />;
    case 'room': {
      if (storage === undefined) return null;
      const onBin = (): void => {
        onClose();
        setQuery({ show: 'bin', unwatched: null, series: null }, true);
      };
      return <RoomSheet storage={storage} onClose={onClose} onBin={onBin} />;
    }
    case 'erase': {
      const onErase = (): void => {
        closeRecording();
        selection.clear();
        void erase(over.list);
      };
      return <EraseSheet list={over.list} onClose={onClose} onErase={onErase} />;
    }
    case 'stop': {
      const onStop = (): void => {
        closeRecording();
        void stopRecording(over.recording);
      };
      return <StopSheet recording={over.recording} onClose={onClose} onStop={onStop} />;
    }
  }
}

export function RecordingsScreen() {
  const shown = queryOf(query.value);
  const [over, setOver] = useState<Over>();
  const [selection] = useState(() => new Selection());
  const running = useRunning();
  // What is recorded and converted comes with the first list: before or after it, it would move what is there.
  const [known, setKnown] = useState(false);
  const onKnown = (): void => setKnown(true);
  const storage = useQuery(STORAGE);
  const rules = useQuery(RULES).value ?? [];
  useBackEndsChoice(selection);
  const groupable = !isFiltered(shown) && shown.series === undefined;
  const grouped = groupable && recordingsGrouped.value;
  const encodes = useEncodes(groupable);
  const waits = groupable && (running === undefined || (encodes.value ?? encodes.failure) === undefined);
  // A selection only covers listed recordings.
  useEffect(() => () => selection.clear(), [listParameters(shown, 'newest').toString(), grouped]);
  useEffect(forgetAbsentPosters, []);
  useEffect(startOffline, []);
  const ruleName = (id: RuleId): string | undefined => rules.find((rule) => rule.id === id)?.name;
  return (
    <div class="recordings" data-choosing={selection.choosing.value ? '' : undefined}>
      <header class="screen-head">
        <h1 class="screen-title">{TEXTS.recordings}</h1>
        {storage.value !== undefined ? (
          <RoomGauge storage={storage.value} onOpen={() => setOver({ kind: 'room' })} />
        ) : storage.failure !== undefined ? (
          <RoomFailed failure={storage.failure} />
        ) : null}
      </header>
      {storage.value === undefined ? null : <FreeSpaceWarnings storage={storage.value} />}
      <RecordingsToolbar
        shown={shown}
        storage={storage.value}
        ruleName={shown.ruleId === undefined ? undefined : ruleName(shown.ruleId)}
        groupable={groupable}
        onSort={grouped ? undefined : () => setOver({ kind: 'sort' })}
        onFilter={() => setOver({ kind: 'filter' })}
        onChoose={
          grouped || selection.choosing.value
            ? undefined
            : (byKeys) => {
                selection.begin();
                if (byKeys) focusCellList();
              }
        }
      />
      {groupable && known ? <OfflineLine /> : null}
      {groupable && known ? <EncodeLine encodes={encodes.value} /> : null}
      {groupable && known ? <Running recordings={running ?? []} /> : null}
      {grouped ? (
        <Grouped shown={shown} waits={waits} onKnown={onKnown} />
      ) : (
        <Listed
          shown={shown}
          selection={selection}
          running={running}
          waits={waits}
          onKnown={onKnown}
          ruleName={ruleName}
          onErase={(list) => setOver({ kind: 'erase', list })}
          onStop={(recording) => setOver({ kind: 'stop', recording })}
        />
      )}
      <Working />
      {over === undefined ? null : (
        <OverScreen
          over={over}
          shown={shown}
          storage={storage.value}
          rules={rules}
          selection={selection}
          onClose={() => setOver(undefined)}
        />
      )}
    </div>
  );
}
