/**
 * A verdict for people: a mark, sentences with clock times, and the programme as a line with its gaps. Pure. Times of
 * a verdict count from the programme's real start, which `startAt` of its recording is.
 */

import { type BroadcastMs, plusMs } from '../../lib/arib/time.ts';
import { GAP_CAUSE_WORDS, type GapCause, RECEPTION_ADVICE } from '../../lib/wire/gap-causes.ts';
import type {
  Recording,
  RecordingDetail,
  RecordingSeries,
  RecordingVerdict,
} from '../../lib/wire/recordings.ts';
import { type BadgeTone, clockSecondsText, spellMs } from './recording.ts';

/** Shorter differences are jitter of the clocks, not loss. */
const TOLERANCE_MS = 500;

interface VerdictMark {
  readonly label: '完全' | '途中から' | '途中まで' | '一部に乱れ' | '失敗' | '録画中' | '検査前';
  readonly tone: BadgeTone;
}

type Judged = Pick<Recording, 'verdict' | 'state' | 'recording' | 'startAt' | 'endAt' | 'reason'>;

export function verdictMark({ verdict, state, recording }: Judged): VerdictMark {
  if (recording) return { label: '録画中', tone: 'quiet' };
  if (state === 'failed' || verdict?.level === 'lost') return { label: '失敗', tone: 'bad' };
  if (verdict === null) return { label: '検査前', tone: 'quiet' };
  if (verdict.level !== 'complete') return { label: '一部に乱れ', tone: 'warn' };
  // Whole as far as it was wanted: begun or ended by hand within the programme.
  if (verdict.headMs < -TOLERANCE_MS) return { label: '途中から', tone: 'quiet' };
  if (verdict.tailMs < -TOLERANCE_MS) return { label: '途中まで', tone: 'quiet' };
  return { label: '完全', tone: 'good' };
}

export interface SeriesMark extends VerdictMark {
  /** How many of the series; undefined where the mark is of its newest. */
  readonly count: number | undefined;
}

type JudgedSeries = Pick<RecordingSeries, 'count'> &
  // A service older than this page does not tell.
  Partial<Pick<RecordingSeries, 'damaged' | 'lost'>> & { readonly newest: Judged };

/** Problems of the recordings of a series, the worst first; else the state of the newest. */
export function seriesMarks({ count, damaged = 0, lost = 0, newest }: JudgedSeries): SeriesMark[] {
  const own = { ...verdictMark(newest), count: undefined };
  if (count === 1) return [own];
  const wrong: SeriesMark[] = [
    { label: '失敗', tone: 'bad', count: lost },
    { label: '一部に乱れ', tone: 'warn', count: damaged },
  ];
  const found = wrong.filter((mark) => mark.count !== 0);
  return found.length === 0 || newest.recording ? [own, ...found] : found;
}

export function seriesMarkText({ label, count }: SeriesMark): string {
  return count === undefined ? label : `${label} ${count}件`;
}

function causeText(cause: GapCause): string {
  // A later service may know further causes.
  return GAP_CAUSE_WORDS[cause]?.past ?? '理由はわかりません';
}

/** The part is in the file, but lacks something. */
const LOSSES: Partial<Record<GapCause, string>> = {
  no_picture: 'の映像がありません',
  no_sound: 'の音声がありません',
};

function gapSentence(gap: RecordingVerdict['gaps'][number], startAt: BroadcastMs, lengthMs: number): string {
  const { startMs, endMs, cause } = gap;
  const why = `${causeText(cause)}。`;
  const from = clockSecondsText(plusMs(startAt, startMs));
  const to = clockSecondsText(plusMs(startAt, endMs));
  if (startMs >= lengthMs - TOLERANCE_MS) return `終了後のマージンは${from}までです。${why}`;
  const long = spellMs(endMs - startMs);
  const first = startMs <= TOLERANCE_MS;
  const last = endMs >= lengthMs - TOLERANCE_MS;
  const loss = LOSSES[cause] ?? 'が録画できていません';
  if (first && last) return `番組の全体（${long}）${loss}。${why}`;
  if (first) return `冒頭の${long}（${to}まで）${loss}。${why}`;
  if (last) return `終わりの${long}（${from}から）${loss}。${why}`;
  // Within one second.
  if (from === to) return `${from}に${long}の欠けがあります。${why}`;
  return `${from}から${to}まで（${long}）${loss}。${why}`;
}

function boundarySentences(
  { gaps, headMs, tailMs }: RecordingVerdict,
  startAt: BroadcastMs,
  endAt: BroadcastMs,
) {
  const out: string[] = [];
  const length = endAt - startAt;
  const told = (at: number): boolean => gaps.some(({ startMs, endMs }) => startMs <= at && endMs >= at);
  if (headMs < -TOLERANCE_MS && -headMs < length && !told(TOLERANCE_MS)) {
    out.push(`番組の途中、${clockSecondsText(plusMs(startAt, -headMs))}から録画しました。`);
  }
  if (tailMs < -TOLERANCE_MS && -tailMs < length && !told(length - TOLERANCE_MS)) {
    out.push(
      `${clockSecondsText(plusMs(endAt, tailMs))}で録画を終えました（番組の終わりは${clockSecondsText(endAt)}）。`,
    );
  }
  return out;
}

function marginSentence({ headMs, tailMs }: RecordingVerdict): string | undefined {
  const parts = [
    headMs >= 1_000 ? `前に${spellMs(headMs)}` : undefined,
    tailMs >= 1_000 ? `後に${spellMs(tailMs)}` : undefined,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : `番組の${parts.join('、')}のマージンがあります。`;
}

/** Number of gaps listed individually; the others are counted. */
const MOST_GAPS = 6;

interface VerdictWords {
  readonly title: string;
  readonly sentences: readonly string[];
  /** The next step. */
  readonly remedies: readonly string[];
}

const reasonSentence = (reason: string): string => sentence(reason);

export function verdictWords(recording: Judged): VerdictWords | undefined {
  const { verdict, reason, startAt, endAt } = recording;
  if (verdict === null) {
    if (recording.state !== 'failed') return undefined;
    return {
      title: '録画できませんでした',
      sentences: reason === null ? [] : [reasonSentence(reason)],
      remedies: [],
    };
  }
  const { drops, gaps, level } = verdict;
  const lines = gaps.slice(0, MOST_GAPS).map((gap) => gapSentence(gap, startAt, endAt - startAt));
  const more = gaps.slice(MOST_GAPS);
  if (more.length > 0) {
    const sum = more.reduce((ms, { startMs, endMs }) => ms + endMs - startMs, 0);
    lines.push(`ほかに${more.length}か所、合わせて${spellMs(sum)}が録画されていません。`);
  }
  const boundaries = boundarySentences(verdict, startAt, endAt);
  lines.push(...boundaries);
  if (drops > 0) {
    lines.push(
      `受信が乱れたところが${drops.toLocaleString('ja-JP')}か所あり、映像や音声が一瞬止まることがあります。`,
    );
  } else if (level === 'damaged' && gaps.length === 0) {
    lines.push('受信の状態が悪く、映像や音声が乱れるところがあります。');
  }
  if (level === 'complete' && lines.length === 0)
    lines.push('番組の始まりから終わりまで、欠けることなく録画できました。');
  const margin = level === 'complete' ? marginSentence(verdict) : undefined;
  if (margin !== undefined) lines.push(margin);
  if (level === 'lost' && reason !== null && gaps.length === 0) lines.unshift(reasonSentence(reason));
  const remedies =
    level === 'complete' ? [] : gaps.flatMap(({ cause }) => GAP_CAUSE_WORDS[cause]?.advice ?? []);
  if (level !== 'complete' && drops > 0) remedies.push(RECEPTION_ADVICE);
  // Started or stopped by a user in the middle: nothing that was requested is missing.
  const title = level === 'complete' && boundaries.length > 0 ? partTitle(verdict) : TITLES[level];
  return { title, sentences: lines, remedies: [...new Set(remedies)] };
}

function partTitle({ headMs, tailMs }: RecordingVerdict): string {
  const part = headMs >= -TOLERANCE_MS ? '途中まで' : tailMs >= -TOLERANCE_MS ? '途中から' : '途中だけ';
  return `${part}録画（録れた部分に乱れなし）`;
}

const TITLES: Readonly<Record<RecordingVerdict['level'], string>> = {
  complete: '完全に録画できました',
  damaged: '乱れや欠けたところがあります',
  lost: 'ほとんど録画できませんでした',
};

function sentence(text: string): string {
  return /[。！？]$/u.test(text) ? text : `${text}。`;
}

type DamageWindow = RecordingDetail['damage'][number];

interface Piece {
  /** Parts of the line, 0..1. */
  readonly from: number;
  readonly to: number;
  /** `absent`: it was not wanted. `damage`: it is there, with packets missing or broken. */
  readonly kind: 'margin' | 'gap' | 'absent' | 'damage';
  readonly label: string;
}

/** The programme as a line, with what was recorded before and after it. */
interface Line {
  /** Where the programme begins and ends on it, 0..1. */
  readonly start: number;
  readonly end: number;
  readonly pieces: readonly Piece[];
}

function damageText({ drops, errors, scrambled }: DamageWindow): string {
  const parts = [
    drops > 0 ? `乱れ${drops.toLocaleString('ja-JP')}か所` : undefined,
    errors > 0 ? `受信エラー${errors.toLocaleString('ja-JP')}件` : undefined,
    scrambled > 0 ? 'スクランブルを解除できないところがあります' : undefined,
  ];
  return parts.filter((part) => part !== undefined).join('、');
}

/** @param damage of the recording's detail; none while that is not read */
export function verdictLine(
  { verdict, startAt, endAt }: Judged,
  damage: readonly DamageWindow[] = [],
): Line | undefined {
  const length = endAt - startAt;
  if (verdict === null || length <= 0) return undefined;
  const { gaps, headMs, tailMs } = verdict;
  const first = Math.min(0, -headMs);
  const last = Math.max(length, length + tailMs, ...gaps.map(({ endMs }) => endMs));
  const at = (ms: number): number => Math.min(1, Math.max(0, (ms - first) / (last - first)));
  const pieces: Piece[] = [];
  const add = (kind: Piece['kind'], fromMs: number, toMs: number, label: string): void => {
    if (toMs > fromMs) pieces.push({ kind, from: at(fromMs), to: at(toMs), label });
  };
  add('margin', first, 0, '開始前のマージン');
  add('margin', length, last, '終了後のマージン');
  const beginning = Math.min(length, -headMs);
  const ending = Math.max(0, length + tailMs);
  const missing = verdict.level === 'complete' ? 'absent' : 'gap';
  if (beginning > TOLERANCE_MS) add(missing, 0, beginning, `冒頭の${spellMs(beginning)}`);
  if (ending < length - TOLERANCE_MS) add(missing, ending, length, `終わりの${spellMs(length - ending)}`);
  for (const window of damage) {
    const { startMs, endMs } = window;
    const when = `${clockSecondsText(plusMs(startAt, startMs))}から${spellMs(endMs - startMs)}`;
    add('damage', Math.max(first, startMs), Math.min(last, endMs), `${when}：${damageText(window)}`);
  }
  for (const { startMs, endMs, cause } of gaps) {
    const when = `${clockSecondsText(plusMs(startAt, startMs))}から${spellMs(endMs - startMs)}`;
    add('gap', startMs, endMs, `${when}：${causeText(cause)}`);
  }
  return { start: at(0), end: at(length), pieces };
}
