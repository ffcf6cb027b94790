/** Texts of the parts that every screen uses. */
export const TEXTS = {
  cancel: 'キャンセル',
  close: '閉じる',
  progress: '番組の進み具合',
  more: 'その他',

  // A part of the page that is loaded when it is needed
  loading: '読み込んでいます…',
  notLoaded: '画面を読み込めませんでした',
  notLoadedNote: 'サーバーとの接続を確認して、もう一度お試しください。',
  retry: '再試行',
} as const;
