/** The sheet behind 設定: looks, and how the service, its tuners and its encoder are. */
import { useEffect, useState } from 'preact/hooks';
import type { Health, Status } from '../../wire/api.ts';
import { ApiFailure, getHealth, getStatus, networkFailure } from '../api.ts';
import { connection } from '../events.ts';
import { theme } from '../preferences.ts';
import type { Theme } from '../theme-choice.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { Sheet } from '../ui/sheet.tsx';

const THEMES: readonly { value: Theme; label: string; icon: IconName }[] = [
  { value: 'auto', label: '自動', icon: 'auto' },
  { value: 'light', label: 'ライト', icon: 'sun' },
  { value: 'dark', label: 'ダーク', icon: 'moon' },
];

type Tone = 'good' | 'bad' | 'quiet';

const CONNECTION: Record<typeof connection.value, readonly [string, Tone]> = {
  connecting: ['接続中', 'quiet'],
  open: ['つながっています', 'good'],
  lost: ['切れています（再接続中）', 'bad'],
};

type Words = readonly [text: string, tone: Tone];

const AGENT: Record<Status['agent']['state'], Words> = {
  connecting: ['接続中', 'quiet'],
  connected: ['つながっています', 'good'],
  unavailable: ['つながりません', 'bad'],
};

const FFMPEG: Record<Status['ffmpeg']['state'], Words> = {
  probing: ['確認中', 'quiet'],
  ready: ['使えます', 'good'],
  missing: ['使えません', 'bad'],
};

/** A newer service may know states that this page does not: shown as they are called. */
function wordsFor(table: Readonly<Record<string, Words>>, state: string): Words {
  return table[state] ?? [state, 'quiet'];
}

interface About {
  readonly health?: Health;
  readonly status?: Status | undefined;
  readonly failure?: ApiFailure;
}

function useAbout(): About | undefined {
  const [about, setAbout] = useState<About>();
  useEffect(() => {
    const abort = new AbortController();
    Promise.all([getHealth(abort.signal), getStatus(abort.signal)])
      .then(([health, status]) => setAbout({ health, status }))
      .catch((error: unknown) => {
        if (abort.signal.aborted) return;
        setAbout({ failure: error instanceof ApiFailure ? error : networkFailure(error) });
      });
    return () => abort.abort();
  }, []);
  return about;
}

function Fact({
  name,
  tone,
  note,
  children,
}: {
  name: string;
  tone?: Tone;
  note?: string;
  children: string;
}) {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>
        <span class={tone === undefined ? '' : `state state-${tone}`}>{children}</span>
        {note === undefined || note === '' ? null : <small>{note}</small>}
      </dd>
    </div>
  );
}

function ThemeChoice() {
  return (
    <section class="sheet-section">
      <h3>画面の明るさ</h3>
      <div class="tabs tabs-wide" role="radiogroup" aria-label="画面の明るさ">
        {THEMES.map((choice) => (
          // biome-ignore lint/a11y/useSemanticElements: a radio input would change with the arrow keys that move the focus here
          <button
            key={choice.value}
            type="button"
            role="radio"
            class="tab"
            aria-checked={theme.value === choice.value}
            onClick={() => {
              theme.value = choice.value;
            }}
          >
            <Icon name={choice.icon} />
            {choice.label}
          </button>
        ))}
      </div>
    </section>
  );
}

function StatusFacts({ status }: { status: Status }) {
  const { agent, ffmpeg } = status;
  const [agentText, agentTone] = wordsFor(AGENT, agent.state);
  const [ffmpegText, ffmpegTone] = wordsFor(FFMPEG, ffmpeg.state);
  return (
    <>
      <Fact name="チューナー" tone={agentTone} note={agent.message ?? ''}>
        {agentText}
      </Fact>
      <Fact name="映像の変換" tone={ffmpegTone} note={ffmpeg.message ?? ffmpeg.encoders.join('、')}>
        {ffmpeg.version === null ? ffmpegText : `ffmpeg ${ffmpeg.version}`}
      </Fact>
    </>
  );
}

function AboutService() {
  const about = useAbout();
  const [text, tone] = CONNECTION[connection.value];
  const health = about?.health;
  const newer = health?.latestVersion ?? null;
  return (
    <section class="sheet-section">
      <h3>このサービスについて</h3>
      <dl class="facts">
        <Fact name="サーバーとの接続" tone={tone}>
          {text}
        </Fact>
        {about?.failure === undefined ? null : (
          <Fact name="状態" tone="bad">
            {about.failure.message}
          </Fact>
        )}
        {about?.status === undefined ? null : <StatusFacts status={about.status} />}
        {health === undefined ? null : (
          <>
            <Fact name="局の数">{`${health.stations}局`}</Fact>
            <Fact
              name="バージョン"
              note={newer === null || newer === health.version ? '' : `新しい版 ${newer} があります`}
            >
              {health.version}
            </Fact>
          </>
        )}
      </dl>
    </section>
  );
}

export function SettingsSheet({ onClose }: { onClose: () => void }) {
  return (
    <Sheet title="設定" onClose={onClose}>
      <ThemeChoice />
      <AboutService />
    </Sheet>
  );
}
