/** Texts of an address that leads nowhere. */
export const TEXTS = {
  noScreen: 'この画面はありません',
  toHome: '放送中の番組を見る',
  /** Follows the address. */
  noScreenNote: 'という画面は見つかりませんでした。アドレスを確認するか、放送中の番組からお選びください。',
} as const;
