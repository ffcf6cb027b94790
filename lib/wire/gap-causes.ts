/** Why a part of a recording is missing: stable codes, also stored, each with its sentences for users in Japanese. */

interface GapCauseWords {
  /** What happened, for afterwards; without 。 */
  readonly past: string;
  /** The same while it lasts. */
  readonly now: string;
  /** How to prevent it; absent: nothing can be done, or it was wanted. */
  readonly advice?: string;
  /** Data arrives meanwhile, but what is written cannot be watched. */
  readonly isUseless?: true;
}

/** Against damage by poor reception. */
export const RECEPTION_ADVICE = 'アンテナの受信状態と、チューナーの接続を確認してください。';
const STREAM = '繰り返すときは、アンテナの受信状態と、チューナーの接続を確認してください。';

const ROWS = {
  // Opened too late, for none of the reasons below.
  late: {
    past: '録画の開始が番組の開始に間に合いませんでした',
    now: '開始が遅れています',
    advice: 'サーバーが混んでいなかったか、時計が合っているかを確認してください。',
  },
  // The plan had no tuner for it: other recordings used them.
  conflict: {
    past: 'ほかの録画でチューナーがふさがっていました',
    now: 'ほかの録画でチューナーがふさがっています',
    advice:
      '同じ時間の予約を減らすか、チューナーを増やしてください。優先度を上げると、この予約を先に録画します。',
  },
  // Its tuner belonged to the previous recording until it began.
  handover: {
    past: '前の録画からチューナーを引き継ぐあいだ、受信できませんでした',
    now: '前の録画からチューナーを切り替えています',
    advice: '続きの番組を別のチューナーで録画できるよう、同じ時間の予約かチューナーの数を見直してください。',
  },
  no_tuner: {
    past: 'チューナーを確保できませんでした',
    now: 'チューナーが空くのを待っています',
    advice:
      'ほかの機器やアプリがチューナーを使っていなかったか、チューナーが足りているかを確認してください。',
  },
  // A tuner received nothing of the station.
  no_signal: {
    past: '放送を受信できませんでした',
    now: '放送を受信できません',
    advice: RECEPTION_ADVICE,
  },
  agent_unavailable: {
    past: 'チューナーエージェントに接続できませんでした',
    now: 'チューナーエージェントに接続できません',
    advice: 'svc-agent が動いているかを確認してください。',
  },
  // Neither data nor an answer came from the agent: the network, or a hanging agent.
  agent_silent: {
    past: 'チューナーエージェントとの通信が途絶えました',
    now: 'チューナーエージェントとの通信が途絶えています',
    advice: 'svc と svc-agent のあいだのネットワークと、svc-agent が応答しているかを確認してください。',
  },
  stream_ended: {
    past: '受信が途切れました',
    now: '受信が途切れました',
    advice: RECEPTION_ADVICE,
  },
  stalled: {
    past: '放送のデータが届きませんでした',
    now: '放送のデータが届いていません',
    advice: RECEPTION_ADVICE,
  },
  service_stopped: {
    past: 'サービスが止まっていました',
    now: 'サービスが止まっていました',
    advice: '録画のあいだ、svc とサーバーを止めないようにしてください。',
  },
  // The whole process was paused (SIGSTOP, suspended machine), for longer than the agent buffers data.
  paused: {
    past: 'サーバーの動作が一時的に止まっていました',
    now: 'サーバーの動作が一時的に止まっていました',
    advice: 'サーバーのスリープや、仮想マシンの一時停止が起きていないかを確認してください。',
  },
  recorder_failed: {
    past: '録画の処理が止まり、始め直しました',
    now: '録画の処理が止まったため、始め直しています',
  },
  // It stayed scrambled, for an unknown reason; the agent's reasons follow.
  scrambled: {
    past: 'スクランブルを解除できませんでした',
    now: 'スクランブルを解除できません',
    advice: 'B-CAS カードとカードリーダーを確認してください。',
    isUseless: true,
  },
  // PC/SC is not installed, or its daemon did not run.
  card_software: {
    past: 'カードを読むソフトウェア（pcscd）が動いておらず、スクランブルを解除できませんでした',
    now: 'カードを読むソフトウェアが動いていません',
    advice: 'サーバーに pcscd と libpcsclite1 を入れて、pcscd を起動してください。',
    isUseless: true,
  },
  card_reader_missing: {
    past: 'カードリーダーが見つからず、スクランブルを解除できませんでした',
    now: 'カードリーダーが見つかりません',
    advice: 'カードリーダーをサーバーにつないでください。',
    isUseless: true,
  },
  card_missing: {
    past: 'カードが入っておらず、スクランブルを解除できませんでした',
    now: 'カードが入っていません',
    advice: 'カードリーダーに B-CAS カードを差し込んでください。',
    isUseless: true,
  },
  // A card for another kind of broadcast, or no such card at all.
  card_unsuitable: {
    past: 'この放送に使えないカードが入っていて、スクランブルを解除できませんでした',
    now: 'この放送に使えないカードが入っています',
    advice: 'カードリーダーのカードが B-CAS カードで、向きが正しいかを確認してください。',
    isUseless: true,
  },
  // The card has no contract for the programme.
  not_subscribed: {
    past: '契約していないチャンネルのため、スクランブルを解除できませんでした',
    now: '契約していないチャンネルです',
    advice: '入っているカードの契約に、このチャンネルが含まれているかを確認してください。',
    isUseless: true,
  },
  // The card gave no usable answer.
  card_failed: {
    past: 'カードが正しく応答せず、スクランブルを解除できませんでした',
    now: 'カードが正しく応答しません',
    advice: 'カードを抜き差ししても続くときは、別のカードリーダーでお試しください。',
    isUseless: true,
  },
  // The agent that shares its card was unavailable or refused.
  card_share_failed: {
    past: 'カードを共有している相手に接続できず、スクランブルを解除できませんでした',
    now: 'カードを共有している相手に接続できません',
    advice:
      'カードを共有している相手の svc-agent が動いているか、「チューナー」画面でカードの状態を確認してください。',
    isUseless: true,
  },
  // Packets were received, but no picture or no sound that could be decoded.
  no_picture: {
    past: '放送の映像が途切れました',
    now: '放送の映像が届いていません',
    advice: STREAM,
    isUseless: true,
  },
  no_sound: {
    past: '放送の音声が途切れました',
    now: '放送の音声が届いていません',
    advice: STREAM,
    isUseless: true,
  },
  copy_never: {
    past: 'コピー禁止のため書き込みませんでした',
    now: 'コピー禁止のため、書き込みを止めています',
  },
  disk_full: {
    past: '録画先の空き容量がなくなりました',
    now: '録画先の空き容量がありません',
    advice: '要らない録画を消すか、録画先を増やしてください。',
    isUseless: true,
  },
  disk_failed: {
    past: '録画先に書き込めませんでした',
    now: '録画先に書き込めません',
    advice: '録画先のディスクがつながっていて、書き込めるかを確認してください。',
    isUseless: true,
  },
  disk_slow: {
    past: '録画先の書き込みが追いつきませんでした',
    now: '録画先の書き込みが追いつきません',
    advice: '録画先のディスクにほかの負荷がないかを確認してください。',
  },
  // Another program shortened or replaced the file.
  file_changed: {
    past: '録画ファイルがほかのプログラムや操作で変更・削除されました',
    now: '録画ファイルがほかのプログラムや操作で変更・削除されました',
    advice: '録画先のファイルを変更・削除するプログラムや操作がないかを確認してください。',
  },
  yielded: {
    past: '次の録画にチューナーを渡しました',
    now: '次の録画にチューナーを渡しました',
  },
  stopped: {
    past: '録画を途中で止めました',
    now: '録画を止めています',
  },
  broken_off: {
    past: '別の番組に切り替わっていました',
    now: '別の番組に切り替わったため、再開を待っています',
  },
  // Another programme was on instead from its start to its end.
  not_aired: {
    past: '別の番組に差し替えられ、放送されませんでした',
    now: '別の番組が放送されています',
  },
} satisfies Record<string, GapCauseWords>;

export type GapCause = keyof typeof ROWS;
export const GAP_CAUSES = Object.keys(ROWS) as readonly GapCause[];
export const GAP_CAUSE_WORDS: Readonly<Record<GapCause, GapCauseWords>> = ROWS;
