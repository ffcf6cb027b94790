/**
 * Reasons as the service and the tuner agent give them, fit to be shown. Both write Japanese sentences, but some end
 * in what the system or a library said (`ECONNRESET …, pass verbose: true`, `500 {"message":…`): that is replaced by a
 * sentence with a next step. The original is in the server's log. Pure.
 */

const ERRNO =
  /\b(?:E(?:CONN[A-Z]+|TIMEDOUT|PIPE|NOENT|ACCES|PERM|BUSY|IO|NOSPC|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN|ADDR[A-Z]+|NODEV|NXIO|INVAL|ROFS|MFILE|NOTDIR|ISDIR|XDEV|AGAIN)|ERR_[A-Z_]+)\b/u;
/** Marks of an error text, a stack trace, JSON and an HTTP answer. */
const RAW = [
  ERRNO,
  /error|exception|\bverbose\b|\bundefined\b|\bsocket\b|\bfailed\b/iu,
  /[{}]|\[object /u,
  /\bat \S+ ?\(?\S*:\d+/u,
  /\b[45]\d\d (?:\{|[A-Z])/u,
  // A sentence in English.
  /(?:\b[a-z']+[ ,.]+){3}[a-z]+/u,
];
const JAPANESE = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u;
/** Titles and names come from broadcasts and people. */
const QUOTED = /「[^」]*」/gu;

const LOG = '続くときはサーバーのログを確認してください。';

/** Meaning of a system's error, and the next step. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [
    /ECONNREFUSED|ConnectionRefused|Unable to connect|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN/u,
    '接続先が動いているか、アドレスとネットワークを確認してください。',
  ],
  [
    /ECONN(?:RESET|ABORTED)|EPIPE|socket|closed unexpectedly/iu,
    `通信が途中で切れました。もう一度お試しください。${LOG}`,
  ],
  [/ETIMEDOUT|timed? ?out/iu, `応答がありませんでした。もう一度お試しください。${LOG}`],
  [/ENOSPC/u, 'ディスクに空きがありません。要らない録画を消してください。'],
  [/EACCES|EPERM/u, '読み書きの権限がありません。サーバーのアクセス権の設定を確認してください。'],
  [/EROFS/u, '書き込めないディスクです。サーバーのディスクの設定を確認してください。'],
  [/EBUSY/u, 'ほかのソフトウェアが使っています。それを終了すると使えます。'],
  [/ENOENT|ENODEV|ENXIO/u, '見つかりません。接続と設定を確認してください。'],
];
const GENERAL = `しばらく待ってから、もう一度お試しください。${LOG}`;

function isRaw(text: string): boolean {
  const bare = text.replace(QUOTED, '');
  return RAW.some((pattern) => pattern.test(bare));
}

/** The sentence before a system's message, without its end; empty if there is none. */
function headOf(text: string): string {
  const [head = ''] = text.split(/[:：(（{\n]|[。、]\s*(?=[\x21-\x7e])/u);
  return JAPANESE.test(head) && !isRaw(head) ? head.trim().replace(/[。、]+$/u, '') : '';
}

/**
 * @param text of the service or the agent
 * @param what text before the next step if the message has no Japanese, without 。
 */
export function plainReason(text: string, what = 'うまくいきませんでした'): string {
  if (JAPANESE.test(text) && !isRaw(text)) return text;
  const next = MEANINGS.find(([pattern]) => pattern.test(text))?.[1] ?? GENERAL;
  const head = headOf(text);
  return `${head === '' ? what : head}。${next}`;
}
