/** Texts of the first run: its four steps and what each asks for. */
export const TEXTS = {
  setup: 'はじめての設定',
  note: 'テレビを見られるようになるまでの4つの手順です。上から順に進めてください。状態は自動で更新されます。',
  allDone: '設定は完了しました。',
  loading: '状態を確認しています',
  stop: '中止する',
  start: 'スキャンを始める',
  again: 'スキャンし直す',
  progress: (done: number, total: number) => `${done} / ${total} チャンネル`,
  next: '次の画面',
  toTelevision: 'テレビを見る',
  toTuners: 'チューナーの詳しい設定',

  // States of a step
  done: '完了',
  now: '次にすること',
  later: 'あとでできます',
  running: '実行中',
  problem: '確認が必要です',
  waiting: '待機中',

  // Tuners
  tuners: 'チューナー',
  tunersChecking: 'チューナーを確認しています。',
  faultOf: (name: string, fault: string) => `${name}：${fault}`,
  between: '・',
  pieces: (type: string, count: number) => `${type}\u00a0${count}台`,
  usable: (count: number, kinds: string) => `${count}台使えます（${kinds}）。`,
  noneUsable: '見つかったチューナーを使えません。',
  noTuners: 'チューナーをサーバーにつないでください。つなぐと数秒で見つかります。',
  drivers:
    'PX-W3U4 などの PLEX 製は px4_drv というドライバーが必要です。PT3 や Linux が標準で対応する機器は、つなぐだけで使えます。',

  // The card
  card: 'カード',
  cardChecking: 'カードを確認しています。',
  cardLater: 'チューナーの次に確認します。',
  cardReady: (state: string, reader: string) => `${state}${reader}。`,
  reader: (name: string) => `（${name}）`,
  insertCard: 'B-CAS カードをカードリーダーに差し込んでください。',
  cardMissing: 'カードがなくても、局と番組表は先に用意できます。見るときと録画するときに必要です。',

  // The scan
  scan: 'チャンネルスキャン',
  noPower:
    'BS・CSの局は見つかりませんでした。ブースターやほかの機器がアンテナに給電していないときは、「チューナーの詳しい設定」の「名前と順番」で「アンテナに給電」を1台だけオンにして、スキャンし直してください。',
  scanning: (found: number) => `受信できる局を探しています。${found}局が見つかりました。`,
  found: (stations: number) => `${stations}局が見つかりました。`,
  checkAntenna:
    'アンテナ線がチューナーの地デジ側・BS/CS側に正しくつながっているか、分波器やブースターの電源が入っているかを確かめて、もう一度お試しください。',
  scanFailed: 'スキャンできませんでした。',
  receivable: (stations: number) => `${stations}局を受信できます。`,
  scanNeedsTuner: 'チューナーが使えるようになると始められます。',
  scanNote: '受信できる局を探します。地デジで数分、BS・CSで十数分かかります。',

  // The guide
  guide: '番組表',
  guideNeedsStations: '局が見つかると、放送から自動で取得を始めます。',
  guideDone: 'すべての局の番組表が届きました。',
  /** Stations without a guide of their own are in no sum: only what is left is said. */
  guideRunning: (left: number) => `放送から取得しています（残り${left}局）。届いた局から順に見られます。`,
} as const;
