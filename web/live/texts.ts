/** Texts of live television: the picture, its controls, its sheets and its panel. Those of several stations are in `multi-words.ts`. */
import { TEXTS as SHARED } from '../player/texts.ts';

export const TEXTS = {
  ...SHARED,
  liveTitle: 'ライブ視聴',
  terrestrial: '地デジ',
  bands: '放送の種類',
  noProgramYet: '番組情報はまだありません',
  chaseInstead: 'チューナーが録画に使われたので、録画を追いかけて再生します。',

  // Channels
  channels: 'チャンネル',
  channelNumber: (digits: string) => `チャンネル番号 ${digits}`,
  noChannel: 'その番号のチャンネルはありません',

  // Controls
  late: (seconds: string) => `（放送から${seconds}秒遅れ）`,
  liveNow: (late: string) => `ライブ${late}`,
  toLive: 'ライブに戻る',
  previousChannel: '前のチャンネル',
  nextChannel: '次のチャンネル',
  format: '映像の形式',
  menu: 'メニュー',
  channelList: 'チャンネル一覧',
  programInfo: '番組情報',
  multi: 'マルチ画面',
  dataBroadcast: 'データ放送（D）',

  // Messages over the picture
  waitsForTuner: '受信を準備しています',
  tuning: '選局中',
  reconnecting: '再接続しています',
  waitsForPicture: '映像を待っています',
  otherStation: 'ほかの局を見る',
  badReception: '受信状態が悪く、映像が乱れています（電波が戻ると直ります）',
  scrambled: 'スクランブルを解除できず、映像が乱れています（B-CASカードを確認してください）',
  staysScrambled: 'スクランブルを解除できないため、映像を止めています（B-CASカードを確認してください）',
  pictureMissing: '放送の映像が届いていません（届くと自動で映ります）',
  soundMissing: '放送の音声が届いていません（届くと自動で聞こえます）',

  // The panel beside or below the picture
  panel: '番組とチャンネル',
  tabs: '表示する内容',
  guide: '番組表',
  details: '番組の詳細',
  data: 'データ放送',
  next: 'このあとの番組',
  guideFailed: '番組表を読み込めませんでした',
  nothingNext: 'この先の番組はまだわかりません',
  booked: '予約',
  conflict: '競合',

  // Sheets
  noSoundFacts: 'この番組の音声情報はまだありません。',
  noCaptions: 'この番組に字幕はありません。',
  quality: '画質と通信量',
  qualityHere: '画質と通信量（この端末）',
  qualityNow: (auto: string, now: string) => `${auto}・現在は${now}`,
  raw: '放送画質（無変換）',
  rawShort: '放送画質',
  rawNote:
    '放送の映像をそのまま再生します。有線 LAN や高速な Wi-Fi と、パソコン並みの性能の端末に向いています。',
  noRaw: 'このブラウザーは放送の映像をそのまま再生できません。',

  // The state of the stream
  stream: '配信の状態',
  streamVideo: '映像',
  streamQuality: '画質',
  rate: '通信量',
  lag: '放送からの遅れ',
  airTime: '放送の時刻',
  buffer: 'バッファー',
  bufferTarget: (ahead: string, target: string) => `${ahead}（目標 ${target}秒）`,
  lostFrames: 'コマ落ち',
  tuner: 'チューナー',
  reception: '受信',
  lostPackets: 'パケットの欠落',
  unconverted: '無変換（MPEG-2）',
  cnr: (decibels: string) => `CNR ${decibels} dB`,

  // Before the first scan
  noChannels: 'まだ局がありません',
  noChannelsNote: 'チャンネルスキャンで見つかった局が、ここに並びます。',
  setup: 'はじめての設定',

  // Keys
  keys: 'キーとリモコンの操作',
  /** Keys and what they do. */
  keyTable: [
    [['↑', '↓'], 'チャンネルを変える（操作パネルが隠れているとき）'],
    [['←', '→'], '音量を変える（操作パネルが隠れているとき）'],
    [['Enter'], '操作パネルを表示。表示中は矢印キーで選んで決定'],
    [['1', '…', '9', '0', '-', '^'], '地デジのチャンネルを選ぶ（リモコン番号1〜12）'],
    [['.'], '3桁のチャンネル番号を入力（BS・CSの視聴中は数字だけで入力できます）'],
    [['PageUp', 'PageDown'], 'チャンネルを変える'],
    [['Space', 'K'], '一時停止・再生'],
    [['J', 'End'], '10秒戻る・ライブに戻る'],
    [['C', '緑'], '字幕の表示・非表示'],
    [['S'], '画面を保存'],
    [['M'], 'ミュート'],
    [['F'], '全画面（ダブルクリックでも）'],
    [['R', '赤'], '放送中の番組を録画・予約の取り消し'],
    [['A'], '音声を選ぶ'],
    [['L'], 'チャンネル一覧'],
    [['W'], 'マルチ画面（最大4局）'],
    [['I'], '番組情報とチャンネルの表示・非表示'],
    [['D'], 'データ放送を開く・ページの d ボタン'],
    [['Q'], '配信の状態（遅れ・通信量・受信・データ放送）'],
    [['↑↓←→', 'Enter', 'Backspace'], 'データ放送：選ぶ・決定・戻る'],
    [['B', 'R', 'G', 'Y'], 'データ放送：青・赤・緑・黄'],
    [['D', 'D'], 'データ放送：終了（Esc、戻るの長押しでも）'],
    [['Esc', 'Backspace'], '戻る'],
    [['?'], 'この説明'],
  ],
} as const;
