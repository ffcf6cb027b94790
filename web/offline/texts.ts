/** Texts about recordings that are saved on this device. */
import { bytesText } from '../words/bytes.ts';
import type { SaveFailure } from './saved-video.ts';

const minutes = (seconds: number): string =>
  seconds < 60 ? `${Math.max(1, Math.ceil(seconds))}秒` : `${Math.ceil(seconds / 60)}分`;

export const TEXTS = {
  title: 'オフライン再生',
  lead: 'この端末に保存した録画は、ネットワークがなくても見られます。',
  none: '保存した録画はありません',
  noneNote: '録画の詳細で「この端末に保存」を押すと、ここに並びます。',
  toRecordings: '録画を見る',

  // The button
  save: 'この端末に保存',
  preparing: '保存の準備をしています…',
  saved: 'この端末に保存済み',
  /** On a card. */
  savedSign: '端末に保存済み',
  stateWaiting: '保存の順番を待っています',
  stateRunning: (part: number): string => `保存しています（${Math.floor(part * 100)}%）`,
  stateFailed: '保存できませんでした',
  statePaused: '保存を一時停止中',
  saveShort: '端末に保存',
  queuedMany: (count: number): string => `${count}件をこの端末に保存します`,
  notQueued: (count: number, why: string): string => `${count}件は保存できません。${why}`,
  queued: (size: number): string => `この端末に保存します（${bytesText(size)}）`,
  done: (name: string): string => `${name}を保存しました`,
  failedOf: (name: string, why: string): string => `${name}を保存できませんでした。${why}`,

  // The list
  downloading: '保存中',
  ready: '見られる録画',
  pause: '一時停止',
  goOn: '再開',
  retry: 'もう一度保存',
  first: '先に保存する',
  stop: '保存をやめる',
  drop: '一覧から消す',
  remove: 'この端末から消す',
  removeOf: (name: string): string => `${name}を この端末から消す`,
  deleteToo: '録画も削除する',
  removeAsk: (name: string): string => `${name}を消しますか`,
  removeNote: '「この端末から消す」では、録画はサーバーに残ります。',
  deleteNote: '「録画も削除する」では、サーバーの録画も消えます。元に戻せません。',
  deleteLater: '接続していないので、次に接続したときにサーバーから削除します。',
  removed: 'この端末から消しました',
  waitingForService: 'サーバーに接続できません。接続できしだい続けます',
  inBackground: 'この画面を閉じても続きます。',
  inPage: '保存が終わるまで、この画面を開いたままにしてください。',
  received: (received: number, total: number): string => `${bytesText(received)} / ${bytesText(total)}`,
  left: (seconds: number): string => `あと約${minutes(seconds)}`,
  size: bytesText,
  watchedTo: (clock: string): string => `${clock}まで視聴`,

  line: (ready: number, running: number, failed: number): string =>
    [
      `この端末に${ready}件保存済み`,
      ...(running === 0 ? [] : [`${running}件を保存中`]),
      ...(failed === 0 ? [] : [`${failed}件は保存できませんでした`]),
    ].join('・'),

  // Storage
  storage: '保存領域',
  used: (bytes: number, count: number): string => `${count}件、${bytesText(bytes)}を使用中`,
  free: (bytes: number): string => `あと約${bytesText(bytes)}保存できます`,
  usedPart: '使用中の割合',
  notPersistent: '端末の空きが減ると、ブラウザーが自動で消すことがあります。',

  removesWatched: '視聴済みを自動で消す',
  removesWatchedNote: 'この端末からだけ消えます。録画はサーバーに残ります。',
  watchedRemoved: (count: number): string => `視聴済みの${count}件をこの端末から消しました`,

  // The outbox
  outbox: '接続したときに行うこと',
  outboxDelete: (name: string): string => `${name}をサーバーから削除`,
  outboxPlaces: (count: number): string => `${count}件の再生位置をサーバーへ送信`,
  outboxCancel: '取り消す',
  outboxSend: '今すぐ送る',
  outboxSent: (count: number): string => `サーバーの録画を${count}件削除しました`,
  outboxFailed: (name: string): string => `${name}を削除できませんでした`,

  // Series
  series: 'シリーズの自動保存',
  seriesSave: '次の3話を自動で保存',
  seriesStop: '自動で保存しない',
  seriesOff: (name: string): string => `${name}を 自動で保存しない`,
  seriesNext: (name: string): string => `「${name}」の次の3話`,
  seriesOn: (name: string): string => `「${name}」の次の3話を保存します`,

  // Obstacles
  insecure: 'この端末に保存するには、https で開く必要があります。',
  insecureHow:
    '証明書を TLS_CERT に設定するか、https のプロキシを通すと保存できます。手順は docs/https.md にあります。それまでは、ファイルをダウンロードして端末のプレーヤーで見られます。',
  notSupported: 'このブラウザーでは、録画をこの端末に保存できません。',
  noFile: '変換していない録画は保存できません。「変換する」を押し、終わってから保存してください。',
  failedRecording: '録画に失敗した番組は変換できないため、この端末に保存できません。',
  noCodec:
    'この端末では、この録画の形式（AV1）を再生できません。互換性の高い形式（H.264）に変換すると保存できます。',
  noSpace: (needed: number): string => `空きが足りません。${bytesText(needed)}ほど必要です。`,
  noPersistence: 'ブラウザーの保存領域を使えませんでした。',
  damaged: 'この端末に保存した録画のデータが壊れていたため、作り直しました。もう一度保存してください。',
  newer: 'この端末の保存データは新しい版のものです。画面を開き直してください。',
  download: 'ファイルをダウンロード',
} as const;

export const FAILURE_TEXTS: Readonly<Record<SaveFailure, string>> = {
  gone: 'サーバーの録画、またはそのファイルが削除されています。',
  full: 'この端末の空きが足りなくなりました。保存した録画を消すと、もう一度保存できます。',
  total: 'ファイルが、測ったときより大きくなっています。',
  changed: '保存している間に、ファイルが新しくなりました。',
  refused: 'ログインの期限が切れたか、許可されたネットワークの外にいます。',
  aborted: '保存が中止されました。',
  network: 'サーバーとの接続が切れました。',
  lost: '保存したデータが、ブラウザーに消されました。',
  unknown: '原因の分からないエラーが起きました。',
};
