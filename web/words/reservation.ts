/** Texts about reservations: name of a state, its meaning and the next step. */
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import type { ReservationItem, ReservationState, VerdictLevel } from '../../lib/wire/api.ts';
import { narrow } from './channel.ts';
import { airClockText, shortText, spanText } from './time.ts';
import { splitTitle } from './title.ts';
import { TYPE_NAMES } from './tuner.ts';

export type StateTone = 'kept' | 'recording' | 'warn' | 'bad' | 'quiet' | 'good';

interface StateWords {
  /** For a badge. */
  readonly face: string;
  readonly tone: StateTone;
  /** Explanation of the state; the service's own reason is shown beside it. */
  readonly meaning: string;
}

const STATES: Readonly<Record<ReservationState, StateWords>> = {
  scheduled: { face: '予約済み', tone: 'kept', meaning: '録画予約済みです。' },
  recording: { face: '録画中', tone: 'recording', meaning: 'いま録画しています。' },
  conflict: {
    face: '競合',
    tone: 'warn',
    meaning: 'ほかの録画と重なってチューナーが足りず、このままでは録画されません。',
  },
  skipped: { face: '対象外', tone: 'quiet', meaning: 'この番組は録画されません。' },
  missed: { face: '録り逃し', tone: 'bad', meaning: '放送が終わるまでに録画を始められませんでした。' },
  cancelled: { face: '取り消し済み', tone: 'quiet', meaning: '予約は取り消されています。' },
  finished: { face: '完了', tone: 'quiet', meaning: '録画が終わりました。' },
};

/** A service newer than this page may know further states. */
export function stateWords(state: ReservationState): StateWords {
  return STATES[state] ?? { face: state, tone: 'quiet', meaning: '' };
}

/** An ended reservation is judged by its recording. */
const WORTH: Readonly<Record<VerdictLevel, StateWords>> = {
  complete: { face: '完了', tone: 'good', meaning: '最初から最後まで録画しました。' },
  damaged: { face: '一部に乱れ', tone: 'warn', meaning: '録画に、乱れや欠けたところがあります。' },
  lost: { face: '失敗', tone: 'bad', meaning: 'ほとんど録画できませんでした。' },
};

type Standing = Pick<ReservationItem, 'state' | 'verdict'>;

export function standingWords({ state, verdict }: Standing): StateWords {
  const worth = state === 'finished' && verdict != null ? WORTH[verdict] : undefined;
  return worth ?? stateWords(state);
}

/** Why it stands as it does, in the service's words where it gave some. */
export function stateReason(item: Standing & Pick<ReservationItem, 'reason'>): string {
  return item.reason ?? standingWords(item).meaning;
}

export function titleOf(item: Pick<ReservationItem, 'name' | 'title'>): string {
  const { title } = splitTitle(item.name === '' ? item.title : item.name);
  return title === '' ? '番組名未定' : title;
}

/** `11/22(日) 14:00 BSみなと` */
export function airingText(item: Pick<ReservationItem, 'startAt' | 'serviceName'>): string {
  return `${shortText(item.startAt)} ${narrow(item.serviceName)}`;
}

/** The tuner's own name, `居間（地デジ）`; `チューナー1（地デジ）` where it is not known. Rank 0 is the first to be used. */
export function tunerText(tuner: NonNullable<ReservationItem['tuner']>, tuners: readonly Tuner[]): string {
  const name =
    tuners.find(({ rank, types }) => rank === tuner.rank && types.includes(tuner.type))?.name ?? '';
  if (name !== '') return `${name}（${TYPE_NAMES[tuner.type]}）`;
  return `チューナー${tuner.rank + 1}（${TYPE_NAMES[tuner.type]}）`;
}

/** For screen readers and hints: everything that colours and places say. */
export function spokenText(item: ReservationItem): string {
  const words = [
    standingWords(item).face,
    titleOf(item),
    narrow(item.serviceName),
    spanText(item.startAt, item.endAt),
  ];
  if (item.state === 'conflict' || item.state === 'missed') words.push(stateReason(item));
  return words.join('、');
}

/** `10秒前から`, `2分30秒`, `なし` */
export function marginText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds === 0) return 'なし';
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  return `${minutes === 0 ? '' : `${minutes}分`}${rest === 0 ? '' : `${rest}秒`}`;
}

/** `21:00:15` where seconds matter. */
export function exactText(at: BroadcastMs): string {
  const seconds = Math.floor(at / 1000) % 60;
  return seconds === 0 ? airClockText(at) : `${airClockText(at)}:${String(seconds).padStart(2, '0')}`;
}

/** `19:59:50 – 21:00:15` */
export function exactSpanText(openAt: BroadcastMs, closeAt: BroadcastMs): string {
  return `${exactText(openAt)} – ${exactText(closeAt)}`;
}
