/** The parts of the page that are loaded when they are first needed: each screen, and what lies over screens. */
import { signal } from '@preact/signals';
import { type Screen, screen, screenOfLink } from './navigation/router.ts';
import { SCREEN_STYLES } from './screen-styles.ts';
import { TEXTS } from './texts.ts';
import { lazy, type Prefetched } from './ui/lazy.tsx';
import { TEXTS as UI } from './ui/texts.ts';

function LateNote() {
  return (
    <p class="late-note muted text-center" role="status">
      {UI.loading}
    </p>
  );
}

/** The frame of a screen with its name. */
function titled(title: string) {
  return () => (
    <>
      <header class="screen-head">
        <h1 class="screen-title">{title}</h1>
      </header>
      <LateNote />
    </>
  );
}

function DarkStage() {
  return (
    <div class="player-waiting black">
      <LateNote />
    </div>
  );
}

/** How many screens came later than the press that opened them. */
export const arrivals = signal(0);
const onArrival = (): void => {
  arrivals.value += 1;
};

export const Home = lazy({
  styles: SCREEN_STYLES.home,
  load: async () => (await import('./home/home-screen.tsx')).HomeScreen,
  Waiting: LateNote,
  onArrival,
});
export const Guide = lazy({
  styles: SCREEN_STYLES.guide,
  load: async () => (await import('./guide/guide-screen.tsx')).GuideScreen,
  Waiting: LateNote,
  onArrival,
});
export const Reservations = lazy({
  styles: SCREEN_STYLES.reservations,
  load: async () => (await import('./reservations/reservations-screen.tsx')).ReservationsScreen,
  Waiting: titled(TEXTS.reservations),
  onArrival,
});
export const Rules = lazy({
  styles: SCREEN_STYLES.rules,
  load: async () => (await import('./rules/rules-screen.tsx')).RulesScreen,
  Waiting: LateNote,
  onArrival,
});
export const Recordings = lazy({
  styles: SCREEN_STYLES.recordings,
  load: async () => (await import('./recordings/recordings-screen.tsx')).RecordingsScreen,
  Waiting: titled(TEXTS.recordings),
  onArrival,
});
export const Search = lazy({
  styles: SCREEN_STYLES.search,
  load: async () => (await import('./search/search-screen.tsx')).SearchScreen,
  Waiting: LateNote,
  onArrival,
});
export const Tuners = lazy({
  styles: SCREEN_STYLES.tuners,
  load: async () => (await import('./tuners/tuners-screen.tsx')).TunersScreen,
  Waiting: titled(TEXTS.tuners),
  onArrival,
});
export const Notices = lazy({
  styles: SCREEN_STYLES.notices,
  load: async () => (await import('./notices/notices-screen.tsx')).NoticesScreen,
  Waiting: titled(TEXTS.notices),
  onArrival,
});
export const Settings = lazy({
  styles: SCREEN_STYLES.settings,
  load: async () => (await import('./settings/settings-screen.tsx')).SettingsScreen,
  Waiting: titled(TEXTS.settings),
  onArrival,
});
export const Setup = lazy({
  styles: SCREEN_STYLES.setup,
  load: async () => (await import('./setup/setup-screen.tsx')).SetupScreen,
  Waiting: titled(TEXTS.setup),
  onArrival,
});
export const Offline = lazy({
  styles: SCREEN_STYLES.offline,
  load: async () => (await import('./offline/offline-screen.tsx')).OfflineScreen,
  Waiting: titled(TEXTS.offline),
  onArrival,
});
export const Live = lazy({
  styles: SCREEN_STYLES.live,
  load: async () => (await import('./live/live-screen.tsx')).LiveScreen,
  Waiting: DarkStage,
  onArrival,
});
export const Multi = lazy({
  styles: SCREEN_STYLES.multi,
  load: async () => (await import('./live/multi-screen.tsx')).MultiScreen,
  Waiting: DarkStage,
  onArrival,
});
export const Watch = lazy({
  styles: SCREEN_STYLES.watch,
  load: async () => (await import('./watch/watch-screen.tsx')).WatchScreen,
  Waiting: DarkStage,
  onArrival,
});

export const LateProgramSheet = lazy({
  styles: ['bookings'],
  load: async () => (await import('./program/sheet.tsx')).ProgramSheet,
});
export const LateReservationSheet = lazy({
  styles: ['bookings'],
  load: async () => (await import('./reservations/sheet.tsx')).ReservationSheet,
});
/** Starts a moment after the first screen. */
export const LateBackground = lazy({
  styles: [],
  load: async () => (await import('./background.tsx')).Background,
  Failed: () => null,
});

const BY_SCREEN: Readonly<Record<Exclude<Screen['name'], 'unknown'>, Prefetched>> = {
  home: Home,
  guide: Guide,
  reservations: Reservations,
  rules: Rules,
  recordings: Recordings,
  search: Search,
  tuners: Tuners,
  notices: Notices,
  settings: Settings,
  setup: Setup,
  offline: Offline,
  live: Live,
  multi: Multi,
  watch: Watch,
  chase: Watch,
};

function screenPart(at: Screen): Prefetched | undefined {
  return at.name === 'unknown' ? undefined : BY_SCREEN[at.name];
}

/** In the order in which they are likely to be needed. */
const NEXT: readonly Prefetched[] = [
  ...[Guide, LateProgramSheet, Recordings, Watch, Live, Home, Reservations, LateReservationSheet],
  ...[Search, Rules, Settings, Offline, Notices, Tuners, Multi, Setup],
];
/** A browser that is busy all the time runs the work after this time, ms. */
const IDLE_LIMIT_MS = 2_000;
/** The first screen may not come at all, ms. */
const FIRST_LIMIT_MS = 5_000;
/** What a screen shows is still on its way when its scripts are there, ms. */
const DATA_MS = 2_000;

/** Safari has no idle callbacks. */
const idle = (): Promise<unknown> =>
  new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(resolve, { timeout: IDLE_LIMIT_MS });
    else setTimeout(resolve, 1);
  });

function savesData(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  return connection?.saveData === true;
}

/** The first screen is there, and the browser has time for what nobody waits for. */
export const isSettled = signal(false);

async function prefetchAll(): Promise<void> {
  const first = screenPart(screen.peek())?.prefetch();
  const limit = new Promise((resolve) => setTimeout(resolve, FIRST_LIMIT_MS));
  // What fails is shown by the screen.
  await Promise.race([first?.catch(() => undefined), limit]);
  await new Promise((resolve) => setTimeout(resolve, DATA_MS));
  await idle();
  isSettled.value = true;
  if (savesData()) return;
  try {
    for (const part of NEXT) {
      await idle();
      await part.prefetch();
    }
  } catch {
    // The service is away or was updated: each part is fetched when it is needed.
  }
}

/** A press on a link is about to come. */
function onPointed({ target }: Event): void {
  const link = target instanceof Element ? target.closest('a[href]') : null;
  if (!(link instanceof HTMLAnchorElement)) return;
  const at = screenOfLink(link);
  // It is fetched again when it is needed.
  if (at !== undefined)
    screenPart(at)
      ?.prefetch()
      .catch(() => undefined);
}

/** Fetches what comes next: what is pointed at or has the focus, the rest when the browser is idle. */
export function startPrefetch(): void {
  for (const kind of ['pointerover', 'focusin'])
    document.addEventListener(kind, onPointed, { passive: true });
  void prefetchAll();
}
