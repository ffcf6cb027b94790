/** Texts of the parts that every screen uses. */
export const TEXTS = {
  cancel: 'キャンセル',
  close: '閉じる',
  progress: '番組の進み具合',
} as const;
