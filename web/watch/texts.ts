/** Texts of playing a recording: its controls and its notices. Advice on failures is in `watch-advice.ts`. */
import { TEXTS as SHARED } from '../player/texts.ts';

export const TEXTS = {
  ...SHARED,
  title: '録画の再生',
  cancel: 'キャンセル',
  preparing: '再生の準備をしています',
  toList: '録画の一覧へ',

  // Controls
  fromStart: '最初から見る',
  recorded: '録画済み',
  atLive: 'ライブ（最新の位置を再生中）',
  toLive: 'ライブ（最新の位置へ）',
  skipForward: (seconds: number) => `${seconds}秒進む`,
  previousChapter: '前のチャプター',
  nextChapter: '次のチャプター',
  nextEpisode: '次の回',
  captionsOn: '字幕を出す',
  captionsOff: '字幕を消す',
  captionsOf: (language: number) => `字幕${language}`,
  data: 'データ放送',
  dataBroadcast: 'データ放送（D）',
  rateOf: (rate: string) => `再生速度（${rate}）`,
  quality: '画質',
  settings: '字幕・画質・操作の設定',
  position: '再生位置',
  positionOf: (position: string, length: string) => `${position}、全体${length}`,
  lostHere: (length: string) => `${length}録画されていません`,
  someLostHere: 'ここに欠けがあります',

  // Below the picture
  series: 'シリーズの録画',

  // Messages
  soundOnly: '音声のみの録画です',
  changeQuality: '画質を変える',
  resumed: (position: string) => `${position} の続きから再生します`,
  toEncoded: '変換したファイルの再生に切り替えました',
  encoded: '録画の変換が終わりました',
  ended: '録画が終わりました',
  toUsual: '通常の再生に切り替える',
  noNextEpisode: '次の回の録画はありません',
  noCaptions: 'この録画に字幕はありません。',
  noFormat: 'この録画に、このブラウザーで再生できる形式がありません。',

  // After the end
  over: '再生が終わりました',
  watchedAll: '最後まで再生しました',
  /** The programme went on. */
  watchedPart: '録画はここまでです',
  onAir: (title: string) => `放送中：${title}`,
  toAir: '放送の続きを見る',
  nextProgram: '次の番組を見る',
  nextIn: (seconds: number) => `${seconds}秒後に次の回を再生します`,
  watchNow: '今すぐ見る',

  // Commercials
  skipped: 'CMをスキップしました',
  undoSkip: '戻る',
  noSkipped: 'スキップしたCMはありません',
  backToCommercials: 'CMの始まりに戻りました',
} as const;
