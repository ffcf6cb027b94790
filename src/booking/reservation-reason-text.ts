/** Japanese sentences for the codes of reasons and notes of reservations. */
import type { BroadcastType } from '../../lib/arib/ids.ts';
import { momentText } from '../model/moment-text.ts';
import { quotedTitle } from '../model/quoted-title.ts';
import type { PassedOverReason, ReservationNote, ReservationReason } from '../model/reservation-reason.ts';

export function reservationReasonText(reason: ReservationReason | PassedOverReason): string {
  switch (reason.code) {
    case 'not_received':
      return `${typeText(reason.type)}を受信できるチューナーがないため録画できません。`;
    case 'tuners_in_use':
      return conflictText(reason);
    case 'copy_never':
      return 'コピー禁止の番組なので録画しません。';
    case 'station_gone':
      return '局が見つからなくなったため、予約を取り消しました';
    case 'missed_not_received':
      return `${typeText(reason.type)}を受信できるチューナーがなかったため録画できませんでした。`;
    case 'missed_tuners_in_use': {
      const { names, hasMore } = reason;
      if (names.length === 0) return 'チューナーが足りなかったため録画できませんでした。';
      return `${namedText(names, hasMore)}の録画にチューナーを使っていたため録画できませんでした。`;
    }
    case 'missed_service_stopped':
      return 'サービスが止まっていたため録画できませんでした。';
    case 'missed_not_begun':
      return '放送時間中に録画を始められませんでした。';
    case 'cancelled_before':
      return '取り消した予約と同じ番組です。';
    case 'on_other_service':
      return '同じ番組を、同じ放送局の別のチャンネルで予約します。';
    case 'recorded_before':
      return '同じ回を録画済みです。';
    case 'other_airing':
      return `同じ回を${momentText(reason.startAt)}に録画します。`;
    case 'beyond_limit':
      return limitText(reason.limit);
    case 'text':
      return reason.text;
  }
}

export function reservationNoteText(note: ReservationNote): string {
  switch (note.code) {
    case 'repeat_of_rule':
      return '前の録画に欠落があったため、同じ回の次の放送を予約しました。';
    case 'repeat_by_hand':
      return `${quotedTitle(note.name)}の録画に欠落があったため、次の放送を自動で予約しました。`;
    case 'part_by_hand':
      return `${quotedTitle(note.name)}が分けて放送されるため、こちらも自動で予約しました。`;
    case 'text':
      return note.text;
  }
}

/** Loss by retuning between two adjacent programmes on one tuner. */
export function cutText({ part, ms, name }: { part: 'head' | 'tail'; ms: number; name: string }): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  return part === 'tail'
    ? `次の${quotedTitle(name)}と同じチューナーで録画するため、終わりの約${seconds}秒は録画されません。`
    : `前の${quotedTitle(name)}と同じチューナーで録画するため、始まりの約${seconds}秒は録画されません。`;
}

/** For a rule with `left` programmes that are booked later. */
export function crowdedText(left: number, limit: number): string {
  const [waiting, most] = [left, limit].map((count) => count.toLocaleString('en'));
  return `一致する番組が多いため、残りの ${waiting} 件は放送が近づいてから予約します（予約は近いものから ${most} 件まで）。`;
}

function limitText(limit: number): string {
  const most = limit.toLocaleString('en');
  return `ルールに一致する番組が多いため、放送が近づいてから予約します（予約はルールひとつにつき近いものから ${most} 件まで）。`;
}

function conflictText({
  names,
  hasMore,
  broken,
}: Extract<ReservationReason, { code: 'tuners_in_use' }>): string {
  const against = names.length === 0 ? '' : `${namedText(names, hasMore)}と重なり、`;
  const error = broken === 0 ? '' : `エラーのため使えないチューナーが${broken}台あります。`;
  return `${against}チューナーが足りないため録画できません。${error}`;
}

function namedText(names: readonly string[], hasMore: boolean): string {
  return `${names.map(quotedTitle).join('')}${hasMore ? 'など' : ''}`;
}

function typeText(type: BroadcastType): string {
  return type === 'GR' ? '地デジ' : type;
}
