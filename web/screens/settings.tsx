/** Settings by section, with a search over them; each is saved as soon as it is changed. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Health, SystemFacts } from '../../wire/api.ts';
import { connection } from '../device/connection.ts';
import { getHealth, getSystem } from '../query/api.ts';
import { GUIDE_STATUS } from '../query/queries.ts';
import { household, readHousehold } from '../query/settings.ts';
import { callQuery, type Shown, useQuery } from '../query/use-query.ts';
import { AccessBlock } from '../settings/access.tsx';
import { DevicesBlock } from '../settings/devices.tsx';
import { EncodeHours, EncodeMeasured, EncodeOlder } from '../settings/encode.tsx';
import { ClockBlock, SystemBlock } from '../settings/facts.tsx';
import { ChoiceField, DeviceField, NumberField, SwitchField } from '../settings/field.tsx';
import { FoldersBlock } from '../settings/folders.tsx';
import { LicensesBlock } from '../settings/licenses.tsx';
import { matches, ROWS, type Row, SECTIONS, type SectionKey } from '../settings/table.ts';
import { CardField } from '../tuners/card-block.tsx';
import { Icon } from '../ui/icon.tsx';
import { Panel } from '../ui/panel.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { adviceFor } from '../words/advice.ts';

/** Facts change slowly and without an event. */
const POLL_MS = 15_000;

/** Contents of a section besides its settings, and the words by which it is found. */
const CLOCK = {
  section: 'guide',
  label: '放送の時刻とのずれ',
  help: 'サーバーの時計と放送の時刻を比べます。',
  words: '時計 時刻合わせ NTP TOT',
} as const;
const FOLDERS = {
  section: 'recording',
  label: '録画の保存先',
  help: '上から順に、空きのあるフォルダーへ録画します。',
  words: 'フォルダー ディスク HDD 容量 空き 追加 recordingFolders',
} as const;
const ACCESS = {
  section: 'access',
  label: 'このサービスを使える人',
  help: '許可されたネットワークと、ログイン中の端末です。',
  words: 'ログイン ログアウト セッション OIDC ネットワーク TRUSTED_NETWORKS 許可 外出先',
} as const;
const DEVICES = {
  section: 'devices',
  label: '登録されたテレビ',
  help: 'QR コードで登録したテレビのアプリです。',
  words: 'TV アプリ ペアリング QR トークン 解除',
} as const;
const ENCODE_HOURS = {
  section: 'encode',
  label: '変換する時間帯',
  help: '始める時刻と終える時刻が同じときは、一日中変換します。録画と視聴を優先します。',
  words: 'エンコード 深夜 時刻 時間',
} as const;
const ENCODE_MEASURED = {
  section: 'encode',
  label: 'この機器での目安',
  help: 'これまでの変換の平均です。',
  words: 'エンコード 容量 大きさ 時間 GB',
} as const;
const ENCODE_OLDER = {
  section: 'encode',
  label: 'これまでの録画',
  help: '変換していない録画を、上の設定でまとめて変換します。',
  words: 'エンコード 過去 一括 まとめて',
} as const;
const SYSTEM = {
  section: 'system',
  label: 'このサービスについて',
  help: '接続、チューナー、映像の変換、空き容量、バージョン。',
  words: '状態 ffmpeg エージェント ディスク 容量 データベース',
} as const;

const CARD = {
  section: 'system',
  label: 'カード（B-CAS）と共有',
  help: 'カードの状態と、カードを共有している相手です。',
  words: 'B-CAS カードリーダー スクランブル 契約 共有元 断った相手 CARD_URL CARD_SHARE_PORT',
} as const;
const LICENSES = {
  section: 'system',
  label: 'ライセンス',
  help: 'このサービスに含まれるソフトウェアとフォントのライセンスです。',
  words: '著作権 オープンソース OSS license',
} as const;

interface Facts {
  readonly system: SystemFacts;
  readonly health: Health | undefined;
}

async function readFacts(signal: AbortSignal): Promise<Facts> {
  const [system, health] = await Promise.all([
    getSystem(signal),
    // Only the version and the number of stations come from here: the rest works without them.
    getHealth(signal).catch(() => undefined),
  ]);
  return { system, health };
}

const FACTS = callQuery('facts', ['settings', 'tuners'], readFacts, POLL_MS);

function Setting({ row, facts }: { row: Row; facts: Facts | undefined }) {
  if (row.kind === 'device') return <DeviceField row={row} />;
  const held = household.value;
  if (held.kind !== 'ready' || held.settings[row.key] === undefined) return null;
  const props = { settings: held.settings, defaults: facts?.system.defaults };
  switch (row.kind) {
    case 'switch':
      return <SwitchField row={row} {...props} />;
    case 'number':
      return <NumberField row={row} {...props} />;
    case 'choice':
      return <ChoiceField row={row} {...props} />;
  }
}

function Clock() {
  const { value, failure } = useQuery({ ...GUIDE_STATUS, poll: POLL_MS });
  return (
    <div class="field-block">
      <h3>{CLOCK.label}</h3>
      {value === undefined && failure !== undefined ? (
        <p class="field-failed" role="alert">
          {failure.message} {adviceFor(failure).next}
        </p>
      ) : (
        <ClockBlock clocks={value?.clocks ?? []} />
      )}
    </div>
  );
}

interface SectionProps {
  readonly section: (typeof SECTIONS)[number];
  readonly search: string;
  readonly facts: Shown<Facts>;
}

function isShown(key: SectionKey, search: string): boolean {
  const described = [
    ...ROWS,
    FOLDERS,
    ENCODE_HOURS,
    ENCODE_MEASURED,
    ENCODE_OLDER,
    CLOCK,
    ACCESS,
    DEVICES,
    SYSTEM,
    CARD,
    LICENSES,
  ].filter((one) => one.section === key);
  return described.some((one) => matches(one, search));
}

function Section({ section, search, facts }: SectionProps) {
  const rows = ROWS.filter((row) => row.section === section.key && matches(row, search));
  return (
    <section class="block" id={`section-${section.key}`} aria-label={section.title}>
      <header class="block-head">
        <h2>{section.title}</h2>
      </header>
      {rows.map((row) => (
        <Setting key={row.key} row={row} facts={facts.value} />
      ))}
      {section.key === FOLDERS.section && matches(FOLDERS, search) ? (
        <div class="field-block">
          <h3>{FOLDERS.label}</h3>
          <p class="block-note">{FOLDERS.help}</p>
          <FoldersBlock />
        </div>
      ) : null}
      {[
        { about: ENCODE_HOURS, Block: EncodeHours },
        { about: ENCODE_MEASURED, Block: EncodeMeasured },
        { about: ENCODE_OLDER, Block: EncodeOlder },
      ].map(({ about, Block }) =>
        section.key === about.section && matches(about, search) ? (
          <div key={about.label} class="field-block">
            <h3>{about.label}</h3>
            <p class="block-note">{about.help}</p>
            <Block />
          </div>
        ) : null,
      )}
      {section.key === CLOCK.section && matches(CLOCK, search) ? <Clock /> : null}
      {section.key === ACCESS.section && matches(ACCESS, search) ? (
        <div class="field-block">
          <h3>{ACCESS.label}</h3>
          <AccessBlock />
        </div>
      ) : null}
      {section.key === DEVICES.section && matches(DEVICES, search) ? (
        <div class="field-block">
          <h3>{DEVICES.label}</h3>
          <DevicesBlock />
        </div>
      ) : null}
      {section.key === SYSTEM.section && matches(SYSTEM, search) ? (
        facts.value !== undefined ? (
          <SystemBlock {...facts.value} />
        ) : facts.failure !== undefined ? (
          <p class="field-failed" role="alert">
            {facts.failure.message} {adviceFor(facts.failure).next}
          </p>
        ) : (
          <span class="skeleton block-skeleton" />
        )
      ) : null}
      {section.key === CARD.section && matches(CARD, search) ? (
        <div class="field-block">
          <h3>{CARD.label}</h3>
          <CardField />
        </div>
      ) : null}
      {section.key === LICENSES.section && matches(LICENSES, search) ? (
        <div class="field-block">
          <h3>{LICENSES.label}</h3>
          <p class="block-note">{LICENSES.help}</p>
          <LicensesBlock />
        </div>
      ) : null}
    </section>
  );
}

/** The household's settings cannot be read: those of the device are shown anyway. */
function HouseholdFailed() {
  const held = household.value;
  if (held.kind !== 'failed') return null;
  return (
    <div class="tuner-error settings-failed" role="alert">
      <Icon name="unlink" />
      <p>
        <b>{held.failure.message}</b>
        {adviceFor(held.failure).next}
      </p>
      <button type="button" class="button button-small" onClick={() => void readHousehold()}>
        再試行
      </button>
    </div>
  );
}

export function SettingsScreen() {
  const search = useSignal('');
  const field = useRef<HTMLInputElement>(null);
  const facts = useQuery(FACTS);
  useEffect(() => {
    if (connection.value === 'open') void readHousehold();
  }, [connection.value]);
  const sections = SECTIONS.filter(({ key }) => isShown(key, search.value));
  return (
    <div class="settings">
      <header class="screen-head">
        <h1 class="screen-title">設定</h1>
        <SearchField
          label="設定を探す"
          kind="settings-search"
          value={search.value}
          field={field}
          onInput={(text) => {
            search.value = text.trim();
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || search.value === '') return;
            event.preventDefault();
            search.value = '';
          }}
        />
      </header>
      <HouseholdFailed />
      <a class="row settings-tuners" href="tuners">
        <Icon name="antenna" />
        <span class="row-text">
          <span class="row-title">チューナー</span>
          <span class="row-name">受信の状態、カード、番組表の収集、チャンネルスキャン</span>
        </span>
        <Icon name="next" class="row-go" />
      </a>
      <a class="row settings-tuners" href="setup">
        <Icon name="check" />
        <span class="row-text">
          <span class="row-title">はじめての設定</span>
          <span class="row-name">チューナー、カード、チャンネルスキャン、番組表を順に確かめます</span>
        </span>
        <Icon name="next" class="row-go" />
      </a>
      <div class="settings-columns">
        <nav class="settings-nav" aria-label="設定の種類" data-nav-group="settings-nav">
          {sections.map(({ key, title }) => (
            <button
              key={key}
              type="button"
              class="settings-link"
              onClick={() => {
                const section = document.getElementById(`section-${key}`);
                section?.scrollIntoView({ block: 'start' });
                section?.querySelector<HTMLElement>('button')?.focus({ preventScroll: true });
              }}
            >
              {title}
            </button>
          ))}
        </nav>
        <div class="settings-sections">
          {sections.map((section) => (
            <Section key={section.key} section={section} search={search.value} facts={facts} />
          ))}
          {sections.length === 0 ? (
            <Panel icon="search" title={`「${search.value}」に合う設定はありません`}>
              <p>言葉を短くするか、別の言い方で探してみてください。</p>
            </Panel>
          ) : null}
        </div>
      </div>
    </div>
  );
}
