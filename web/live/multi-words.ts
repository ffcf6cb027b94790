/** Texts of the screen with several stations. */
export const MULTI_WORDS = {
  title: 'マルチ画面',
  back: '戻る',
  add: 'チャンネルを追加',
  remove: 'マルチ画面から外す',
  enlarge: '1局で見る',
  retry: '再試行',
  tuning: '選局中',
  empty: '「チャンネルを追加」で、見たい局を4つまで選べます。',
  unsupported: 'このブラウザーではマルチ画面を使えません',
  unsupportedNext: '新しい Chrome か Edge でお試しください。',
} as const;

/** Label of pressing a picture: unmute it, or, if it is heard already, watch it alone. */
export function tileText(name: string, title: string, isHeard: boolean): string {
  const what = title === '' ? name : `${name}、${title}`;
  return isHeard ? `${what}（音声を再生中、もう一度押すと1局で見る）` : `${what}（音声を切り替える）`;
}
