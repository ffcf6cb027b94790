/** The shell: navigation, the current screen, what is said about the connection. */
import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { connection } from './events.ts';
import { onBack } from './navigation/back.ts';
import { goBack, screen } from './navigation/router.ts';
import { Home } from './screens/home.tsx';
import { Live } from './screens/live.tsx';
import { NotFound } from './screens/not-found.tsx';
import { SettingsSheet } from './screens/settings-sheet.tsx';
import { stationById } from './stations.ts';
import { narrow } from './text/channel.ts';
import { Icon } from './ui/icon.tsx';
import { Toasts } from './ui/toast.tsx';

export const APP_NAME = 'テレビ';

const settingsOpen = signal(false);

function Rail() {
  return (
    <nav class="rail" aria-label="画面" data-nav-group="rail">
      <img class="rail-brand" src="icon.svg" alt="" width="42" height="42" />
      <a class="rail-item" href="." aria-current={screen.value.name === 'home' ? 'page' : undefined}>
        <Icon name="home" />
        ホーム
      </a>
      <button
        type="button"
        class="rail-item rail-last"
        aria-haspopup="dialog"
        onClick={() => {
          settingsOpen.value = true;
        }}
      >
        <Icon name="tune" />
        設定
      </button>
    </nav>
  );
}

/** Says that the connection is lost, but only when the loss lasts: a short one needs no worry. */
const PATIENCE_MS = 3_000;

export function ConnectionBanner() {
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
  return (
    <div role="status">
      {shown ? (
        <p class="banner">
          <Icon name="unlink" />
          サーバーとの接続が切れました。つなぎ直しています…
        </p>
      ) : null}
    </div>
  );
}

function titleText(): string {
  const current = screen.value;
  switch (current.name) {
    case 'home':
      return APP_NAME;
    case 'live':
      return `${narrow(stationById(current.stationId)?.name ?? '視聴')} – ${APP_NAME}`;
    case 'unknown':
      return `見つかりません – ${APP_NAME}`;
  }
}

/** Screen readers and remote controls begin a new screen at its top, not where the old one was left. */
function useScreenChange(): void {
  const first = useRef(true);
  const current = screen.value;
  const key = current.name === 'live' ? 'live' : JSON.stringify(current);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    scrollTo(0, 0);
    document.getElementById('main')?.focus({ preventScroll: true });
  }, [key]);
}

export function App() {
  const current = screen.value;
  const title = titleText();
  useEffect(() => {
    document.title = title;
  }, [title]);
  useScreenChange();
  useEffect(
    () =>
      onBack(() => {
        if (screen.value.name === 'home') return false;
        goBack();
        return true;
      }),
    [],
  );
  if (current.name === 'live') return <Live stationId={current.stationId} />;
  return (
    <div class="shell">
      {/* biome-ignore lint/a11y/useValidAnchor: it leads within the page, see skipToMain */}
      <a class="skip" href="#main" onClick={skipToMain}>
        本文へ移動
      </a>
      <Rail />
      <main id="main" tabIndex={-1}>
        <ConnectionBanner />
        {current.name === 'home' ? <Home /> : <NotFound path={current.path} />}
      </main>
      {settingsOpen.value ? (
        <SettingsSheet
          onClose={() => {
            settingsOpen.value = false;
          }}
        />
      ) : null}
      <Toasts />
    </div>
  );
}

/** With a base address `#main` would lead to the home screen, so the skip link moves the focus itself. */
function skipToMain(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
