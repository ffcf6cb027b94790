/** The current screen in its shell, and the programme whose sheet lies over it. */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { isOfflineUsed } from './device/preferences.ts';
import { onBack } from './navigation/back.ts';
import {
  goBack,
  isPlayer,
  type PlayerScreen,
  type Screen,
  screen,
  shownProgram,
  shownReservation,
} from './navigation/router.ts';
import {
  arrivals,
  Guide,
  Home,
  isSettled,
  LateBackground,
  LateProgramSheet,
  LateReservationSheet,
  Live,
  Multi,
  Notices,
  Offline,
  Recordings,
  Reservations,
  Rules,
  Search,
  Settings,
  Setup,
  Tuners,
  Watch,
} from './parts.tsx';
import { stationById } from './query/stations.ts';
import { ConnectionBanner, Rail, useScreenKeys } from './shell.tsx';
import { TEXTS } from './texts.ts';
import { Panel } from './ui/panel.tsx';
import { Toasts } from './ui/toast.tsx';
import { narrow } from './words/channel.ts';

const APP_NAME = TEXTS.app;

function screenTitle(current: Screen): string {
  switch (current.name) {
    case 'home':
      return '';
    case 'guide':
      return TEXTS.guide;
    case 'reservations':
      return TEXTS.reservations;
    case 'rules':
      return TEXTS.rules;
    case 'recordings':
      return TEXTS.recordings;
    case 'search':
      return TEXTS.search;
    case 'tuners':
      return TEXTS.tuners;
    case 'notices':
      return TEXTS.notices;
    case 'settings':
      return TEXTS.settings;
    case 'setup':
      return TEXTS.setup;
    case 'offline':
      return TEXTS.offline;
    case 'multi':
      return TEXTS.multi;
    case 'live':
      return narrow(stationById(current.stationId)?.name ?? TEXTS.live);
    case 'watch':
      return TEXTS.watch;
    case 'chase':
      return TEXTS.chase;
    case 'unknown':
      return TEXTS.unknown;
  }
}

/** Screen readers and remote controls begin a new screen at its top, not where the old one was left. */
function useScreenChange(): void {
  const current = screen.value;
  const key = isPlayer(current) ? current.name : JSON.stringify(current);
  const opened = useRef(key);
  // At once: a screen shown again by Back may then restore its scroll position.
  useLayoutEffect(() => {
    // The screen that the page was opened with.
    if (key === opened.current) return;
    opened.current = '';
    scrollTo(0, 0);
    // A screen may have put the focus where its work begins.
    const active = document.activeElement;
    if (active !== null && active !== document.body && active.closest('main') !== null) return;
    document.getElementById('main')?.focus({ preventScroll: true });
  }, [key, arrivals.value]);
}

/** What is saved here may be the screen itself: where something is, it does not wait for the first screen. */
const showsBackground = (): boolean => isSettled.value || isOfflineUsed.value;

function ShownPlayer({ current }: { current: PlayerScreen }) {
  if (current.name === 'multi') return <Multi />;
  if (current.name === 'live') return <Live stationId={current.stationId} />;
  const { recordingId, name } = current;
  // Without a key: the next episode keeps the element, and with it the full screen.
  return <Watch recordingId={recordingId} chase={name === 'chase'} />;
}

/** Japanese as it was typed, where it is valid. */
function readable(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** For addresses that lead nowhere. */
function NotFound({ path }: { path: string }) {
  return (
    <Panel
      icon="help"
      title={TEXTS.noScreen}
      actions={
        <>
          <a class="button button-main" href="." data-nav-initial="">
            {TEXTS.toHome}
          </a>
          <a class="button" href="recordings">
            {TEXTS.toRecordings}
          </a>
        </>
      }
    >
      <p>{TEXTS.noScreenNote}</p>
      <p class="note">{readable(path)}</p>
    </Panel>
  );
}

function Content({ current }: { current: Exclude<Screen, PlayerScreen> }) {
  switch (current.name) {
    case 'home':
      return <Home />;
    case 'guide':
      return <Guide />;
    case 'reservations':
      return <Reservations />;
    case 'rules':
      return <Rules />;
    case 'recordings':
      return <Recordings />;
    case 'search':
      return <Search />;
    case 'tuners':
      return <Tuners />;
    case 'notices':
      return <Notices />;
    case 'settings':
      return <Settings />;
    case 'setup':
      return <Setup />;
    case 'offline':
      return <Offline />;
    case 'unknown':
      return <NotFound path={current.path} />;
  }
}

/** The sheet that the address asks for, over whatever screen; after the screen, whose notices it takes over. */
function Over() {
  const program = shownProgram.value;
  const reservation = shownReservation.value;
  if (program !== undefined) return <LateProgramSheet id={program} />;
  return reservation === undefined ? null : <LateReservationSheet id={reservation} />;
}

export function App() {
  const current = screen.value;
  const own = screenTitle(current);
  const title = own === '' ? APP_NAME : `${own} – ${APP_NAME}`;
  useEffect(() => {
    document.title = title;
  }, [title]);
  useScreenChange();
  useScreenKeys();
  useEffect(
    () =>
      onBack(() => {
        if (screen.value.name === 'home') return false;
        goBack();
        return true;
      }),
    [],
  );
  if (isPlayer(current)) {
    return (
      <>
        {showsBackground() ? <LateBackground player /> : null}
        <ShownPlayer current={current} />
        <Over />
      </>
    );
  }
  return (
    <div class="shell">
      {showsBackground() ? <LateBackground player={false} /> : null}
      {/* biome-ignore lint/a11y/useValidAnchor: it leads within the page, see skipToMain */}
      <a class="skip bold round-m surface-high" href="#main" data-nav-skip="" onClick={skipToMain}>
        {TEXTS.skip}
      </a>
      <Rail />
      <main id="main" tabIndex={-1} class={current.name === 'guide' ? 'main-full' : undefined}>
        <ConnectionBanner />
        <Content current={current} />
      </main>
      <Toasts under />
      <Over />
    </div>
  );
}

/** With a base address `#main` would lead to the home screen, so the skip link moves the focus itself. */
function skipToMain(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
