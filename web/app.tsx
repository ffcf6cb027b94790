/** The current screen in its shell, and the programme whose sheet lies over it. */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
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
import { OfflineGlyphs } from './offline-glyphs.tsx';
import { ProgramSheet } from './program/sheet.tsx';
import { stationById } from './query/stations.ts';
import { FinishedNotices } from './recordings/finished-notices.tsx';
import { ReservationSheet } from './reservations/sheet.tsx';
import { Guide } from './screens/guide.tsx';
import { Home } from './screens/home.tsx';
import { Live } from './screens/live.tsx';
import { Multi } from './screens/multi.tsx';
import { NotFound } from './screens/not-found.tsx';
import { Recordings } from './screens/recordings.tsx';
import { Reservations } from './screens/reservations.tsx';
import { Rules } from './screens/rules.tsx';
import { Search } from './screens/search.tsx';
import { SettingsScreen } from './screens/settings.tsx';
import { Setup } from './screens/setup.tsx';
import { Tuners } from './screens/tuners.tsx';
import { Watch } from './screens/watch.tsx';
import { PairingNotices } from './settings/pairing-notices.tsx';
import { ConnectionBanner, Rail, useScreenKeys } from './shell.tsx';
import { TEXTS } from './texts.ts';
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
    case 'settings':
      return TEXTS.settings;
    case 'setup':
      return TEXTS.setup;
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
  const first = useRef(true);
  const current = screen.value;
  const key = isPlayer(current) ? current.name : JSON.stringify(current);
  // At once: a screen shown again by Back may then restore its scroll position.
  useLayoutEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    scrollTo(0, 0);
    // A screen may have put the focus where its work begins.
    const active = document.activeElement;
    if (active !== null && active !== document.body && active.closest('main') !== null) return;
    document.getElementById('main')?.focus({ preventScroll: true });
  }, [key]);
}

function Player({ current }: { current: PlayerScreen }) {
  if (current.name === 'multi') return <Multi />;
  if (current.name === 'live') return <Live stationId={current.stationId} />;
  const { recordingId, name } = current;
  // Without a key: the next episode keeps the element, and with it the full screen.
  return <Watch recordingId={recordingId} chase={name === 'chase'} />;
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
    case 'settings':
      return <SettingsScreen />;
    case 'setup':
      return <Setup />;
    case 'unknown':
      return <NotFound path={current.path} />;
  }
}

/** The sheet that the address asks for, over whatever screen; after the screen, whose notices it takes over. */
function Over() {
  const program = shownProgram.value;
  const reservation = shownReservation.value;
  if (program !== undefined) return <ProgramSheet id={program} />;
  return reservation === undefined ? null : <ReservationSheet id={reservation} />;
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
        <OfflineGlyphs />
        <Player current={current} />
        <PairingNotices />
        <Over />
      </>
    );
  }
  return (
    <div class="shell">
      <OfflineGlyphs />
      {/* biome-ignore lint/a11y/useValidAnchor: it leads within the page, see skipToMain */}
      <a class="skip" href="#main" data-nav-skip="" onClick={skipToMain}>
        {TEXTS.skip}
      </a>
      <Rail />
      <main id="main" tabIndex={-1} class={current.name === 'guide' ? 'main-full' : undefined}>
        <ConnectionBanner />
        <Content current={current} />
      </main>
      <Toasts under />
      <FinishedNotices />
      <PairingNotices />
      <Over />
    </div>
  );
}

/** With a base address `#main` would lead to the home screen, so the skip link moves the focus itself. */
function skipToMain(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
