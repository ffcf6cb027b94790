/** Read-only facts of the settings screen: broadcast time, and the health of the service. */

import type { ComponentChildren } from 'preact';
import type { ClockOffset, Health, SystemFacts } from '../../wire/api.ts';
import { now } from '../device/clock.ts';
import { connection } from '../device/connection.ts';
import { plainReason } from '../query/plain-reason.ts';
import { stations } from '../query/stations.ts';
import { Icon } from '../ui/icon.tsx';
import { bytesText } from '../words/bytes.ts';
import { narrow } from '../words/channel.ts';
import { agoText, lengthText } from '../words/time.ts';
import { TYPE_NAMES } from '../words/tuner.ts';

type Tone = 'good' | 'bad' | 'quiet';

interface FactProps {
  readonly name: string;
  readonly tone?: Tone;
  readonly note?: string | undefined;
  readonly children: string;
}

function Fact({ name, tone, note, children }: FactProps) {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>
        <span class={tone === undefined ? '' : 'state'} data-tone={tone}>
          {children}
        </span>
        {note === undefined || note === '' ? null : <small>{note}</small>}
      </dd>
    </div>
  );
}

const CONNECTION: Record<typeof connection.value, readonly [string, Tone]> = {
  connecting: ['接続中', 'quiet'],
  open: ['つながっています', 'good'],
  lost: ['切れています（再接続中）', 'bad'],
  refused: ['利用が許可されていません', 'bad'],
};

const AGENT: Record<SystemFacts['agent']['state'], readonly [string, Tone]> = {
  connecting: ['接続中', 'quiet'],
  connected: ['つながっています', 'good'],
  unavailable: ['つながりません', 'bad'],
};

const FFMPEG: Record<SystemFacts['ffmpeg']['state'], readonly [string, Tone]> = {
  probing: ['確認中', 'quiet'],
  ready: ['使えます', 'good'],
  missing: ['使えません', 'bad'],
};

const MISSING_FFMPEG = 'サーバーに ffmpeg を入れるか、FFMPEG_PATH で場所を指定してください。';

function encoders(ffmpeg: SystemFacts['ffmpeg']): string {
  return ffmpeg.encoders
    .filter(({ usable }) => usable)
    .map(({ name, hardware }) => (hardware ? `${name}（GPU）` : name))
    .join('、');
}

function Folder({ folder }: { folder: SystemFacts['folders'][number] }) {
  const { totalBytes: total, freeBytes: free } = folder;
  const role = folder.role === 'data' ? 'データの保存先' : '録画の保存先';
  if (total === null || free === null) {
    return (
      <Fact
        name={role}
        tone="bad"
        note={`${folder.path}：フォルダーがあるか、読み書きできるかを確かめてください。`}
      >
        読めません
      </Fact>
    );
  }
  if (typeof folder.problem === 'string') {
    return (
      <Fact name={role} tone="bad" note={`${folder.path}：${folder.problem}`}>
        書き込めません
      </Fact>
    );
  }
  return (
    <div class="fact">
      <dt>{role}</dt>
      <dd>
        <span class="numbers">空き {bytesText(free)}</span>
        <span class="disk" role="img" aria-label={`${Math.round((1 - free / total) * 100)}% 使用`}>
          <span style={{ '--part': (1 - free / Math.max(1, total)).toFixed(3) }} />
        </span>
        <small>
          {folder.path}（全体 {bytesText(total)}）
        </small>
      </dd>
    </div>
  );
}

const DAY_MS = 86_400_000;

/** In days from two days on. */
function runText(ms: number): string {
  return ms < 2 * DAY_MS ? lengthText(ms) : `${Math.floor(ms / DAY_MS)}日`;
}

export function SystemBlock({ system, health }: { system: SystemFacts; health: Health | undefined }) {
  const [connectionText, connectionTone] = CONNECTION[connection.value];
  const [agentText, agentTone] = AGENT[system.agent.state] ?? [system.agent.state, 'quiet'];
  const [ffmpegText, ffmpegTone] = FFMPEG[system.ffmpeg.state] ?? [system.ffmpeg.state, 'quiet'];
  const newer = health?.latestVersion ?? null;
  return (
    <dl class="facts">
      <Fact name="サーバーとの接続" tone={connectionTone}>
        {connectionText}
      </Fact>
      <Fact
        name="チューナー"
        tone={agentTone}
        note={system.agent.message === null ? system.agent.url : plainReason(system.agent.message)}
      >
        {agentText}
      </Fact>
      <Fact
        name="映像の変換"
        tone={ffmpegTone}
        note={system.ffmpeg.state === 'missing' ? MISSING_FFMPEG : encoders(system.ffmpeg)}
      >
        {system.ffmpeg.version === null ? ffmpegText : `ffmpeg ${system.ffmpeg.version}`}
      </Fact>
      {system.folders.map((folder) => (
        <Folder key={`${folder.role} ${folder.path}`} folder={folder} />
      ))}
      <Fact name="データベース" note={`番組 ${system.database.programs.toLocaleString('ja-JP')}件`}>
        {bytesText(system.database.bytes)}
      </Fact>
      {health === undefined ? null : <Fact name="局の数">{`${health.stations}局`}</Fact>}
      <Fact name="稼働時間">{runText(Math.max(0, now.value - system.startedAt))}</Fact>
      <Fact
        name="バージョン"
        note={newer === null || newer === system.version ? '' : `新しい版 ${newer} があります`}
      >
        {system.version}
      </Fact>
    </dl>
  );
}

function offsetText(ms: number): string {
  const seconds = Math.abs(ms) / 1000;
  if (seconds < 0.05) return '一致';
  const words = seconds < 10 ? seconds.toFixed(1) : Math.round(seconds).toLocaleString('ja-JP');
  // Broadcast minus machine: a positive value means that the machine is slow.
  return `${words}秒 ${ms > 0 ? '遅れ' : '進み'}`;
}

const STATIONS_A_NETWORK = 100_000;

/** A terrestrial network is one broadcaster; those of a satellite are called by its kind. */
function networkName({ type, networkId }: ClockOffset): string {
  const of = stations.value.filter(({ id }) => Math.floor(id / STATIONS_A_NETWORK) === networkId);
  const first = of[0];
  if (type === 'GR' && first !== undefined) return narrow(first.name);
  return `${TYPE_NAMES[type]}（${networkId}）`;
}

/** With more networks than this they are summarised in one line while all are well. */
const MOST_OPEN = 4;

function Folded({ clocks, children }: { clocks: readonly ClockOffset[]; children: ComponentChildren }) {
  if (clocks.length <= MOST_OPEN || clocks.some(({ warning }) => warning)) return <>{children}</>;
  const most = Math.max(...clocks.map(({ offsetMs }) => Math.abs(offsetMs)));
  return (
    <details class="clocks">
      <summary>
        <span class="state" data-tone="good">
          {clocks.length}つの放送ネットワークすべてと一致しています（ずれは最大 {(most / 1000).toFixed(1)}秒）
        </span>
      </summary>
      {children}
    </details>
  );
}

export function ClockBlock({ clocks }: { clocks: readonly ClockOffset[] }) {
  if (clocks.length === 0) {
    return (
      <p class="block-note">
        放送の時刻はまだ受信していません。番組表を集めるか視聴すると、ここに表示されます。
      </p>
    );
  }
  return (
    <>
      {clocks.some(({ warning }) => warning) ? (
        <div class="tuner-error" role="alert">
          <Icon name="alert" />
          <p>
            <b>サーバーの時計が放送の時刻とずれています。</b>
            このままでは番組の始まりや終わりに合いません。サーバーの時刻合わせ（NTP）を有効にしてください。
          </p>
        </div>
      ) : null}
      <Folded clocks={clocks}>
        <dl class="facts">
          {clocks.map((clock) => (
            <Fact
              key={clock.networkId}
              name={networkName(clock)}
              tone={clock.warning ? 'bad' : 'good'}
              note={`${agoText(clock.measuredAt, now.value)}に確認`}
            >
              {offsetText(clock.offsetMs)}
            </Fact>
          ))}
        </dl>
      </Folded>
    </>
  );
}
