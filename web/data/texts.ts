/** Texts of data broadcasts: the page's frame, its remote control, what ended, questions of documents, facts. */
import type { LaunchFault } from '../bml/bml-messages.ts';
import type { ApplicationFault } from './application.ts';
import type { DataEnd } from './data-broadcast.ts';

export interface EndWords {
  readonly title: string;
  readonly next: string;
}

const ENDS: Readonly<Record<DataEnd, EndWords>> = {
  busy: {
    title: 'データ放送のページの処理が終わらないため、止めました',
    next: 'もう一度開くと直ることがあります。映像はそのまま見られます。',
  },
  memory: {
    title: 'データ放送のページがメモリーを使いすぎたため、止めました',
    next: 'もう一度開くと直ることがあります。映像はそのまま見られます。',
  },
  noBroadcast: {
    title: 'この局は今、データ放送をしていません',
    next: '番組が変わると始まることがあります。そのときにもう一度開いてください。',
  },
  unsupported: {
    title: 'この局のデータ放送は表示できません',
    next: '携帯端末向けなど、テレビ向けではない形式です。ほかの局のデータ放送は見られます。',
  },
  failed: {
    title: 'データ放送を表示できませんでした',
    next: 'もう一度開いてください。繰り返すときは、ブラウザーを新しくしてください。',
  },
  silent: {
    title: 'データ放送が届きません',
    next: '受信状態を確かめて、もう一度開いてください。WebSocket を通さない経路では届きません。',
  },
};

const LAUNCH_FAULTS: Readonly<Record<LaunchFault, string>> = {
  off: '双方向通信がオフのため、このページは開けません。設定 → データ放送でオンにできます。',
  refused: 'このページの通信先には接続できません。データ放送の最初に戻ります。',
  unreachable: '通信エラー：サーバーから応答がありません。データ放送の最初に戻ります。',
  timeout: '通信エラー：サーバーの応答に時間がかかりすぎています。データ放送の最初に戻ります。',
  size: '通信エラー：ページが大きすぎるため表示できません。データ放送の最初に戻ります。',
  busy: '通信が混み合っています。しばらくしてからもう一度お試しください。',
  ended: '通信を中止しました。',
  missing: '通信エラー：ページが見つかりません。データ放送の最初に戻ります。',
  outside: 'このページからは開けないリンクです。データ放送の最初に戻ります。',
};

/** Where it is not as with a station. */
const ENDS_OF_RECORDING: Readonly<Partial<Record<DataEnd, EndWords>>> = {
  noBroadcast: {
    title: 'ここにはデータ放送が録画されていません',
    next: '別の場面で開くと、表示できることがあります。',
  },
  unsupported: {
    title: 'この録画のデータ放送は表示できません',
    next: '携帯端末向けなど、テレビ向けではない形式です。映像はそのまま見られます。',
  },
  silent: {
    title: '録画のデータ放送を読み込めません',
    next: 'サーバーにつながっているかを確かめて、もう一度開いてください。',
  },
};

const TRY_AGAIN = 'もう一度開くと直ることがあります。映像はそのまま見られます。';
const OF_STATION = '放送局側の原因です。時間をおいて、もう一度お試しください。';

/** Why an application is not there, or no longer. */
const APPLICATION_FAULTS: Readonly<Record<ApplicationFault, EndWords>> = {
  off: {
    title: '双方向通信がオフのため、放送連動アプリは使えません',
    next: '設定 → データ放送でオンにできます。',
  },
  refused: {
    title: '放送連動アプリの通信先には接続できません',
    next: '家の中のアドレスなど、放送局のアプリに許していない通信先です。',
  },
  unreachable: {
    title: '放送連動アプリのサーバーから応答がありません',
    next: 'インターネットの接続を確かめて、もう一度お試しください。',
  },
  timeout: {
    title: '放送連動アプリのサーバーの応答に時間がかかりすぎています',
    next: '時間をおいて、もう一度お試しください。',
  },
  size: { title: '放送連動アプリのページが大きすぎるため、開けません', next: OF_STATION },
  busy: {
    title: '通信が混み合っているため、放送連動アプリを開けません',
    next: '時間をおいて、もう一度お試しください。',
  },
  stuck: { title: '放送連動アプリが応答しなくなったため、止めました', next: TRY_AGAIN },
  ended: { title: '放送連動アプリの通信を中止しました', next: 'もう一度開いてください。' },
  missing: { title: '放送連動アプリが見つかりません', next: OF_STATION },
  unlisted: { title: 'この放送連動アプリは、放送局の一覧にありません', next: OF_STATION },
  stopped: {
    title: 'この放送連動アプリは、今は使えません',
    next: '番組が変わると使えることがあります。そのときにもう一度お試しください。',
  },
  killed: {
    title: '放送局の指示で、放送連動アプリが終了しました',
    next: '番組が変わると使えることがあります。',
  },
  outside: {
    title: '放送連動アプリが、許可されていないアドレスを開こうとしたため、止めました',
    next: OF_STATION,
  },
  loop: { title: '放送連動アプリがページの切り替えを繰り返すため、止めました', next: TRY_AGAIN },
  slow: {
    title: '放送連動アプリの読み込みに時間がかかりすぎています',
    next: 'インターネットの接続を確かめて、もう一度お試しください。',
  },
  flood: { title: '放送連動アプリの動作が異常なため、止めました', next: TRY_AGAIN },
  focus: { title: '放送連動アプリがリモコンの操作を妨げるため、止めました', next: TRY_AGAIN },
  failed: {
    title: '放送連動アプリを表示できませんでした',
    next: 'もう一度開いてください。繰り返すときは、ブラウザーを新しくしてください。',
  },
  library: {
    title: '放送連動アプリの表示に必要な部品を読み込めませんでした',
    next: 'このレコーダーとの接続を確かめて、もう一度お試しください。',
  },
};

export const TEXTS = {
  data: 'データ放送',
  page: (station: string) => `${station} のデータ放送`,
  ends: ENDS,
  application: '放送連動アプリ',
  applicationOf: (station: string, organisation: number) =>
    `${station}の放送連動アプリ（事業者 ${organisation}）`,
  applicationFaults: APPLICATION_FAULTS,
  loadingApplication: 'アプリを読み込んでいます',
  leaveApplication: '放送連動アプリを終了',
  leaveApplicationHint: 'D を2回、または戻るの長押しで終了',
  launchFaults: LAUNCH_FAULTS,
  endsOfRecording: ENDS_OF_RECORDING,
  waiting: 'データ放送の準備をしています。表示されないときは、もう一度 d を押してください。',

  // The frame
  connecting: '受信を待っています',
  loading: (percent: number, received: number, all: number) => `読み込み中 ${percent}%（${received}/${all}）`,
  starting: '表示の準備をしています',
  communicating: '通信中',
  /** A page of a server. */
  communication: '通信コンテンツ',
  leave: '終了',
  leaveHint: 'D を2回、または戻るの長押しでも終了',
  leaveLabel: 'データ放送を終了',
  again: 'もう一度開く',
  close: '閉じる',
  pictureAbove: '映像は上に表示しています',

  // The remote control
  remote: 'リモコン',
  showRemote: 'リモコンを表示',
  hideRemote: 'リモコンを隠す',
  dataKey: 'd',
  dataKeyLabel: 'dボタン（D）',
  back: '戻る',
  backLabel: '戻る（Backspace）',
  enter: '決定',
  up: '上',
  down: '下',
  left: '左',
  right: '右',
  blue: '青',
  red: '赤',
  green: '緑',
  yellow: '黄',
  colourLabel: (colour: string, key: string) => `${colour}（${key}）`,
  digits: '数字',
  arrows: '矢印',

  // Questions of documents
  regionTitle: '地域の情報',
  regionNote: (station: string, application: string) =>
    `${station} の「${application}」が、設定の郵便番号と都道府県を使おうとしています。地域の天気やお知らせのためです。渡した情報は、アプリのサーバーに送られることがあります。`,
  regionGive: '渡す',
  regionRefuse: '渡さない',
  regionOnce: 'このアプリについては、次からは聞きません。',
  reserveTitle: '番組の予約',
  reserveNote: (station: string) => `${station} のデータ放送のページから、録画予約の依頼がありました。`,
  reserve: '予約する',
  cancelTitle: '予約の取り消し',
  cancelNote: (station: string) => `${station} のデータ放送のページから、予約の取り消しの依頼がありました。`,
  cancelReservation: '予約を取り消す',
  refuse: 'しない',
  inputTitle: '文字の入力',
  inputNote: (station: string) => `入力した文字は ${station} のデータ放送のページに渡されます。`,
  /** The sheet is ours, what becomes of the text is not. */
  passwordNote: 'このレコーダーのパスワードは入力しないでください。',
  cancelInput: 'やめる',
  inputLabel: (most: number) => `文字（${most}文字まで）`,
  /** By the page's `charactertype`. */
  characters: {
    number: '数字で入力してください。',
    alphabet: '英字で入力してください。',
    hankaku: '半角文字で入力してください。',
    zenkaku: '全角文字で入力してください。',
    katakana: 'カタカナで入力してください。',
    hiragana: 'ひらがなで入力してください。',
  } as Readonly<Record<string, string>>,
  inputDone: '入力する',

  // Facts
  facts: 'データ放送の受信',
  factsOff: '開くと（D）、受信しているモジュールの一覧がここに出ます。',
  states: {
    off: '開いていません',
    loading: '読み込み中',
    shown: '表示中',
    hidden: '待機中（d で表示）',
    ended: '終了しました',
  },
  state: '状態',
  document: '文書',
  received: '受信',
  receivedOf: (received: string, all: string) => `${received} / ${all}`,
  component: (tag: string) => `コンポーネント 0x${tag}`,
  modules: (received: number, all: number, size: string) => `${received}/${all} モジュール、${size}`,
  module: (id: string, size: string, isReceived: boolean) =>
    `0x${id}　${size}　${isReceived ? '受信済み' : '待っています'}`,
  log: (count: number) => `ページの記録（${count}件）`,
} as const;
