/** Texts of the home screen: what is on the air, and what is recorded, booked and begun. */
export const TEXTS = {
  home: 'ホーム',
  onAir: '放送中',
  bands: '放送の種類',
  terrestrial: '地デジ',
  onAirOf: (band: string) => `${band}の放送中の番組`,
  loading: '局を読み込んでいます',

  // Without stations
  noStations: 'まだ局がありません',
  noScan: 'チャンネルスキャンをしましょう',
  noScanNote: '「はじめての設定」でチャンネルスキャンを行うと、受信できる局と番組がここに並びます。',
  scanning: '受信できる局を探しています',
  scanningNote: 'チャンネルスキャンが終わると、局と番組がここに並びます。',
  toScan: '進み具合を見る',
  setup: 'はじめての設定',
  reload: 'もう一度読み込む',
  noStationsNote:
    '「はじめての設定」で、チューナーとカードを確認してチャンネルスキャンを行うと、局がここに並びます。',

  // A station
  recording: '録画中',
  booked: '予約済み',
  record: '録画する',
  recordOf: (title: string) => `録画する：${title}`,
  noProgram: '番組情報なし',
  last: '前回',
  lastNote: '前回見た局',
  following: '次',
  pictureAge: (minutes: number) => `${minutes}分前の画面`,

  // What is recorded and booked
  running: '録画中',
  runningAndNext: '録画中・次の予約',
  tonight: '今夜の予約',
  next: '次の予約',
  status: '録画の状況',
  troubles: (count: number) => `録画の問題 ${count}件`,
  conflicts: (count: number, isMore: boolean) => `競合 ${count}件${isMore ? '以上' : ''}`,
  bookings: (count: number) => `予約 ${count}件`,
  toBookings: '予約一覧',
  inBin: (count: string) => `ごみ箱 ${count}件`,

  // What is there to watch
  newRecordings: '新着の録画',
  resume: '続きを見る',
  all: 'すべて見る',
  fresh: '新着',
  damaged: '一部に乱れ',
  lost: '失敗',
  why: (title: string, verdict: string) => `${verdict}の理由：${title}`,
  play: '再生',
  entry: (word: string, what: string) => `${word}：${what}`,
  left: (minutes: number) => `残り${minutes}分`,
} as const;
