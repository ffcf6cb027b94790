/** Japanese sentences for the outcome codes of an encode; only this file writes them. */
import type { EncodeReason, EncodeReasonCode } from '../model/encode-reason.ts';

const SENTENCES: Record<EncodeReasonCode, string> = {
  commercials: 'CMの位置が確実でないため、CMをカットせず、元の録画も残しました。',
  otherwise: '先に変換したファイルとCMの扱いが違うため、元の録画も残しました。',
  lossy: '変換したファイルに欠けている部分があるため、元の録画も残しました。',
  short: '録画の一部を再生できないため、元の録画も残しました。',
  data_lost:
    'データ放送を保存できないまま、元の録画を削除しました。変換した録画ではデータ放送を表示できません。',
  codec: '録画の途中で映像か音声の方式が変わるため、変換できません。元の録画はそのまま残っています。',
  unplayable: 'この録画には変換できる映像や音声がありません。',
  unreadable: '録画ファイルを読み取れませんでした。フォルダーとディスクを確認してください。',
  stalled: '変換が途中で止まったため、中止しました。元の録画はそのまま残っています。',
  encoder: '変換に失敗しました。元の録画はそのまま残っています。記録を確認してください。',
  verify: '変換したファイルに問題が見つかったため、使いません。元の録画はそのまま残っています。',
  full: 'ディスクの空きが足りないため、変換を待っています。空きを増やすと再開します。',
  away: '録画フォルダーが見つからないため、変換を待っています。',
  captions: '字幕を読み取れるまで、変換を待っています。',
  data: 'データ放送を読み取り終わるまで、元の録画を残しています。',
  gone: '録画が削除されたため、変換を中止しました。',
  stopped: '変換を中止しました。',
};

export function encodeReasonText(reason: EncodeReason): string {
  return reason.code === 'text' ? reason.text : SENTENCES[reason.code];
}
