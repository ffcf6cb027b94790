/** The command line, read once into a typed value. */
import { BROADCAST_TYPES, type BroadcastType } from '../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs } from '../lib/arib/time.ts';
import { inClockRange } from './clock.ts';

/** About as much as a tuner's driver buffers for a slow reader. */
const DEFAULT_MAX_LAG_SEC = 2;

/** Invalid command line; the message is shown to the user. */
export class UsageError extends Error {}

export interface Settings {
  command: 'tune' | 'channels' | 'prepare' | 'truth' | 'help';
  scenario: string;
  type: BroadcastType | undefined;
  channels: string[];
  at: BroadcastMs | undefined;
  speed: number;
  seconds: number | null;
  /** A consumer further behind than this many broadcast seconds loses packets. */
  maxLagSec: number;
  cache: string | undefined;
  /** A control file of faults. */
  faults: string | undefined;
  /** `--truth` lists all days, not only present and following. */
  schedule: boolean;
  /** Seconds for which `--truth` lists every cut; undefined: the last minutes and the next half hour. */
  windowSec: number | undefined;
}

export const USAGE = `使い方:
  bun synth/main.ts --type GR --channel T27   TS を標準出力へ
  bun synth/main.ts --channels                channels.json を標準出力へ
  bun synth/main.ts --prepare [--channel T27 …]  素材のキャッシュを作る
  bun synth/main.ts --truth --type GR --channel T27 [--schedule] [--window 秒]  放送内容の正解を JSON で
      (--window: すべての切れ目を --at からその秒数だけ、既定は 5 分前から 30 分後まで;
       字幕は --duration か --window の秒数だけ、既定は 60 秒)
共通:
  --scenario 名前|ファイル   default, mini, wide または JSON ファイル (既定 default、環境変数 SYNTH_SCENARIO)
  --at 日時                  放送時計の開始 (ISO 8601 またはエポックミリ秒、既定は現在)
  --speed N                  N 倍速、0 はできるだけ速く (既定 1)
  --duration 秒              送る長さ (放送時間、既定は無限)
  --max-lag 秒               出力の遅れをこの長さまでは取り戻し、超えた分は捨てる (既定 2)
  --faults ファイル          障害の制御ファイル (JSON)。送出中も読み直す。無い間は障害なし
                             (環境変数 SYNTH_FAULTS)
  --cache フォルダー         キャッシュの場所 (既定 .cache/synth、環境変数 SYNTH_CACHE)
`;

function parseNumber(option: string, text: string, minimum: number): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < minimum) {
    throw new UsageError(`${option}: "${text}" は ${minimum} 以上の数ではありません`);
  }
  return value;
}

function parseMoment(text: string): BroadcastMs {
  const value = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Date.parse(text);
  if (!inClockRange(value)) throw new UsageError(`--at: "${text}" は使える日時ではありません`);
  return broadcastMs(value);
}

function parseType(text: string): BroadcastType {
  const type = BROADCAST_TYPES.find((known) => known === text);
  if (type === undefined)
    throw new UsageError(`--type: "${text}" は ${BROADCAST_TYPES.join(', ')} のどれでもありません`);
  return type;
}

/** @throws UsageError. */
export function parseArguments(words: readonly string[]): Settings {
  const settings: Settings = {
    command: 'tune',
    scenario: process.env.SYNTH_SCENARIO ?? 'default',
    type: undefined,
    channels: [],
    at: undefined,
    speed: 1,
    seconds: null,
    maxLagSec: DEFAULT_MAX_LAG_SEC,
    cache: undefined,
    faults: undefined,
    schedule: false,
    windowSec: undefined,
  };
  const left = [...words];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    const [option = '', inline] = word.split(/=(.*)/s);
    const value = (): string => {
      const text = inline ?? left.shift();
      if (text === undefined) throw new UsageError(`${option}: 値がありません`);
      return text;
    };
    switch (option) {
      case '--channels':
        settings.command = 'channels';
        break;
      case '--prepare':
        settings.command = 'prepare';
        break;
      case '--truth':
        settings.command = 'truth';
        break;
      case '--help':
        settings.command = 'help';
        break;
      case '--schedule':
        settings.schedule = true;
        break;
      case '--window':
        settings.windowSec = parseNumber(option, value(), 0);
        break;
      case '--scenario':
        settings.scenario = value();
        break;
      case '--type':
        settings.type = parseType(value());
        break;
      case '--channel':
        settings.channels.push(value());
        break;
      case '--at':
        settings.at = parseMoment(value());
        break;
      case '--speed':
        settings.speed = parseNumber(option, value(), 0);
        break;
      case '--duration':
        settings.seconds = parseNumber(option, value(), 0);
        break;
      case '--max-lag':
        settings.maxLagSec = parseNumber(option, value(), 0);
        break;
      case '--faults':
        settings.faults = value();
        break;
      case '--cache':
        settings.cache = value();
        break;
      default:
        throw new UsageError(`知らない引数です: ${word}`);
    }
  }
  return settings;
}
