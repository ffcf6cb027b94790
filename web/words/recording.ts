/**
 * Texts about recordings: state of a recording in progress, days left in the recycle bin, free space in hours. Pure.
 */
import { type BroadcastMs, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/arib/time.ts';
import { GAP_CAUSE_WORDS } from '../../lib/wire/gap-causes.ts';
import type { Recording, RecordingProgress } from '../../lib/wire/recordings.ts';
import { BIN_MS, type RecordingSort } from '../../lib/wire/vocabulary.ts';
import { airClockText } from './time.ts';

export const SORT_NAMES: Readonly<Record<RecordingSort, string>> = {
  newest: '新しい順',
  oldest: '古い順',
  title: '題名順',
  unwatched: '未視聴を先に',
  longest: '長い順',
  largest: '大きい順',
};

/** A title in quotation marks; in the others where it has some of its own. */
export function quoted(title: string): string {
  return title.includes('「') ? `『${title}』` : `「${title}」`;
}

/** A moment of a programme: `21:05:09`, after midnight as `airClockText`. */
export function clockSecondsText(at: BroadcastMs): string {
  return `${airClockText(at)}:${String(Math.floor(at / SECOND_MS) % 60).padStart(2, '0')}`;
}

/** `43秒`, `1分20秒`, `12分`, `1時間5分`: seconds only where they count. */
export function spellMs(ms: number): string {
  if (ms < SECOND_MS) return '1秒未満';
  const seconds = Math.round(ms / SECOND_MS);
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${seconds}秒`;
  const rest = seconds % 60;
  if (minutes < 10) return rest === 0 ? `${minutes}分` : `${minutes}分${rest}秒`;
  const hours = Math.floor(minutes / 60);
  if (hours === 0) return `${minutes}分`;
  return minutes % 60 === 0 ? `${hours}時間` : `${hours}時間${minutes % 60}分`;
}

/** `54:00`, `1:54:00`: the length on a picture. */
export function lengthClock(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / SECOND_MS));
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor(seconds / 60) % 60;
  const last = String(seconds % 60).padStart(2, '0');
  return hours === 0 ? `${minutes}:${last}` : `${hours}:${String(minutes).padStart(2, '0')}:${last}`;
}

/** `12:34.56`: a place to the hundredth of a second. */
export function preciseClock(seconds: number): string {
  const hundredths = Math.max(0, Math.round(seconds * 100));
  const rest = String(hundredths % 100).padStart(2, '0');
  return `${lengthClock(Math.floor(hundredths / 100) * SECOND_MS)}.${rest}`;
}

/** `1.5倍`: a speed of playback. */
export const rateText = (rate: number): string => `${rate}倍`;

/** `あと40時間`, in the last hour `あと40分`, then `まもなく`. */
export function leftInBin(binnedAt: BroadcastMs, now: BroadcastMs): string {
  const left = binnedAt + BIN_MS - now;
  if (left < MINUTE_MS) return 'まもなく';
  if (left < HOUR_MS) return `あと${Math.floor(left / MINUTE_MS)}分`;
  return `あと${Math.floor(left / HOUR_MS)}時間`;
}

/** `約240時間`, under three hours `約50分`. */
export function roomText(ms: number): string {
  if (ms < 3 * HOUR_MS) return `約${Math.floor(ms / MINUTE_MS)}分`;
  return `約${Math.floor(ms / HOUR_MS).toLocaleString('ja-JP')}時間`;
}

/** Ended with a file, also where that is only a part of the programme, or running with something to see. */
export function canPlay({ binnedAt, files, recording }: Recording): boolean {
  return binnedAt === null && (recording || files.length > 0);
}

/** `1時間のうち9分を録画`: of a recording that failed, where a part of it is there. */
export function recordedPart({ state, durationMs, startAt, endAt }: Recording): string | undefined {
  const length = endAt - startAt;
  const isPart = durationMs !== null && durationMs >= SECOND_MS && durationMs < length;
  return state === 'failed' && isPart ? `${spellMs(length)}のうち${spellMs(durationMs)}を録画` : undefined;
}

/** 0 to 1; undefined for what was not begun. */
export function watchedPart({ resumeMs, durationMs, watchedAt }: Recording): number | undefined {
  if (watchedAt !== null) return undefined;
  if (resumeMs === null || durationMs === null || durationMs === 0) return undefined;
  return Math.min(1, resumeMs / durationMs);
}

export function isUnwatched({ watchedAt, resumeMs, recording, state }: Recording): boolean {
  return watchedAt === null && resumeMs === null && !recording && state !== 'failed';
}

/** An unwatched recording counts as new for this long. */
const FRESH_MS = 3 * DAY_MS;

export function isFresh(recording: Recording, now: BroadcastMs): boolean {
  return isUnwatched(recording) && now - recording.endAt < FRESH_MS;
}

/** Action of the play button. */
export function playWords({ recording, resumeMs, watchedAt, state }: Recording): string {
  if (recording) return '追いかけ再生';
  if (resumeMs !== null) return '続きを見る';
  if (watchedAt !== null) return 'もう一度見る';
  return state === 'failed' ? '録れた部分を再生' : '再生';
}

const PHASES: Readonly<Record<RecordingProgress['phase'], string>> = {
  waiting: '開始を待っています',
  opening: '受信を始めています',
  receiving: '録画中',
  interrupted: '途切れたため、再接続しています',
  over: '録画を確認しています',
};

/** Of a state that is shown: its colour and icon. */
export type BadgeTone = 'good' | 'warn' | 'bad' | 'quiet';

interface ProgressWords {
  readonly text: string;
  readonly tone: BadgeTone;
}

export function progressWords(progress: RecordingProgress): ProgressWords {
  const phase = PHASES[progress.phase] ?? '録画中';
  if (progress.cause !== null) {
    // A later service may know further causes.
    const { now, isUseless } = GAP_CAUSE_WORDS[progress.cause] ?? { now: '現在書き込めていません' };
    // The programme is not on the air now: no problem.
    const isWell = (progress.phase === 'receiving' && isUseless !== true) || progress.cause === 'broken_off';
    return { text: now, tone: isWell ? 'warn' : 'bad' };
  }
  if (progress.phase === 'interrupted') return { text: phase, tone: 'bad' };
  if (progress.slow) return { text: `${phase}（録画先の書き込みが遅れています）`, tone: 'warn' };
  return { text: phase, tone: 'good' };
}
