/** Home: every station by broadcast type with what is on now, then what to continue, what is booked and what is new. */
import { useEffect, useState } from 'preact/hooks';
import type { StationId } from '../../lib/arib/ids.ts';
import type { Station, Still } from '../../lib/wire/api.ts';
import { now } from '../device/clock.ts';
import { connection } from '../device/connection.ts';
import { homeTab } from '../device/preferences.ts';
import { isTextField } from '../navigation/focus.ts';
import { keyNumber } from '../navigation/keys.ts';
import { navigate } from '../navigation/router.ts';
import { Bell } from '../notices/bell.tsx';
import { getStatus } from '../query/api.ts';
import { SCAN, stillsQuery } from '../query/queries.ts';
import { shownStations } from '../query/station-order.ts';
import { readStations, stationList, stationOfKey, withoutCopies } from '../query/stations.ts';
import { useQuery } from '../query/use-query.ts';
import { Panel } from '../ui/panel.tsx';
import { FailurePanel } from '../words/failure-panel.tsx';
import { airClockText, airDateText } from '../words/time.ts';
import { NextUp, useIsNextUnknown } from './next-up.tsx';
import { SkeletonCard, StationCard } from './station-card.tsx';
import { StatusLine } from './status-line.tsx';
import { TEXTS } from './texts.ts';
import { useIsWatchUnknown, WatchRow } from './watch-row.tsx';

const BANDS = [
  { type: 'GR', label: TEXTS.terrestrial },
  { type: 'BS', label: 'BS' },
  { type: 'CS', label: 'CS' },
] as const;

/** The pictures of the stations on the screen, by station; asked for while it is there. */
function useStills(list: readonly Station[]): ReadonlyMap<StationId, Still> {
  const { value } = useQuery(list.length === 0 ? undefined : stillsQuery(list.map(({ id }) => id)));
  return new Map(value?.map((still) => [still.stationId, still]));
}

function Bands({ stations }: { stations: readonly Station[] }) {
  const present = BANDS.map((band) => ({
    ...band,
    stations: stations.filter((station) => station.type === band.type),
  })).filter((band) => band.stations.length > 0);
  const chosen = present.find((band) => band.type === homeTab.value) ?? present[0];
  const stills = useStills(chosen?.stations ?? []);
  if (chosen === undefined) return <NoStations />;
  return (
    <>
      {present.length < 2 ? null : (
        <div class="home-bands sticky at-top" data-nav-group="bands" data-nav-whole="">
          <div class="tabs" role="tablist" aria-label={TEXTS.bands}>
            {present.map((band) => (
              <button
                key={band.type}
                type="button"
                role="tab"
                class="tab"
                id={`band-${band.type}`}
                aria-selected={band === chosen}
                aria-controls="stations"
                onClick={() => {
                  homeTab.value = band.type;
                }}
              >
                {band.label}
                <span class="faint semibold text-xs numbers" aria-hidden="true">
                  {band.stations.length}
                </span>
              </button>
            ))}
          </div>
        </div>
      )}
      <div id="stations" class="below-100" role="tabpanel" aria-labelledby={`band-${chosen.type}`}>
        <ul
          class="stations stack"
          data-nav-group="stations"
          data-nav-start=""
          aria-label={TEXTS.onAirOf(chosen.label)}
        >
          {chosen.stations.map((station) => (
            <li key={station.id} class="stack relative min-0">
              <StationCard station={station} still={stills.get(station.id)} />
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}

/** The service's report about its tuners or its database; undefined while they are well or unknown. */
function useTrouble(of: 'agent' | 'database'): string | undefined {
  const [trouble, setTrouble] = useState<string>();
  useEffect(() => {
    const abort = new AbortController();
    getStatus(abort.signal)
      .then((status) => {
        setTrouble(status?.[of]?.message ?? undefined);
      })
      // The panel is complete without it, and the list's own failures have their place.
      .catch(() => undefined);
    return () => abort.abort();
  }, [connection.value]);
  return trouble;
}

function Unscanned() {
  const { value: scan } = useQuery(SCAN);
  const isRunning = scan?.state === 'running';
  return (
    <Panel
      icon="antenna"
      title={isRunning ? TEXTS.scanning : TEXTS.noScan}
      actions={
        <a class="button button-main" href="setup">
          {isRunning ? TEXTS.toScan : TEXTS.setup}
        </a>
      }
    >
      <p>{isRunning ? TEXTS.scanningNote : TEXTS.noScanNote}</p>
    </Panel>
  );
}

function NoStations() {
  const reason = useTrouble('agent');
  return (
    <Panel
      icon="antenna"
      title={TEXTS.noStations}
      actions={
        <>
          <a class="button button-main" href="setup">
            {TEXTS.setup}
          </a>
          <button type="button" class="button" onClick={() => void readStations()}>
            {TEXTS.reload}
          </button>
        </>
      }
    >
      <p>{TEXTS.noStationsNote}</p>
      {reason === undefined ? null : <p role="alert">{reason}</p>}
    </Panel>
  );
}

function Waiting() {
  return (
    <div class="stations stack" role="status">
      <span class="hidden-text">{TEXTS.loading}</span>
      {Array.from({ length: 8 }, (_, index) => (
        <SkeletonCard key={index} />
      ))}
    </div>
  );
}

/** Satellite stations come from a table before the first scan: without programmes they only hide the way to it. */
function isUnscanned(list: readonly Station[]): boolean {
  return list.every(({ type, now: program }) => type !== 'GR' && program === null);
}

/** Nothing is recorded and booked before the first scan. */
const isEmpty = (): boolean =>
  stationList.value.kind === 'ready' &&
  (stationList.value.stations.length === 0 || isUnscanned(stationList.value.stations));

/** What is below the stations, once they are there and it is known which rows there are: a row that arrives later would push the others down. */
function Rows() {
  const isUnknown = [useIsNextUnknown(), useIsWatchUnknown('resume'), useIsWatchUnknown('fresh')];
  if (isUnknown.includes(true)) return null;
  return (
    <>
      <WatchRow kind="resume" />
      <NextUp />
      <WatchRow kind="fresh" />
    </>
  );
}

function Content() {
  const list = stationList.value;
  switch (list.kind) {
    case 'loading':
      return <Waiting />;
    case 'failed':
      return (
        <>
          <FailurePanel failure={list.failure} onRetry={() => void readStations()} />
          <Rows />
        </>
      );
    case 'ready':
      if (list.stations.length === 0) return <NoStations />;
      if (isUnscanned(list.stations)) return <Unscanned />;
      return (
        <>
          <Bands stations={withoutCopies(shownStations.value)} />
          <Rows />
        </>
      );
  }
}

/** The digits of a remote control lead straight to a station. */
function onNumberKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || isTextField(event.target)) return;
  const number = keyNumber(event);
  const list = stationList.value;
  if (number === undefined || list.kind !== 'ready') return;
  const station = stationOfKey(list.stations, number);
  if (station === undefined) return;
  event.preventDefault();
  navigate(`live/${station.id}`);
}

/** Storage problems are shown before anything is booked. */
function DatabaseTrouble() {
  const message = useTrouble('database');
  return message === undefined ? null : (
    <p class="alert" data-tone="warn" role="alert">
      {message}
    </p>
  );
}

export function HomeScreen() {
  useEffect(() => {
    document.addEventListener('keydown', onNumberKey);
    return () => document.removeEventListener('keydown', onNumberKey);
  }, []);
  return (
    <>
      <header class="home-head flex wrap below-100 screen-head">
        <h1 class="screen-title">{isEmpty() ? TEXTS.home : TEXTS.onAir}</h1>
        <Bell />
        {isEmpty() ? null : <StatusLine />}
        <p class="home-when flex align-baseline push-end semibold muted gap-50">
          <span class="numbers">{airDateText(now.value)}</span>
          <b class="screen-title numbers bold ink">{airClockText(now.value)}</b>
        </p>
      </header>
      <DatabaseTrouble />
      <Content />
    </>
  );
}
