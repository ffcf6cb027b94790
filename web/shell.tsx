/** The frame around every screen except the player: navigation, and messages about the connection. */
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { connection } from './device/connection.ts';
import { isTextField } from './navigation/focus.ts';
import { comingScreen, isPlayer, navigate, type Screen, screen } from './navigation/router.ts';
import { TEXTS } from './texts.ts';
import { Icon, type IconName } from './ui/icon.tsx';
import { lazy } from './ui/lazy.tsx';

/** The way there does not wait for the number on it. */
const LateUnreadBadge = lazy({
  styles: [],
  load: async () => (await import('./notices/bell.tsx')).UnreadBadge,
  Failed: () => null,
});

interface MenuEntry {
  readonly name: Screen['name'];
  /** Screens that are reached through this one. */
  readonly within?: readonly Screen['name'][];
  /** Not among the few at the bottom of a phone: the settings lead there. */
  readonly wide?: boolean;
  /** Relative to the document's base. */
  readonly href: string;
  readonly label: string;
  readonly icon: IconName;
}

const ENTRIES: readonly MenuEntry[] = [
  { name: 'home', href: '.', label: TEXTS.home, icon: 'home' },
  { name: 'guide', href: 'guide', label: TEXTS.guide, icon: 'guide' },
  {
    name: 'reservations',
    within: ['rules'],
    href: 'reservations',
    label: TEXTS.reservations,
    icon: 'reserve',
  },
  { name: 'recordings', href: 'recordings', label: TEXTS.recordings, icon: 'recordings' },
  { name: 'search', href: 'search', label: TEXTS.search, icon: 'search' },
  { name: 'tuners', href: 'tuners', label: TEXTS.tuners, icon: 'antenna', wide: true },
  { name: 'notices', href: 'notices', label: TEXTS.notices, icon: 'bell', wide: true },
  { name: 'settings', href: 'settings', label: TEXTS.settings, icon: 'tune' },
];

/** At the side of wide screens, at the bottom of phones. */
export function Rail() {
  const coming = comingScreen.value;
  // The player has no rail: until it is there the mark stays.
  const { name: shown } = coming === undefined || isPlayer(coming) ? screen.value : coming;
  return (
    <nav
      class="rail hstack gap-50 line-right ground-deep"
      aria-label={TEXTS.screens}
      data-nav-group="rail"
      data-nav-side=""
    >
      <img class="rail-brand below-75 wide-only" src="icon.svg" alt="" width="42" height="42" />
      {ENTRIES.map((entry) => (
        <a
          key={entry.name}
          class={
            entry.wide === true
              ? 'rail-item stack items-middle relative text-xs bold muted round-m wide-only gap-25'
              : 'rail-item stack items-middle relative text-xs bold muted round-m gap-25'
          }
          href={entry.href}
          aria-current={entry.name === shown || entry.within?.includes(shown) === true ? 'page' : undefined}
        >
          <Icon name={entry.icon} />
          {entry.name === 'notices' ? <LateUnreadBadge /> : null}
          <span class="rail-label">{entry.label}</span>
        </a>
      ))}
    </nav>
  );
}

/** Keys that lead to a screen from anywhere but a text field. */
const SCREEN_KEYS: Readonly<Record<string, string>> = { Guide: 'guide', '/': 'search' };

export function useScreenKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const path = SCREEN_KEYS[event.key];
      if (path === undefined || isTextField(event.target) || screen.value.name === path) return;
      // The player has its own meaning for these keys.
      if (isPlayer(screen.value) || document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      navigate(path);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

/** Says that the connection is lost, but only when the loss lasts: a short one needs no worry. */
const PATIENCE_MS = 3_000;

/** Recordings on this device can be watched without a connection. */
export const hasSaved = signal(false);

export function ConnectionBanner() {
  const offersSaved = hasSaved.value && screen.value.name !== 'offline';
  const [shown, setShown] = useState(false);
  const lost = connection.value === 'lost';
  useEffect(() => {
    if (!lost) {
      setShown(false);
      return undefined;
    }
    const timer = setTimeout(() => setShown(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [lost]);
  if (connection.value === 'refused') {
    return (
      <div role="status">
        <p class="banner no-pointer hstack gap-75 at-middle text-s bold round-l fill-warn shadow-2">
          <Icon name="lock" />
          {TEXTS.refused}
          <button type="button" class="button button-small rigid nowrap" onClick={() => location.reload()}>
            {TEXTS.reload}
          </button>
        </p>
      </div>
    );
  }
  return (
    <div role="status">
      {shown ? (
        <p class="banner no-pointer hstack gap-75 at-middle text-s bold round-l fill-warn shadow-2">
          <Icon name="unlink" />
          {TEXTS.lost}
          {offersSaved ? (
            <a class="button button-small rigid nowrap" href="offline">
              {TEXTS.offline}
            </a>
          ) : null}
        </p>
      ) : null}
    </div>
  );
}
