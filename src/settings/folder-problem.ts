/** Why nothing can be written to a folder, for users. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { within } from '../../host/deadline.ts';

/** A network folder that is unavailable may block forever. */
const LIMIT_MS = 2_000;

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'フォルダーに書き込む権限がありません',
  EPERM: 'フォルダーに書き込む権限がありません',
  EROFS: '読み取り専用のディスクです',
  ENOTDIR: 'フォルダーではありません',
};

/** Problem of the folder or, if it does not exist yet, of its nearest parent. Undefined: it is writable. */
export async function folderProblem(path: string): Promise<string | undefined> {
  return within(LIMIT_MS, look(path), () => 'フォルダーの応答がありません');
}

async function look(path: string): Promise<string | undefined> {
  for (let at = path; ; at = dirname(at)) {
    try {
      if (!(await stat(at)).isDirectory()) return REASONS.ENOTDIR;
      await access(at, constants.W_OK | constants.X_OK);
      return undefined;
    } catch (error) {
      const code = String((error as { code?: unknown }).code);
      if (code !== 'ENOENT' || at === dirname(at))
        return REASONS[code] ?? `フォルダーを使えません（${code}）`;
    }
  }
}
