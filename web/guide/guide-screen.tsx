/** The guide screen: the grid of programmes with its tools, and the messages shown while it is empty. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { StationId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs, HOUR_MS, plusMs } from '../../lib/arib/time.ts';
import type { Station } from '../../lib/wire/api.ts';
import { currentMs, now } from '../device/clock.ts';
import { guideZoom, homeTab } from '../device/preferences.ts';
import { onBack } from '../navigation/back.ts';
import { openProgram, query } from '../navigation/router.ts';
import { getGuide } from '../query/api.ts';
import { GUIDE_CHANGES, listenFor } from '../query/events.ts';
import { sharedStationsQuery } from '../query/queries.ts';
import { bookings } from '../query/reservations.ts';
import { shownStationsWith } from '../query/station-order.ts';
import { stationList, stations } from '../query/stations.ts';
import { useQuery } from '../query/use-query.ts';
import { toggle } from '../reservations/actions.ts';
import { broadcastDay } from '../words/day.ts';
import { splitTitle } from '../words/title.ts';
import { GenreSheet, Legend } from './genre-sheet.tsx';
import { clampWidth, guideSpan, type Span, WIDTH, ZOOM } from './geometry.ts';
import { listenToZoom } from './gestures.ts';
import { GuideGrid } from './grid.ts';
import { type GridPosition, type GridView, recallPosition, rememberPosition } from './grid-view.ts';
import { JumpSheet } from './jump-sheet.tsx';
import { dimShopping, guideLetters, guideWidth, TELEVISION } from './look.ts';
import { LookSheet } from './look-sheet.tsx';
import { GuideNotice, NoStationsYet } from './notice.tsx';
import { StationSheet } from './station-order.tsx';
import { StationWeek } from './station-week.tsx';
import { GuideStore } from './store.ts';
import { TEXTS } from './texts.ts';
import { type Band, GuideToolbar } from './toolbar.tsx';

const BANDS: readonly Band[] = [
  { type: 'GR', label: TEXTS.terrestrial },
  { type: 'BS', label: 'BS' },
  { type: 'CS', label: 'CS' },
];

/** Part of the view above the present: what began a while ago is still on. */
const NOW_LEAD = 0.22;
const EVENING_MS = 14 * HOUR_MS;
const FIRST_MS = 3 * HOUR_MS;

/** The day that a view is of which begins at `at`: of one that begins shortly before 05:00 the next. */
function dayInView(at: BroadcastMs): BroadcastMs {
  return broadcastDay(plusMs(at, HOUR_MS));
}

/** Whole hours around what is seen: a small step does not ask again. */
function hoursOf({ from, to }: Span): Span {
  const hour = (at: number): BroadcastMs => broadcastMs(at * HOUR_MS);
  return { from: hour(Math.floor(from / HOUR_MS)), to: hour(Math.ceil(to / HOUR_MS)) };
}

/** Before the grid is placed: about what it will show. */
const firstHours = (at: BroadcastMs): Span =>
  hoursOf({ from: plusMs(at, -HOUR_MS), to: plusMs(at, FIRST_MS) });

/** The part of the view that the tools show; the rest of it changes with every frame. */
interface ShownView {
  readonly day: BroadcastMs;
  readonly hours: Span;
  readonly state: GridView['state'];
  readonly bare: readonly StationId[];
}

interface Rig {
  readonly grid: GuideGrid;
  readonly store: GuideStore;
}

/** The address may ask for a station and a time, as the sheet of a programme does. */
function asked(): { readonly at: BroadcastMs; readonly stationId: StationId } | undefined {
  const at = broadcastMs(Number(query.value.get('at') ?? Number.NaN));
  return Number.isFinite(at)
    ? { at, stationId: Number(query.value.get('station') ?? 0) as StationId }
    : undefined;
}

/** @param hidden without a column; a station that the address asks for has one in any case */
function bandList(type: Station['type'], hidden: ReadonlySet<StationId>): readonly Station[] {
  const targetId = asked()?.stationId;
  return shownStationsWith(targetId).filter(
    ({ id, type: own }) => own === type && (id === targetId || !hidden.has(id)),
  );
}

/** While the view moves on columns neither come nor go. */
const REST_MS = 200;

/** The last hours that stayed for a moment. */
function useRested({ from, to }: Span): Span {
  const [rested, setRested] = useState<Span>({ from, to });
  useEffect(() => {
    const timer = setTimeout(() => setRested({ from, to }), REST_MS);
    return () => clearTimeout(timer);
  }, [from, to]);
  return rested;
}

/**
 * The sub-channels that show nothing of their own in the hours in view. Until the answer for other hours is here that of
 * the hours before it counts, so that columns do not come for a moment.
 */
function useHidden(type: Station['type'], hours: Span): ReadonlySet<StationId> {
  const { from, to } = useRested(hours);
  const { value } = useQuery(sharedStationsQuery(type, from, to));
  const kept = useRef<{ readonly type: Station['type']; readonly ids: ReadonlySet<StationId> }>({
    type,
    ids: new Set(),
  });
  if (value !== undefined) kept.current = { type, ids: new Set(value.map(({ stationId }) => stationId)) };
  else if (kept.current.type !== type) kept.current = { type, ids: new Set() };
  return kept.current.ids;
}

function place(grid: GuideGrid, type: Station['type'], list: readonly Station[]): void {
  const target = asked();
  const column = list.findIndex((station) => station.id === target?.stationId);
  const kept = recallPosition(type, currentMs());
  if (target !== undefined) {
    grid.moveTo({ at: plusMs(target.at, -HOUR_MS / 2), column: Math.max(0, column - 1) });
  } else if (kept !== undefined) grid.moveTo(kept);
  else grid.showTime(currentMs(), NOW_LEAD);
}

function useGrid(type: Station['type'], shown: { value: ShownView; peek(): ShownView }) {
  const scroller = useRef<HTMLDivElement>(null);
  const rig = useSignal<Rig | undefined>(undefined);
  const latest = useRef(type);
  latest.current = type;
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    let position: GridPosition | undefined;
    // Also when the page itself is left: a reload finds the place again.
    const remember = (): void => {
      if (position !== undefined) rememberPosition(latest.current, position, currentMs());
    };
    addEventListener('pagehide', remember);
    const store = new GuideStore(getGuide, () => grid.refresh());
    const grid: GuideGrid = new GuideGrid(
      {
        scroller: element,
        store,
        onOpen: openProgram,
        onRecord(program) {
          const title = splitTitle(program.name).title;
          toggle({ ...program, title }, program.reservation, currentMs());
        },
        onNothing: () => document.querySelector<HTMLElement>('.guide-notice .button')?.focus(),
        onView(view) {
          position = view.position;
          const next: ShownView = {
            day: dayInView(view.position.at),
            hours: hoursOf(view.seen),
            state: view.state,
            bare: view.bare,
          };
          const before = shown.peek();
          if (
            next.day === before.day &&
            next.hours.from === before.hours.from &&
            next.hours.to === before.hours.to &&
            next.state.kind === before.state.kind &&
            next.bare.join() === before.bare.join()
          )
            return;
          shown.value = next;
        },
      },
      guideSpan(currentMs()),
      currentMs(),
    );
    grid.setZoom(guideZoom.peek());
    const stopZoom = listenToZoom(element, grid, () => {
      guideZoom.value = grid.zoom;
    });
    const stopEvents = listenFor(GUIDE_CHANGES, () => store.changed());
    // Bookings made or cancelled here show at once.
    let first = true;
    const stopBookings = bookings.subscribe(() => {
      if (!first) store.invalidate();
      first = false;
    });
    rig.value = { grid, store };
    return () => {
      removeEventListener('pagehide', remember);
      remember();
      stopZoom();
      stopEvents();
      stopBookings();
      grid.close();
      store.close();
    };
  }, []);
  return { scroller, rig };
}

function useGridKeys(grid: GuideGrid | undefined): void {
  useEffect(() => {
    if (grid === undefined) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.key !== 'Home' || event.ctrlKey) return;
      if (document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      grid.showTime(currentMs(), NOW_LEAD, true);
      grid.enter(currentMs());
    };
    document.addEventListener('keydown', onKey);
    // From deep in the sheet Back leads to its tools first.
    const forget = onBack(() => {
      if (document.activeElement?.classList.contains('prog') !== true) return false;
      const day = document.querySelector<HTMLElement>('.guide-day[aria-selected="true"]');
      const isRowShown = day?.checkVisibility() === true;
      (isRowShown ? day : document.querySelector<HTMLElement>('.guide-jump'))?.focus();
      return true;
    });
    return () => {
      document.removeEventListener('keydown', onKey);
      forget();
    };
  }, [grid]);
}

/** Whether the letters are for the sofa; changes with the screen it is shown on. */
function useTelevision(): boolean {
  const [large, setLarge] = useState(() => matchMedia(TELEVISION).matches);
  useEffect(() => {
    const media = matchMedia(TELEVISION);
    const follow = (): void => setLarge(media.matches);
    media.addEventListener('change', follow);
    return () => media.removeEventListener('change', follow);
  }, []);
  return guideLetters.value === 'television' || (guideLetters.value === 'auto' && large);
}

/** Overlays above the grid. */
type Over = 'genres' | 'jump' | 'look' | 'stations';

function GuideSheet({ bands }: { bands: readonly Band[] }) {
  const target = asked();
  const targetType = stations.value.find((station) => station.id === target?.stationId)?.type;
  const first = useRef(true);
  if (first.current && targetType !== undefined) homeTab.value = targetType;
  const type = bands.find((band) => band.type === homeTab.value)?.type ?? bands[0]?.type ?? 'GR';
  const shown = useSignal<ShownView>({
    day: broadcastDay(currentMs()),
    hours: firstHours(target?.at ?? currentMs()),
    state: { kind: 'loading' },
    bare: [],
  });
  const genre = useSignal<number | undefined>(undefined);
  const over = useSignal<Over | undefined>(undefined);
  const television = useTelevision();
  const { scroller, rig } = useGrid(type, shown);
  const grid = rig.value?.grid;
  const placed = useRef<Station['type'] | undefined>(undefined);
  const list = stations.value;
  const span = guideSpan(now.value);
  const columns = bandList(type, useHidden(type, shown.value.hours));
  const columnsBefore = useRef<readonly Station[]>([]);

  useEffect(() => {
    if (grid === undefined) return;
    const before = placed.current;
    if (before !== undefined && before !== type) rememberPosition(before, grid.position(), currentMs());
    const { at, column } = grid.position();
    const leftmost = columnsBefore.current[Math.floor(column)]?.id;
    grid.setStations(type, columns, list);
    if (before === undefined) place(grid, type, columns);
    // Another type at the same time of the same day.
    else if (before !== type) grid.moveTo({ at, column: recallPosition(type, currentMs())?.column ?? 0 });
    else {
      // Columns came or went: what stood at the left stays there.
      const index = columns.findIndex(({ id }) => id === leftmost);
      if (index >= 0 && index !== Math.floor(column)) grid.moveTo({ at, column: index + (column % 1) });
    }
    columnsBefore.current = columns;
    placed.current = type;
    first.current = false;
  }, [grid, type, headKey(columns, type)]);
  useEffect(() => grid?.setSpan(span), [grid, span.from]);
  useEffect(() => grid?.setNow(now.value), [grid, now.value]);
  useEffect(() => grid?.setGenre(genre.value), [grid, genre.value]);
  useEffect(
    () => grid?.setLook({ width: guideWidth.value, television, dimShopping: dimShopping.value }),
    [grid, guideWidth.value, television, dimShopping.value],
  );
  const toNow = (): void => grid?.showTime(currentMs(), NOW_LEAD);
  useGridKeys(grid);

  const choose = (chosen: number | undefined): void => {
    genre.value = chosen;
  };
  const zoomTo = (zoom: number): void => {
    if (grid === undefined) return;
    grid.setZoom(zoom);
    guideZoom.value = grid.zoom;
  };
  const close = (): void => {
    over.value = undefined;
  };
  return (
    <div class="guide vstack" data-television={television ? '' : undefined}>
      <GuideToolbar
        bands={bands}
        type={type}
        span={span}
        today={broadcastDay(now.value)}
        day={shown.value.day}
        genre={genre.value}
        onType={(chosen) => {
          homeTab.value = chosen;
        }}
        onDay={(day) => {
          // The same hour of another day.
          const at = grid?.position().at ?? day;
          grid?.showTime(plusMs(day, at - dayInView(at)));
        }}
        onNow={toNow}
        onEvening={() => grid?.showTime(plusMs(shown.value.day, EVENING_MS))}
        onZoom={(by) => zoomTo(guideZoom.value * ZOOM.step ** by)}
        onGenres={() => {
          over.value = 'genres';
        }}
        onJump={() => {
          over.value = 'jump';
        }}
        onLook={() => {
          over.value = 'look';
        }}
      />
      <div class="guide-stage relative line-above">
        <section
          ref={scroller}
          class="guide-scroll inset-0 ground-deep"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the way into the sheet by keys; the focus goes on to a programme
          tabIndex={0}
          aria-label={TEXTS.guide}
          data-nav-group="guide"
          data-nav-start=""
          data-nav-initial=""
        />
        <GuideNotice
          state={shown.value.state}
          bare={shown.value.bare}
          type={type}
          onRetry={() => rig.value?.store.invalidate()}
          onNow={toNow}
        />
      </div>
      <Legend chosen={genre.value} onChoose={choose} />
      {over.value === 'genres' ? <GenreSheet chosen={genre.value} onChoose={choose} onClose={close} /> : null}
      {over.value === 'jump' ? (
        <JumpSheet
          span={span}
          day={shown.value.day}
          onJump={(at) => grid?.showTime(at, 0, true)}
          onClose={close}
        />
      ) : null}
      {over.value === 'look' ? (
        <LookSheet
          zoom={guideZoom.value}
          onZoom={(by) => zoomTo(guideZoom.value * ZOOM.step ** by)}
          onWidth={(by) => {
            guideWidth.value = clampWidth(guideWidth.value * WIDTH.step ** by);
          }}
          onUsual={() => zoomTo(1)}
          onStations={() => {
            over.value = 'stations';
          }}
          onClose={close}
        />
      ) : null}
      {over.value === 'stations' ? <StationSheet type={type} onClose={close} /> : null}
    </div>
  );
}

/** What of the list the heads show; now-programmes change without it. */
function headKey(list: readonly Station[], type: Station['type']): string {
  return list
    .filter((station) => station.type === type)
    .map((station) => `${station.id} ${station.name} ${station.logo ?? ''}`)
    .join();
}

export function GuideScreen() {
  const list = stationList.value;
  const bands = BANDS.filter((band) => stations.value.some((station) => station.type === band.type));
  if (list.kind !== 'ready' || bands.length === 0) return <NoStationsYet list={list} />;
  const stationId = query.value.get('view') === 'week' ? Number(query.value.get('station')) : undefined;
  const station = stations.value.find(({ id }) => id === stationId);
  if (station !== undefined) {
    const others = shownStationsWith(station.id).filter(({ type }) => type === station.type);
    return <StationWeek station={station} list={others} />;
  }
  return <GuideSheet bands={bands} />;
}
