/**
 * A verdict for people: a mark, sentences with clock times, and the programme as a line with its gaps. Pure. Times of
 * a verdict count from the programme's real start, which `startAt` of its recording is.
 */
import { type BroadcastMs, MINUTE_MS, plusMs } from '../../lib/arib/time.ts';
import { GAP_CAUSE_WORDS, type GapCause, RECEPTION_ADVICE } from '../../lib/wire/gap-causes.ts';
import type {
  Recording,
  RecordingDetail,
  RecordingSeries,
  RecordingVerdict,
} from '../../lib/wire/recordings.ts';
import { type BadgeTone, clockSecondsText, progressWords, spellMs } from './recording.ts';
import { airClockText, lengthText } from './time.ts';

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
  /** What the household must know, in one or two sentences, without the last 。 */
  readonly first: string;
  readonly sentences: readonly string[];
  /** The next step. */
  readonly remedies: readonly string[];
}

/** Part of the programme, ms from its start. */
interface ProgrammePart {
  readonly from: number;
  readonly to: number;
}

const lengthOf = (parts: readonly ProgrammePart[]): number =>
  parts.reduce((ms, { from, to }) => ms + to - from, 0);

/** In order, within the programme; parts that touch are one. */
function joinedParts(parts: readonly ProgrammePart[], length: number): ProgrammePart[] {
  const out: ProgrammePart[] = [];
  const inside = parts
    .map(({ from, to }) => ({ from: Math.max(0, from), to: Math.min(length, to) }))
    .filter(({ from, to }) => to - from > TOLERANCE_MS)
    .sort((a, b) => a.from - b.from);
  for (const part of inside) {
    const last = out.at(-1);
    if (last === undefined || part.from - last.to > TOLERANCE_MS) out.push(part);
    else out[out.length - 1] = { from: last.from, to: Math.max(last.to, part.to) };
  }
  return out;
}

type Gap = RecordingVerdict['gaps'][number];
const gapPart = ({ startMs, endMs }: Gap): ProgrammePart => ({ from: startMs, to: endMs });
const isLossy = ({ cause }: Gap): boolean => LOSSES[cause] !== undefined;

/** What is not in the file, wanted or not. */
function missingParts({ gaps, headMs, tailMs }: RecordingVerdict, length: number): ProgrammePart[] {
  const ends = [
    { from: 0, to: -headMs },
    { from: length + tailMs, to: length },
  ];
  return joinedParts([...ends, ...gaps.filter((gap) => !isLossy(gap)).map(gapPart)], length);
}

/** Shorter losses at the ends are given to the second. */
const ROUGH_FROM_MS = 3 * 60_000;

/** Where the recording begins or ends and what is missing there: in whole minutes both are consistent. */
function edge(at: BroadcastMs, programmeEdge: BroadcastMs): { clock: string; missing: string } {
  const ms = Math.abs(at - programmeEdge);
  if (ms < ROUGH_FROM_MS) return { clock: clockSecondsText(at), missing: spellMs(ms) };
  const minutes = Math.abs(Math.floor(at / MINUTE_MS) - Math.floor(programmeEdge / MINUTE_MS));
  return { clock: airClockText(at), missing: lengthText(minutes * MINUTE_MS) };
}

/** From when to when, where that is not all of the programme. */
function extentSentence(
  head: ProgrammePart | undefined,
  tail: ProgrammePart | undefined,
  { startAt, endAt }: Pick<Judged, 'startAt' | 'endAt'>,
): string | undefined {
  const begin = head === undefined ? undefined : edge(plusMs(startAt, head.to), startAt);
  const end = tail === undefined ? undefined : edge(plusMs(startAt, tail.from), endAt);
  if (begin !== undefined && end !== undefined) {
    return `${begin.clock}から${end.clock}まで録画しました（最初の${begin.missing}と最後の${end.missing}がありません）。`;
  }
  if (begin !== undefined) return `${begin.clock}から録画しました（最初の${begin.missing}がありません）。`;
  return end === undefined ? undefined : `${end.clock}まで録画しました（最後の${end.missing}がありません）。`;
}

function middleSentence(middle: readonly ProgrammePart[], startAt: BroadcastMs): string | undefined {
  const [only] = middle;
  if (only === undefined) return undefined;
  const long = spellMs(lengthOf(middle));
  if (middle.length > 1) return `途中の${middle.length}か所、合わせて${long}が欠けています。`;
  return `${clockSecondsText(plusMs(startAt, only.from))}から${long}が欠けています。`;
}

/** Recorded, but without picture or sound. */
function lossySentence(gaps: readonly Gap[]): string | undefined {
  const lossy = gaps.filter(isLossy);
  if (lossy.length === 0) return undefined;
  const causes = new Set(lossy.map(({ cause }) => cause));
  const what = causes.size > 1 ? '映像や音声' : causes.has('no_picture') ? '映像' : '音声';
  const places = lossy.length === 1 ? '' : `${lossy.length}か所、合わせて`;
  return `${what}が${places}${spellMs(lengthOf(lossy.map(gapPart)))}途切れています。`;
}

const placesText = (drops: number): string => `${drops.toLocaleString('ja-JP')}か所`;

/** Sentences of the first line. */
const MOST_FIRST = 2;

function firstLine(recording: Judged): string {
  const { verdict, reason, startAt, endAt, state } = recording;
  const length = endAt - startAt;
  if (verdict === null || state === 'failed' || verdict.level === 'lost') {
    const gaps = verdict?.gaps ?? [];
    const longest = gaps.toSorted((a, b) => b.endMs - b.startMs - (a.endMs - a.startMs))[0];
    const why = reason ?? (longest === undefined ? '' : causeText(longest.cause));
    const unusable =
      verdict === null ? [] : joinedParts([...missingParts(verdict, length), ...gaps.map(gapPart)], length);
    const usableMs = verdict?.level === 'lost' ? length - lengthOf(unusable) : 0;
    const what =
      usableMs < 1_000
        ? '録画できませんでした。'
        : `${lengthText(length)}のうち${spellMs(usableMs)}しか録画できませんでした。`;
    return why === '' ? what : `${what}${sentence(why)}`;
  }
  const { gaps, level, drops } = verdict;
  const missing = missingParts(verdict, length);
  const head = missing.find(({ from }) => from <= TOLERANCE_MS);
  const tail = missing.find(({ to }) => to >= length - TOLERANCE_MS);
  const extent = extentSentence(head, tail, recording);
  const damage = [
    middleSentence(
      missing.filter((part) => part !== head && part !== tail),
      startAt,
    ),
    lossySentence(gaps),
    level === 'damaged' && drops > 0 ? `受信の乱れが${placesText(drops)}あります。` : undefined,
  ];
  const facts = [extent, ...damage].filter((one) => one !== undefined);
  // Those of a complete recording lie in its margins.
  if (level === 'complete' && drops === 0 && extent !== undefined)
    facts.push('録れた部分に乱れはありません。');
  if (facts.length > 0) return facts.slice(0, MOST_FIRST).join('');
  return level === 'complete' ? '完全に録画できました。' : POOR_RECEPTION;
}

/** A gap in a running recording of this length or more is told. */
const TOLD_FROM_MS = MINUTE_MS;

/** The same while it runs. */
export function runningLine(
  { progress, startAt }: Pick<Recording, 'progress' | 'startAt'>,
  now: BroadcastMs,
): string {
  if (progress === null) return '録画中';
  const { text, tone } = progressWords(progress);
  const passedMs = Math.min(now, progress.until) - startAt;
  const { recordedMs } = progress;
  if (tone !== 'good' || recordedMs === undefined || passedMs - recordedMs < TOLD_FROM_MS) return text;
  return `${text}（始まりから${lengthText(passedMs)}のうち、録画できたのは${lengthText(recordedMs)}）`;
}

const POOR_RECEPTION = '受信の状態が悪く、映像や音声が乱れるところがあります。';

export function verdictWords(recording: Judged): VerdictWords | undefined {
  const { verdict, reason, startAt, endAt } = recording;
  if (verdict === null && recording.state !== 'failed') return undefined;
  const first = firstLine(recording).replace(/。$/u, '');
  if (verdict === null) return { first, sentences: [], remedies: [] };
  const { drops, gaps, level } = verdict;
  const lines = gaps.slice(0, MOST_GAPS).map((gap) => gapSentence(gap, startAt, endAt - startAt));
  const more = gaps.slice(MOST_GAPS);
  if (more.length > 0) {
    const sum = more.reduce((ms, { startMs, endMs }) => ms + endMs - startMs, 0);
    lines.push(`ほかに${more.length}か所、合わせて${spellMs(sum)}が録画されていません。`);
  }
  lines.push(...boundarySentences(verdict, startAt, endAt));
  if (drops > 0) {
    lines.push(`受信が乱れたところが${placesText(drops)}あり、映像や音声が一瞬止まることがあります。`);
  } else if (level === 'damaged' && gaps.length === 0) {
    lines.push(POOR_RECEPTION);
  }
  if (level === 'complete' && lines.length === 0)
    lines.push('番組の始まりから終わりまで、欠けることなく録画できました。');
  const margin = level === 'complete' ? marginSentence(verdict) : undefined;
  if (margin !== undefined) lines.push(margin);
  if (level === 'lost' && reason !== null && gaps.length === 0) lines.unshift(sentence(reason));
  const remedies =
    level === 'complete' ? [] : gaps.flatMap(({ cause }) => GAP_CAUSE_WORDS[cause]?.advice ?? []);
  if (level !== 'complete' && drops > 0) remedies.push(RECEPTION_ADVICE);
  return { first, sentences: lines, remedies: [...new Set(remedies)] };
}

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
