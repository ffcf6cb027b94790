/** Texts of notices and of their targets. */
import type { NoticeEvent, WebhookFormat } from '../../lib/wire/vocabulary.ts';

export const EVENT_LABELS: Readonly<Record<NoticeEvent, string>> = {
  failed: '録画できなかった',
  will_fail: '録画できない見込み',
  conflict: '予約が重なった',
  encode_failed: '変換できなかった',
  tuner_lost: 'チューナーが使えない',
  card_lost: 'カードが読めない',
  guide_stale: '番組表が古い',
  disk_low: '空き容量が少ない',
  finished: '録画が終わった',
  started: '録画が始まった',
  reserved: '自動予約した',
  rebooked: '次の放送を予約した',
  encoded: '変換が終わった',
  tuner_back: 'チューナーが復旧した',
  database_trouble: 'データベースの異常',
  paired: '端末が登録された',
  update: 'svc を更新した',
  reminder: '番組のリマインダー',
};

export const FORMAT_LABELS: Readonly<Record<WebhookFormat, string>> = {
  discord: 'Discord',
  slack: 'Slack',
  line: 'LINE（Messaging API）',
  telegram: 'Telegram',
  ntfy: 'ntfy',
  gotify: 'Gotify',
  generic: 'その他の Webhook（JSON）',
};

/** What each service calls the fields. */
export const FORMAT_FIELDS: Readonly<
  Record<
    WebhookFormat,
    {
      /** Asked for, with an example; or one address for everybody. */
      url: { label: string; example: string } | { fixed: string };
      secret?: string;
      to?: string;
      help: string;
    }
  >
> = {
  discord: {
    url: { label: 'Webhook の URL', example: 'https://discord.com/api/webhooks/…' },
    help: 'Discord のサーバー設定 → 連携サービス → ウェブフックで作り、URL をコピーします。',
  },
  slack: {
    url: { label: 'Webhook の URL', example: 'https://hooks.slack.com/services/…' },
    help: 'Slack の Incoming Webhooks で作った URL を入れます。',
  },
  line: {
    url: { fixed: 'https://api.line.me/v2/bot/message/push' },
    secret: 'チャネルアクセストークン',
    to: '送り先のユーザーIDまたはグループID',
    help: 'LINE Developers で Messaging API のチャネルを作ります。無料で送れる数に限りがあります。',
  },
  telegram: {
    url: { fixed: 'https://api.telegram.org' },
    secret: 'ボットのトークン',
    to: 'チャットID',
    help: 'BotFather でボットを作り、そのトークンと、送り先のチャットIDを入れます。',
  },
  ntfy: {
    url: { label: 'トピックのアドレス', example: 'https://ntfy.sh/my-topic' },
    secret: 'アクセストークン（必要なとき）',
    help: '推測されにくい名前のトピックを使ってください。',
  },
  gotify: {
    url: { label: 'サーバーのアドレス', example: 'https://gotify.example.com' },
    secret: 'アプリのトークン',
    help: 'Gotify の Apps で作ったトークンを入れます。',
  },
  generic: {
    url: { label: '送り先のアドレス', example: 'https://example.com/hook' },
    secret: '署名の鍵（なくてもよい）',
    help: 'JSON を POST します。鍵を入れると Standard Webhooks の方式で署名します。',
  },
};

/** Of a push whose content cannot be read. */
export const UNREADABLE = { title: 'テレビ', body: '新しいお知らせがあります。' };

/** Of a press on a push notice whose result is unknown. */
export const NOT_DONE =
  'サーバーに接続できないため、実行できませんでした。お知らせの画面からもう一度お試しください。';

export const TEXTS = {
  title: 'お知らせ',
  unread: (count: number) => `新しいお知らせ ${count}件`,
  none: 'お知らせはまだありません',
  noneNote: '録画の失敗や予約の重複など、知っておきたいことがここに並びます。',
  more: 'さらに前のお知らせ',
  fresh: '新着',
  acting: '実行しています…',
  showResult: '開く',
  targetsLink: '通知先を設定',
  // Targets
  noTargets: 'まだありません。録画に失敗したときなどに、端末やメッセージアプリへ知らせます。',
  thisDevice: 'この端末に通知',
  addWebhook: 'メッセージアプリを追加',
  device: 'この端末',
  insecure: 'この端末への通知は、https で開いたときに使えます。',
  notSupported: 'このブラウザーは通知に対応していません。',
  iosInstall: 'iPhone と iPad では、共有ボタンから「ホーム画面に追加」したあとに使えます。',
  denied: 'ブラウザーの設定で通知が禁止されています。サイトの設定から許可してください。',
  pushFailed: 'ブラウザーの通知サービスに登録できませんでした。時間をおいてもう一度お試しください。',
  push: '端末',
  waiting: (count: number) => `未送信 ${count}件`,
  delivered: (when: string) => `${when}に届きました`,
  notYet: 'まだ送っていません',
  test: 'テスト送信',
  testing: '送っています…',
  edit: '変更',
  of: (name: string) => `「${name}」を`,
  remove: '削除',
  removeNow: '削除する',
  removeNote: 'この通知先には、もう何も送りません。',
  removed: (name: string) => `「${name}」を削除しました。`,
  added: (name: string) => `「${name}」に通知します。`,
  saved: '保存しました。',
  // Form
  add: '通知先を追加',
  change: '通知先を変更',
  service: '送り先',
  name: '名前',
  keepSecret: '（変更しないときは空のまま）',
  needsMe: '対応が必要なこと',
  others: 'そのほか',
  collect: '急がないものは、朝8時にまとめて送る',
  quiet: '夜間は送らない（22時〜7時）',
  promptNote: '番組のリマインダーは、夜間でもすぐに送ります。',
  enabled: 'この通知先を使う',
  save: '保存',
  cancel: 'キャンセル',
  saving: '保存しています…',
} as const;
