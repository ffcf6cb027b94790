/** Read-only facts of the settings screen: broadcast time, and the health of the service. */
import type { ComponentChildren } from 'preact';
import { DAY_MS } from '../../lib/arib/time.ts';
import type { ClockOffset, Health, SystemFacts } from '../../lib/wire/api.ts';
import { now } from '../device/clock.ts';
import { connection } from '../device/connection.ts';
import { stations } from '../query/stations.ts';
import { Icon } from '../ui/icon.tsx';
import { bytesText } from '../words/bytes.ts';
import { narrow, STATIONS_A_NETWORK } from '../words/channel.ts';
import type { BadgeTone } from '../words/recording.ts';
import { agoText, lengthText } from '../words/time.ts';
import { TYPE_NAMES } from '../words/tuner.ts';
import { TEXTS } from './texts.ts';

interface FactProps {
  readonly name: string;
  readonly tone?: BadgeTone;
  readonly note?: string | undefined;
  readonly children: string;
}

export function Fact({ name, tone, note, children }: FactProps) {
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

const CONNECTION: Record<typeof connection.value, readonly [string, BadgeTone]> = {
  connecting: [TEXTS.connecting, 'quiet'],
  open: [TEXTS.connected, 'good'],
  lost: [TEXTS.lost, 'bad'],
  refused: [TEXTS.refused, 'bad'],
};

const AGENT: Record<SystemFacts['agent']['state'], readonly [string, BadgeTone]> = {
  connecting: [TEXTS.connecting, 'quiet'],
  connected: [TEXTS.connected, 'good'],
  unavailable: [TEXTS.unavailable, 'bad'],
};

const FFMPEG: Record<SystemFacts['ffmpeg']['state'], readonly [string, BadgeTone]> = {
  probing: [TEXTS.probing, 'quiet'],
  ready: [TEXTS.usable, 'good'],
  missing: [TEXTS.unusable, 'bad'],
};

const MISSING_FFMPEG = TEXTS.missingFfmpeg;

function encoders(ffmpeg: SystemFacts['ffmpeg']): string {
  return ffmpeg.encoders
    .filter(({ usable }) => usable)
    .map(({ name, hardware }) => (hardware ? TEXTS.onGpu(name) : name))
    .join('、');
}

function Folder({ folder }: { folder: SystemFacts['folders'][number] }) {
  const { totalBytes: total, freeBytes: free } = folder;
  const role = folder.role === 'data' ? TEXTS.dataFolder : TEXTS.recordingFolder;
  if (total === null || free === null) {
    return (
      <Fact name={role} tone="bad" note={TEXTS.unreadableNote(folder.path)}>
        {TEXTS.unreadable}
      </Fact>
    );
  }
  if (typeof folder.problem === 'string') {
    return (
      <Fact name={role} tone="bad" note={TEXTS.folderProblem(folder.path, folder.problem)}>
        {TEXTS.unwritable}
      </Fact>
    );
  }
  return (
    <div class="fact">
      <dt>{role}</dt>
      <dd>
        <span class="numbers">{TEXTS.free(bytesText(free))}</span>
        <span
          class="progress block-level"
          role="img"
          aria-label={TEXTS.used(Math.round((1 - free / total) * 100))}
        >
          <span class="progress-fill" style={{ '--part': (1 - free / Math.max(1, total)).toFixed(3) }} />
        </span>
        <small>{TEXTS.pathAndTotal(folder.path, bytesText(total))}</small>
      </dd>
    </div>
  );
}

/** In days from two days on. */
function runText(ms: number): string {
  return ms < 2 * DAY_MS ? lengthText(ms) : TEXTS.days(Math.floor(ms / DAY_MS));
}

export function SystemBlock({ system, health }: { system: SystemFacts; health: Health | undefined }) {
  const [connectionText, connectionTone] = CONNECTION[connection.value];
  const [agentText, agentTone] = AGENT[system.agent.state] ?? [system.agent.state, 'quiet'];
  const [ffmpegText, ffmpegTone] = FFMPEG[system.ffmpeg.state] ?? [system.ffmpeg.state, 'quiet'];
  const newer = health?.latestVersion ?? null;
  return (
    <dl class="facts bordered clip round-m">
      <Fact name={TEXTS.server} tone={connectionTone}>
        {connectionText}
      </Fact>
      <Fact name={TEXTS.tuners} tone={agentTone} note={system.agent.message ?? system.agent.url}>
        {agentText}
      </Fact>
      <Fact
        name={TEXTS.ffmpeg}
        tone={ffmpegTone}
        note={system.ffmpeg.state === 'missing' ? MISSING_FFMPEG : encoders(system.ffmpeg)}
      >
        {system.ffmpeg.version === null ? ffmpegText : `ffmpeg ${system.ffmpeg.version}`}
      </Fact>
      {system.folders.map((folder) => (
        <Folder key={`${folder.role} ${folder.path}`} folder={folder} />
      ))}
      <Fact name={TEXTS.database} note={TEXTS.programs(system.database.programs.toLocaleString('ja-JP'))}>
        {bytesText(system.database.bytes)}
      </Fact>
      {health === undefined ? null : <Fact name={TEXTS.stations}>{TEXTS.stationCount(health.stations)}</Fact>}
      <Fact name={TEXTS.running}>{runText(Math.max(0, now.value - system.startedAt))}</Fact>
      <Fact
        name={TEXTS.version}
        note={newer === null || newer === system.version ? '' : TEXTS.newVersion(newer)}
      >
        {system.version}
      </Fact>
    </dl>
  );
}

function offsetText(ms: number): string {
  const seconds = Math.abs(ms) / 1000;
  if (seconds < 0.05) return TEXTS.same;
  const words = seconds < 10 ? seconds.toFixed(1) : Math.round(seconds).toLocaleString('ja-JP');
  // Broadcast minus machine: a positive value means that the machine is slow.
  return TEXTS.offset(words, ms > 0 ? TEXTS.slow : TEXTS.fast);
}

/** A terrestrial network is one broadcaster; those of a satellite are called by its kind. */
function networkName({ type, networkId }: ClockOffset): string {
  const of = stations.value.filter(({ id }) => Math.floor(id / STATIONS_A_NETWORK) === networkId);
  const first = of[0];
  if (type === 'GR' && first !== undefined) return narrow(first.name);
  return TEXTS.network(TYPE_NAMES[type], networkId);
}

/** With more networks than this they are summarised in one line while all are well. */
const MOST_OPEN = 4;

function Folded({ clocks, children }: { clocks: readonly ClockOffset[]; children: ComponentChildren }) {
  if (clocks.length <= MOST_OPEN || clocks.some(({ warning }) => warning)) return <>{children}</>;
  const most = Math.max(...clocks.map(({ offsetMs }) => Math.abs(offsetMs)));
  return (
    <details>
      <summary class="press semibold">
        <span class="state" data-tone="good">
          {TEXTS.allClocks(clocks.length, (most / 1000).toFixed(1))}
        </span>
      </summary>
      {children}
    </details>
  );
}

export function ClockBlock({ clocks }: { clocks: readonly ClockOffset[] }) {
  if (clocks.length === 0) {
    return <p class="note">{TEXTS.noClock}</p>;
  }
  return (
    <>
      {clocks.some(({ warning }) => warning) ? (
        <div class="alert below-75" role="alert">
          <Icon name="alert" />
          <p>
            <b class="block-level">{TEXTS.wrongClock}</b>
            {TEXTS.wrongClockNote}
          </p>
        </div>
      ) : null}
      <Folded clocks={clocks}>
        <dl class="facts bordered clip round-m">
          {clocks.map((clock) => (
            <Fact
              key={clock.networkId}
              name={networkName(clock)}
              tone={clock.warning ? 'bad' : 'good'}
              note={TEXTS.checkedAt(agoText(clock.measuredAt, now.value))}
            >
              {offsetText(clock.offsetMs)}
            </Fact>
          ))}
        </dl>
      </Folded>
    </>
  );
}
