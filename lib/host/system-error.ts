/**
 * Errors of the operating system in sentences for users: only their code decides, what the system or a library says
 * belongs in the log.
 */

const STEPS: Readonly<Record<string, string>> = {
  ENOSPC: 'ディスクに空きがありません。要らないファイルを消してください。',
  EDQUOT: 'ディスクに空きがありません。要らないファイルを消してください。',
  EACCES: '読み書きの権限がありません。アクセス権の設定を確認してください。',
  EPERM: '読み書きの権限がありません。アクセス権の設定を確認してください。',
  EROFS: '書き込めないディスクです。ディスクの設定を確認してください。',
  EBUSY: 'ほかのプログラムが使っています。それを終了すると使えます。',
  ETXTBSY: 'ほかのプログラムが使っています。それを終了すると使えます。',
  ENOENT: '見つかりません。場所と設定を確認してください。',
  ENOTDIR: '見つかりません。場所と設定を確認してください。',
  ENODEV: '見つかりません。接続と設定を確認してください。',
  ENXIO: '見つかりません。接続と設定を確認してください。',
  EISDIR: 'ファイルではなくフォルダーです。設定を確認してください。',
  EMFILE: '開けるファイルの数の上限に達しました。',
  ENFILE: '開けるファイルの数の上限に達しました。',
  ENOMEM: 'メモリーが足りません。',
  ELOOP: 'リンクが循環しています。',
};

const GENERAL = '続くときはサーバーのログを確認してください。';

/** What the error means, and the next step. */
export function systemErrorStep(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  return (Object.hasOwn(STEPS, code) ? STEPS[code] : undefined) ?? GENERAL;
}
