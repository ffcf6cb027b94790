/** Japanese sentences for the codes of failed recordings. */
import type { RecordingReason } from '../model/recording-reason.ts';
import type { GapCause } from '../model/verdict.ts';

const CAUSES: Readonly<Record<GapCause, string>> = {
  late: '録画の開始が番組の開始に間に合いませんでした',
  conflict: 'ほかの録画でチューナーがふさがっていました',
  handover: '前の録画からチューナーを引き継ぐあいだ、受信できませんでした',
  no_tuner: 'チューナーを確保できませんでした',
  no_signal: '放送を受信できませんでした',
  agent_unavailable: 'チューナーエージェントに接続できませんでした',
  agent_silent: 'チューナーエージェントとの通信が途絶えました',
  stream_ended: '受信が途切れました',
  stalled: '放送のデータが届きませんでした',
  service_stopped: 'サービスが止まっていました',
  paused: 'サーバーの動作が一時的に止まっていました',
  recorder_failed: '録画の処理が止まり、始め直しました',
  scrambled: 'スクランブルを解除できませんでした',
  card_software: 'カードを読むソフトウェア（pcscd）が動いておらず、スクランブルを解除できませんでした',
  card_reader_missing: 'カードリーダーが見つからず、スクランブルを解除できませんでした',
  card_missing: 'カードが入っておらず、スクランブルを解除できませんでした',
  card_unsuitable: 'この放送に使えないカードが入っていて、スクランブルを解除できませんでした',
  not_subscribed: '契約していないチャンネルのため、スクランブルを解除できませんでした',
  card_failed: 'カードが正しく応答せず、スクランブルを解除できませんでした',
  card_share_failed: 'カードを共有している相手に接続できず、スクランブルを解除できませんでした',
  no_picture: '放送の映像が途切れました',
  no_sound: '放送の音声が途切れました',
  copy_never: 'コピー禁止のため書き込みませんでした',
  disk_full: '録画先の空き容量がなくなりました',
  disk_failed: '録画先に書き込めませんでした',
  disk_slow: '録画先の書き込みが追いつきませんでした',
  file_changed: '録画ファイルがほかのプログラムに変更されました',
  yielded: '次の録画にチューナーを渡しました',
  stopped: '録画を途中で止めました',
  broken_off: '別の番組に切り替わっていました',
  not_aired: '別の番組に差し替えられ、放送されませんでした',
};

export function recordingReasonText(reason: RecordingReason | null): string | null {
  if (reason === null) return null;
  switch (reason.code) {
    case 'missing':
      return CAUSES[reason.cause];
    case 'copy_never':
      return 'コピー禁止の番組なので録画しません';
    case 'file_gone':
      return '録画ファイルが見つかりません';
    case 'copied':
      return 'コピー元のデータフォルダーの録画のため、ここでは再生できません';
    case 'unreadable':
      return '録画の途中までの記録が壊れていたため、続けられませんでした';
    case 'text':
      return reason.text;
  }
}
