/** The list of recordings or of series, with its loading, error and empty states. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { Recording, RecordingSeries } from '../../lib/wire/api.ts';
import { RECORDING_LIMIT } from '../../lib/wire/vocabulary.ts';
import { recordingsLook, recordingsSort } from '../device/preferences.ts';
import { navigate, setQuery, watchPath } from '../navigation/router.ts';
import type { Pages } from '../query/pages.ts';
import { getRecordingPage } from '../query/recordings.ts';
import { Icon } from '../ui/icon.tsx';
import { Panel } from '../ui/panel.tsx';
import { showToast } from '../ui/toast.tsx';
import { FailurePanel } from '../words/failure-panel.tsx';
import { canPlay } from '../words/recording.ts';
import { monthText } from '../words/time.ts';
import { moveToBin } from './actions.ts';
import { CardSkeleton, RecordingCard, SeriesCard } from './card.tsx';
import { CellList, indexOfCell } from './cell-list.tsx';
import {
  isFiltered,
  listParameters,
  NO_RECORDING_FILTERS,
  narrowings,
  openRecording,
  openSeries,
  type RecordingQuery,
} from './query.ts';
import { type Selection, usePresses } from './selection.ts';
import { TEXTS } from './texts.ts';

interface ListProps {
  readonly shown: RecordingQuery;
  readonly pages: Pages<Recording>;
  readonly busy: boolean;
  readonly selection: Selection;
}

export function useChoosing({ shown, pages, selection }: Omit<ListProps, 'busy'>) {
  const toggle = (index: number): void => {
    const recording = pages.at(index);
    if (recording !== undefined) selection.toggle(recording, index);
  };
  const add = async (first: number, last: number): Promise<void> => {
    const here = Array.from({ length: last - first + 1 }, (_, step) => pages.at(first + step));
    const known = here.filter((one) => one !== undefined);
    selection.add(known);
    if (known.length === here.length) return;
    const slice = { offset: pages.offsetOf(first), limit: Math.min(RECORDING_LIMIT.maximum, here.length) };
    const abort = new AbortController();
    try {
      const { rows } = await getRecordingPage(
        listParameters(shown, recordingsSort.peek()),
        slice,
        abort.signal,
      );
      if (selection.choosing.peek()) selection.add(rows);
    } catch {
      showToast(TEXTS.lostChoice);
    }
  };
  return {
    toggle,
    extend: (index: number): void => {
      const [first, last] = selection.extendTo(index);
      void add(first, Math.min(last, first + RECORDING_LIMIT.maximum - 1));
    },
    all: (): void => {
      if (pages.count > RECORDING_LIMIT.maximum) showToast(TEXTS.firstChosen(RECORDING_LIMIT.maximum));
      void add(0, Math.min(pages.count, RECORDING_LIMIT.maximum) - 1);
    },
  };
}

const isByDate = (): boolean => recordingsSort.value === 'newest' || recordingsSort.value === 'oldest';

function monthOf(recording: Recording | undefined): string | undefined {
  return recording === undefined ? undefined : monthText(recording.startAt);
}

export function RecordingList({ shown, pages, busy, selection }: ListProps) {
  const { toggle, extend } = useChoosing({ shown, pages, selection });
  const look = recordingsLook.value;
  const choosing = selection.choosing.value;
  const presses = usePresses({
    choosing: () => selection.choosing.peek(),
    onToggle: toggle,
    onExtend: extend,
    onOpen: (index) => {
      const recording = pages.at(index);
      if (recording !== undefined) openRecording(recording.id);
    },
  });
  const onKey = (event: KeyboardEvent): void => {
    // The bar lies under the view, behind any number of rows: to the right of the last column it is near.
    if (event.key === 'ArrowRight' && choosing && !event.defaultPrevented && !event.shiftKey) {
      const action = document.querySelector<HTMLElement>('.select-bar .select-action:not(:disabled)');
      if (action === null) return;
      event.preventDefault();
      action.focus({ preventScroll: true });
      return;
    }
    if ((event.key === 'p' || event.key === 'MediaPlay' || event.key === 'MediaPlayPause') && !choosing) {
      const played = pages.at(indexOfCell(event.target) ?? -1);
      if (played === undefined || !canPlay(played) || event.repeat) return;
      event.preventDefault();
      navigate(watchPath(played));
      return;
    }
    if (event.key !== 'Delete' || event.repeat || choosing || shown.show === 'bin') return;
    const recording = pages.at(indexOfCell(event.target) ?? -1);
    if (recording === undefined || recording.recording) return;
    event.preventDefault();
    void moveToBin([recording]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: presses and keys are of the links in its cells
    <div class="rec-cells" aria-busy={busy} {...presses} onKeyDown={onKey}>
      <CellList
        label={TEXTS.recordings}
        look={look}
        count={pages.count}
        keyAt={(index) => String(pages.at(index)?.id ?? `row ${index}`)}
        onRange={({ first, end }) => pages.want(first, end)}
        headingAt={isByDate() ? (index) => monthOf(pages.at(index)) : undefined}
        onToggle={toggle}
        onExtend={(from, to) => {
          selection.anchorAt(from);
          extend(to);
        }}
        cell={(index) => {
          const recording = pages.at(index);
          if (recording === undefined) return <CardSkeleton look={look} />;
          const chosen = selection.items.value.has(recording.id);
          return <RecordingCard recording={recording} look={look} chosen={chosen} choosing={choosing} />;
        }}
      />
    </div>
  );
}

export function SeriesList({ pages, busy }: { pages: Pages<RecordingSeries>; busy: boolean }) {
  const look = recordingsLook.value;
  const presses = usePresses({
    choosing: () => false,
    onToggle: () => undefined,
    onExtend: () => undefined,
    onOpen: (index) => {
      const series = pages.at(index);
      if (series !== undefined) openSeries(series.key);
    },
  });
  return (
    <div class="rec-cells" aria-busy={busy} {...presses}>
      <CellList
        label={TEXTS.series}
        look={look}
        count={pages.count}
        keyAt={(index) => pages.at(index)?.key ?? `row ${index}`}
        onRange={({ first, end }) => pages.want(first, end)}
        onToggle={() => undefined}
        onExtend={() => undefined}
        cell={(index) => {
          const series = pages.at(index);
          return series === undefined ? (
            <CardSkeleton look={look} />
          ) : (
            <SeriesCard series={series} look={look} />
          );
        }}
      />
    </div>
  );
}

function Waiting() {
  return (
    <div class="tiles gap-100" role="status">
      <span class="hidden-text">{TEXTS.loading}</span>
      {Array.from({ length: 8 }, (_, index) => (
        <span key={index} class="skeleton block-skeleton" />
      ))}
    </div>
  );
}

interface ListStateProps<T> {
  readonly pages: Pages<T>;
  readonly shown: RecordingQuery;
  /** The content above the list is not loaded yet and would push the list down. */
  readonly waits: boolean;
  /** Runs before the first paint of the loaded content. */
  readonly onKnown: () => void;
  readonly children: ComponentChildren;
}

/** Why the list is empty, and how to get recordings. */
function Empty({ shown }: { shown: RecordingQuery }) {
  const narrowed = shown.q.trim() !== '' || narrowings(shown) > 0;
  if (narrowed) {
    return (
      <Panel
        icon="search"
        title={shown.q.trim() === '' ? TEXTS.noneOfFilter : TEXTS.noneFound(shown.q.trim())}
        actions={
          <button
            type="button"
            class="button button-main"
            onClick={() => setQuery(NO_RECORDING_FILTERS, true)}
          >
            {TEXTS.clearFilter}
          </button>
        }
      >
        <p>{TEXTS.noneFoundNote}</p>
      </Panel>
    );
  }
  if (shown.show === 'bin') {
    return (
      <Panel icon="bin" title={TEXTS.binEmpty}>
        <p>{TEXTS.binEmptyNote}</p>
      </Panel>
    );
  }
  if (shown.show === 'failed') {
    return (
      <Panel icon="check" title={TEXTS.noFailed}>
        <p>{TEXTS.noFailedNote}</p>
      </Panel>
    );
  }
  if (shown.show === 'protected') {
    return (
      <Panel icon="lock" title={TEXTS.noProtected}>
        <p>{TEXTS.noProtectedNote}</p>
      </Panel>
    );
  }
  if (isFiltered(shown) || shown.series !== undefined) {
    return (
      <Panel
        icon="check"
        title={shown.unwatched ? TEXTS.noUnwatched : TEXTS.noneOfSeries}
        actions={
          <a class="button button-main" href="recordings">
            {TEXTS.showAll}
          </a>
        }
      />
    );
  }
  return (
    <Panel
      icon="recordings"
      title={TEXTS.none}
      actions={
        <>
          <a class="button button-main" href="guide" data-nav-initial="">
            {TEXTS.bookFromGuide}
          </a>
          <a class="button" href="rules">
            {TEXTS.makeRule}
          </a>
        </>
      }
    >
      <p>{TEXTS.noneNote}</p>
    </Panel>
  );
}

/** Loading, error and empty states of a list. */
export function ListState<T>({ pages, shown, waits, onKnown, children }: ListStateProps<T>) {
  const { total, failure } = pages.state.value;
  const unknown = total === undefined || waits;
  useLayoutEffect(() => {
    if (!unknown || failure !== undefined) onKnown();
  }, [unknown, failure]);
  if (unknown) {
    return failure === undefined ? (
      <Waiting />
    ) : (
      <FailurePanel failure={failure} onRetry={() => pages.renew()} />
    );
  }
  return (
    <>
      {failure === undefined ? null : (
        <p class="alert" data-tone="warn" role="alert">
          <Icon name="unlink" />
          <span>
            {TEXTS.stale(failure.message)}
            <button type="button" class="button button-small" onClick={() => pages.renew()}>
              {TEXTS.retry}
            </button>
          </span>
        </p>
      )}
      {total === 0 ? <Empty shown={shown} /> : children}
    </>
  );
}
