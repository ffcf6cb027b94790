/** Texts of reminders before programmes. */

/** `10分前`, `1時間前`, `開始時`. */
export function beforeText(minutes: number): string {
  if (minutes === 0) return '開始時';
  return minutes % 60 === 0 ? `${minutes / 60}時間前` : `${minutes}分前`;
}

export const TEXTS = {
  title: 'リマインダー',
  /** On the button of a programme that has one. */
  set: (before: string) => `${before}に通知`,
  when: 'いつ知らせますか',
  series: 'このシリーズの次回からも',
  every: (before: string) => `毎回${before}`,
  note: '番組の時間が変わっても、新しい開始時刻に合わせて知らせます。',
  noTargets: '通知先がまだないため、お知らせの画面だけに表示されます。',
  targets: '通知先を設定',
  done: (title: string, before: string) => `${title}の${before}にお知らせします`,
  doneSeries: (name: string, before: string) => `${name}を、毎回${before}にお知らせします`,
  cancel: 'リマインダーを取り消す',
  cancelSeries: 'シリーズのリマインダーを取り消す',
  cancelOf: (name: string) => `${name}のリマインダーを取り消す`,
  cancelSeriesOf: (name: string) => `${name}のシリーズのリマインダーを取り消す`,
  cancelled: 'リマインダーを取り消しました',
  undo: '元に戻す',
  gone: '番組表から消えました',
} as const;
