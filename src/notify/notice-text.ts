/** Japanese sentences of notices, and the screen that each leads to. */
import type { NoticeEvent } from '../../lib/wire/vocabulary.ts';
import { momentText } from '../model/moment-text.ts';
import type { NoticeFacts, StoredNotice } from '../model/notice.ts';
import { quotedTitle } from '../model/quoted-title.ts';
import type { RecordingReason } from '../model/recording-reason.ts';
import type { ReservationReason } from '../model/reservation-reason.ts';
import type { Verdict } from '../model/verdict.ts';

/** Sentences of other features. */
export interface ReasonTexts {
  /** Without a full stop. */
  recording: (reason: RecordingReason | null) => string | null;
  reservation: (reason: ReservationReason) => string;
}

export type NoticeText = (notice: Pick<StoredNotice, 'event' | 'facts' | 'at'>) => string;

/** Headings of messages. */
export const EVENT_TITLES: Readonly<Record<NoticeEvent, string>> = {
  reserved: '録画予約',
  conflict: '予約の重複',
  will_fail: '録画できない見込み',
  started: '録画開始',
  finished: '録画完了',
  failed: '録画失敗',
  rebooked: '次の放送を予約',
  encoded: '変換完了',
  encode_failed: '変換失敗',
  tuner_lost: 'チューナーの異常',
  tuner_back: 'チューナーの復旧',
  card_lost: 'カードの異常',
  guide_stale: '番組表の更新停止',
  disk_low: '空き容量の不足',
  paired: '端末の登録',
  update: '更新',
  database_trouble: 'データベースの異常',
  reminder: '番組のリマインダー',
};

export function noticeText(texts: ReasonTexts): NoticeText {
  return ({ event, facts, at }) => {
    const { name = '', text } = facts;
    if (text !== undefined) return text;
    const title = quotedTitle(name);
    const airing = `${title}${placeText(facts)}`;
    const reservation = facts.reservationReason ?? null;
    const why = reservation === null ? '' : texts.reservation(reservation);
    switch (event) {
      case 'reserved':
        return `${airing}を自動予約しました。`;
      case 'rebooked':
        return `録画に欠落があったため、${airing}の放送を予約しました。`;
      case 'conflict':
        return `${airing}: ${why}`;
      case 'will_fail':
        return `${airing}は録画されません。${ended(why)}`;
      case 'started':
        return `${title}の録画を始めました。`;
      case 'finished':
        return finishedText(title, facts.verdict ?? null);
      case 'failed': {
        const reason = why === '' ? (texts.recording(facts.recordingReason ?? null) ?? '') : why;
        return `${airing}を録画できませんでした。${ended(reason)}`;
      }
      case 'encoded':
        return `${title}の変換が終わりました。`;
      case 'encode_failed':
        return `${title}を変換できませんでした。元の録画は残っています。`;
      case 'paired':
        return `端末「${name}」が登録されました。心当たりがなければ、設定から解除してください。`;
      case 'tuner_lost':
        return `チューナー「${name}」が使えなくなりました。接続を確認してください。`;
      case 'tuner_back':
        return `チューナー「${name}」が使えるようになりました。`;
      case 'card_lost':
        return 'カードを読めなくなりました。カードとリーダーを確認してください。';
      case 'guide_stale':
        return '番組表が更新されていません。受信の状態を確認してください。';
      case 'disk_low':
        return '録画先の空き容量が残りわずかです。';
      case 'update':
        return 'svc を更新しました。';
      case 'database_trouble':
        return 'データベースに異常があります。';
      case 'reminder':
        return `${airing}が${beginText((facts.startAt ?? at) - at)}。`;
    }
  };
}

function beginText(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes <= 0) return '始まりました';
  const hours = minutes / 60;
  return Number.isInteger(hours) ? `${hours}時間後に始まります` : `${minutes}分後に始まります`;
}

/** `（NHK総合 11/25(火) 21:00）` */
function placeText({ station, startAt }: NoticeFacts): string {
  const parts = [station ?? '', startAt === undefined ? '' : momentText(startAt)].filter((one) => one !== '');
  return parts.length === 0 ? '' : `（${parts.join(' ')}）`;
}

function ended(sentence: string): string {
  return sentence === '' || sentence.endsWith('。') ? sentence : `${sentence}。`;
}

function finishedText(title: string, verdict: Verdict | null): string {
  if (verdict === null || verdict.level === 'complete') return `${title}を録画しました。`;
  const missing = verdict.gaps.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
  if (missing === 0) return `${title}を録画しましたが、一部に乱れがあります。`;
  return `${title}を録画しましたが、${lengthText(missing)}は録画されていません。`;
}

function lengthText(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 60) return `約${seconds}秒`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `約${minutes}分` : `約${Math.round(minutes / 60)}時間`;
}

/** Screen of the thing, relative to the service. */
export function noticePath({
  kind,
  subject,
  event,
}: Pick<StoredNotice, 'kind' | 'subject' | 'event'>): string {
  switch (kind) {
    case 'recording':
      return event === 'started' ? `chase/${subject}` : `recordings?recording=${subject}`;
    case 'reservation':
      return `reservations?reservation=${subject}`;
    case 'program':
      return `guide?program=${subject}`;
    case 'tuner':
    case 'card':
      return 'tuners';
    case 'guide':
      return 'guide';
    default:
      return 'settings';
  }
}
