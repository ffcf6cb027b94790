/** Texts of both players: their controls and why a picture cannot be played. */
export const TEXTS = {
  back: '戻る',
  volume: '音量',
  mute: 'ミュート',
  unmute: 'ミュート解除',
  retryIn: (seconds: number) => `${seconds}秒後に再接続します`,
  connecting: '接続しています…',
  slow: 'サーバーの応答に時間がかかっています',
  /** Of a file name. */
  picture: '画面',

  // Why there is no picture
  thisFormat: 'この形式',
  cannotPlay: (format: string) => `このブラウザーは ${format} を再生できません。`,
  notPlayed: '映像を再生できませんでした。',
  empty: '映像のデータがありませんでした。',
  damaged: '受信した映像が壊れていました。',
  tooSlow: 'この端末の処理が追いつきませんでした。',
  switched: '別の局に切り替えました。',
  noConnection: '視聴に使うサーバーとの接続を確立できません。',
  silent: 'サーバーからの配信が途絶えました。',
  interrupted: '放送の受信か、サーバーとの接続が途切れました。',
  disconnected: '再生中に、サーバーとの接続が途切れました。',
  stopped: '視聴を終えました。',
  ended: '配信が終わりました。',
  stalled: '映像が届かなくなりました。',
  noSmallWindow: '放送画質では、このブラウザーの小窓に対応していません。',
  smallWindowFailed: '小窓では表示できませんでした。',
} as const;
