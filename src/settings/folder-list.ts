/** Lists folders, for selecting a recording folder. Only names of folders are sent. */
import { readdir } from 'node:fs/promises';
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { within } from '../../host/deadline.ts';
import type { FolderList } from '../../wire/api.ts';
import { Failure } from '../model/failure.ts';
import { type FolderRules, isListed, judgeFolder } from './recording-folder-rules.ts';

/** A network folder that is unavailable may block forever. */
const LIMIT_MS = 2_000;
const MOST = 500;

const REASONS: Readonly<Record<string, string>> = {
  ENOTDIR: 'フォルダーではありません。',
  EACCES: 'このフォルダーの中は、svc の権限では見られません。',
  EPERM: 'このフォルダーの中は、svc の権限では見られません。',
};

/**
 * Hidden folders, links and system folders are left out. A path that leads through links is answered as where it leads.
 * @throws Failure not_found if it does not exist, bad_request if it is not a readable folder
 */
export async function folderList(path: string, rules: FolderRules): Promise<FolderList> {
  if (!isAbsolute(path) || path.includes('\0')) {
    throw new Failure('bad_request', 'フォルダーは / から始まるパスで指定してください。', { path: 'path' });
  }
  const { real: at, refused } = await judgeFolder(path, rules);
  if (at === undefined || refused !== undefined) {
    throw new Failure('bad_request', `${refused}。`, { path: 'path' });
  }
  const found = await within(
    LIMIT_MS,
    readdir(at, { withFileTypes: true }).catch((error: unknown) => error),
    () => undefined,
  );
  if (found === undefined)
    throw new Failure('bad_request', 'フォルダーの応答がありません。', { path: 'path' });
  if (!Array.isArray(found)) {
    const code = String((found as { code?: unknown }).code);
    if (code === 'ENOENT') throw new Failure('not_found', 'フォルダーが見つかりません。', { path: 'path' });
    throw new Failure('bad_request', REASONS[code] ?? `フォルダーを読めません（${code}）。`, {
      path: 'path',
    });
  }
  const paths = found
    .filter((entry) => entry.isDirectory())
    .map((entry) => resolve(at, entry.name))
    .filter((each) => isListed(each, at))
    .sort((a, b) => a.localeCompare(b, 'ja'));
  return {
    path: at,
    parent: dirname(at) === at ? null : dirname(at),
    folders: paths.slice(0, MOST).map((each) => ({ name: basename(each), path: each })),
    more: paths.length > MOST,
  };
}
