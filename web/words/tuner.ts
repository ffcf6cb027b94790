/** The agent's state of its tuners as plain text. */
import type { Channel, Tuner } from '../../lib/wire/agent.ts';
import { type RecordingId, recordingId } from '../../lib/wire/ids.ts';
import type { EpochMs } from '../../lib/wire/times.ts';
import { narrow } from './channel.ts';
import { clockText } from './time.ts';

type Tone = 'good' | 'bad' | 'busy' | 'quiet';

interface UserWords {
  readonly text: string;
  readonly detail: string | undefined;
}

/** The first station of a physical channel: people know stations, not channels. */
export function firstStation(
  channels: readonly Channel[],
  type: string | undefined,
  channel: string,
): string | undefined {
  const found = channels.find(
    (candidate) => candidate.channel === channel && (type === undefined || candidate.type === type),
  );
  const name = found?.stations[0]?.name;
  return name === undefined ? undefined : narrow(name);
}

function stationOf(channels: readonly Channel[], type: string | undefined, channel: string): string {
  const name = firstStation(channels, type, channel);
  return name === undefined ? channel : `${name}（${channel}）`;
}

/** Title of a recording in progress, by its id. */
type RecordingName = (id: RecordingId) => string | undefined;

type Telling = (rest: string, channels: readonly Channel[], nameOf: RecordingName) => UserWords;

/** `GR/T27`: type and channel; `T27`: the channel alone. */
function channelPlace(rest: string, channels: readonly Channel[]): string {
  const [first = '', second] = rest.split('/');
  return second === undefined ? stationOf(channels, undefined, first) : stationOf(channels, first, second);
}

const USES: Readonly<Record<string, Telling>> = {
  rec: (rest, _, nameOf) => ({ text: '録画', detail: nameOf(recordingId(Number(rest))) }),
  live: (rest, channels) => ({ text: '視聴', detail: channelPlace(rest, channels) }),
  epg: (rest, channels) => ({ text: '番組表の取得', detail: channelPlace(rest, channels) }),
  logo: (rest, channels) => ({ text: '局のロゴの取得', detail: channelPlace(rest, channels) }),
  still: (rest, channels) => ({ text: 'ホームの画像の取得', detail: channelPlace(rest, channels) }),
  scan: (rest) => ({ text: 'チャンネルスキャン', detail: rest }),
};

/** Several uses may be joined with spaces: `rec 12 live GR/T27`. */
export function userWords(use: string, channels: readonly Channel[], nameOf: RecordingName): UserWords[] {
  const words = use.trim().split(/\s+/u);
  const found: UserWords[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const tell = USES[words[index] ?? ''];
    if (tell === undefined) {
      return [{ text: use === 'anonymous' ? 'ほかのプログラム' : use, detail: undefined }];
    }
    index += 1;
    found.push(tell(words[index] ?? '', channels, nameOf));
  }
  return found;
}

const STATES: Readonly<Record<Tuner['state'], readonly [text: string, tone: Tone]>> = {
  idle: ['待機中', 'quiet'],
  tuning: ['選局中', 'busy'],
  tuned: ['受信中', 'good'],
  lingering: ['解放待ち', 'quiet'],
  error: ['使えません', 'bad'],
};

export function tunerStateWords(tuner: Tuner): readonly [text: string, tone: Tone] {
  if (tuner.disabled) return ['無効', 'quiet'];
  return STATES[tuner.state] ?? [tuner.state, 'quiet'];
}

/** CNR in dB from which reception has room to spare, and below which it breaks up, by experience. */
const CNR = { GR: { good: 22, weak: 18 }, BS: { good: 11, weak: 8 }, CS: { good: 11, weak: 8 } } as const;
const FULL_CNR = { GR: 32, BS: 20, CS: 20 } as const;

interface SignalWords {
  readonly text: string;
  readonly tone: 'good' | 'fair' | 'bad';
  /** 0..1 of a scale. */
  readonly part: number;
  /** On the same scale: from where reception has room to spare, and below which it breaks up. */
  readonly good: number;
  readonly weak: number;
  readonly db: string;
}

export function signalWords({ signal, tuned }: Pick<Tuner, 'signal' | 'tuned'>): SignalWords | undefined {
  if (signal === null) return undefined;
  const type = tuned?.type ?? 'GR';
  const { cnr } = signal;
  const db = cnr === null ? '' : `${cnr.toFixed(1)} dB`;
  const full = FULL_CNR[type];
  const scale = { good: CNR[type].good / full, weak: CNR[type].weak / full, db };
  const part = cnr === null ? 0 : Math.min(1, Math.max(0, cnr / full));
  if (!signal.locked) return { text: '受信できていません', tone: 'bad', part, ...scale };
  if (cnr === null) return { text: '受信できています', tone: 'good', part: 1, ...scale };
  if (cnr >= CNR[type].good) return { text: '良好', tone: 'good', part, ...scale };
  return cnr >= CNR[type].weak
    ? { text: 'やや弱い', tone: 'fair', part, ...scale }
    : { text: '弱い', tone: 'bad', part, ...scale };
}

/** A wait that is not worth a clock time. */
const SOON_MS = 60_000;

/** What happens next after a tuner's error, and what the user can do. */
export function errorAdvice(tuner: Pick<Tuner, 'state' | 'driver' | 'retryAt'>, now: EpochMs): string {
  if (tuner.state !== 'error') {
    return 'アンテナの接続を確認してください。チャンネルが変わったときは、スキャンをやり直すと直ります。';
  }
  const { retryAt } = tuner;
  const isFake = tuner.driver === 'fake';
  const check = isFake
    ? '試験用の放送を作るコマンド（FAKE_TUNE）を確認してください。'
    : 'チューナーの接続とドライバーを確認してください。';
  if (retryAt === undefined) return isFake ? check : `${check}使えるようになると、自動で戻ります。`;
  const when = retryAt - now < SOON_MS ? 'まもなく' : `${clockText(retryAt)} に`;
  return `${when}自動で試し直します。使えるようになるまで、予約はほかのチューナーに割り当てます。続くときは、${check}`;
}

export const TYPE_NAMES = { GR: '地デジ', BS: 'BS', CS: 'CS' } as const;

export function driverName(driver: Tuner['driver']): string {
  switch (driver) {
    case 'dvb':
      return 'DVB';
    case 'px4':
      return 'PX';
    case 'fake':
      return '試験用';
    default:
      return driver;
  }
}
