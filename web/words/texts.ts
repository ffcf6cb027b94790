/** Texts of what several screens show in the same way. */
export const TEXTS = {
  retry: '再試行',
  reopen: '開き直す',
  notLoaded: '読み込めませんでした',
  otherVersion: 'この画面とサーバーのバージョンが異なる可能性があります。ページを再読み込みしてください。',
  contents: '番組内容',
  checkAgain: 'もう一度確認する',
  checking: '確認しています…',
  checkedAt: (time: string) => `${time} に確認しました`,
  holders: 'チューナーの使用状況',
  browser: 'ブラウザー',
} as const;
