/** Texts around the screens: their names, the way between them, and what is said of the connection. */
export const TEXTS = {
  app: 'テレビ',
  skip: '本文へ移動',
  screens: '画面',

  // Names of screens
  home: 'ホーム',
  guide: '番組表',
  reservations: '予約',
  rules: '録画ルール',
  recordings: '録画',
  search: '検索',
  tuners: 'チューナー',
  notices: 'お知らせ',
  settings: '設定',
  setup: 'はじめての設定',
  offline: 'オフライン再生',
  multi: 'マルチ画面',
  live: '視聴',
  watch: '録画の再生',
  chase: '追いかけ再生',
  unknown: '見つかりません',

  // An address that leads nowhere
  noScreen: 'ページが見つかりません',
  toHome: '放送中の番組を見る',
  toRecordings: '録画を見る',
  noScreenNote: 'アドレスが変わったか、間違っているようです。',

  // The connection
  refused: 'ログインの期限が切れたか、許可されたネットワークの外にいます。',
  reload: '開き直す',
  lost: '接続が切れました。再接続しています…',
} as const;
