/** Texts of the sheet of a programme. */
export const TEXTS = {
  sheet: '番組の詳細',
  loading: '番組の情報を読み込んでいます',
  failed: '番組の情報を読み込めませんでした',
  gone: 'この番組は番組表にありません',
  goneNote: '放送終了から1日以上たったか、放送予定が変更されました。',
  toGuide: '番組表を開く',
  marks: '番組の記号',
  onAir: '放送中',
  stationWeek: 'この局の1週間',
  openEnd: '終了時刻は未定',
  copyNever: 'コピー禁止の番組です。視聴はできますが、録画はできません。',

  // What can be done
  watch: '視聴',
  sameTitle: '同じ題名を検索',
  everyTime: '毎回録画',
  makeRule: 'ルールを作る',
  inGuide: '番組表で見る',
  record: '録画する',
  book: '予約する',
  cancel: '予約を取り消す',
  restore: '再予約する',
  details: '予約の詳細',

  // Facts
  genre: 'ジャンル',
  series: 'シリーズ',
  episode: (series: string, episode: number) => `${series} 第${episode}回`,
  episodeOf: (series: string, episode: number, last: number) => `${series} 第${episode}回／全${last}回`,
  video: '映像',
  sound: '音声',
  charge: '料金',
  free: '無料放送',
  paid: '有料放送（契約が必要です）',

  // Other broadcasts
  related: '関連する放送',
  sameProgram: '同じ番組を放送',
  continued: '続きの放送',
  movedFrom: '移動元の放送',
  unknownStation: '受信していない局',
  others: 'ほかの放送日時',
  stationAndLength: (station: string, length: string) => `${station}・${length}`,
} as const;
