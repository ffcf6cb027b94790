/**
 * Which folders may become recording folders. Checked when they are set: the service writes, and later deletes, files
 * there, and a mistake would only show when a recording fails.
 */
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { within } from '../../host/deadline.ts';
import { folderProblem } from './folder-problem.ts';

/** System folders, with everything below. */
const SYSTEM_TREES = [
  ...[
    '/bin',
    '/boot',
    '/dev',
    '/etc',
    '/lib',
    '/lib32',
    '/lib64',
    '/libx32',
    '/proc',
    '/sbin',
    '/sys',
    '/usr',
  ],
  ...['/run', '/var/cache', '/var/log', '/var/run', '/var/spool'],
];
/** Disks mounted by a desktop. */
const EXCEPT = ['/run/media'];
/** Parents of folders: only folders below them may be recording folders. */
const SYSTEM_FOLDERS = [
  '/',
  '/home',
  '/media',
  '/mnt',
  '/opt',
  '/root',
  '/srv',
  '/tmp',
  '/var',
  '/var/lib',
  '/var/tmp',
];

const LIMIT_MS = 2_000;

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Whether it is a system folder or below one. @param path absolute, normalized */
export function isSystemTree(path: string): boolean {
  const isOwn = SYSTEM_TREES.some((tree) => isWithin(path, tree));
  return isOwn && !EXCEPT.some((tree) => isWithin(path, tree) || isWithin(tree, path));
}

/** Resolves links, also if the last parts of the path do not exist yet. */
async function realPath(path: string): Promise<string> {
  const missing: string[] = [];
  for (let at = resolve(path); ; at = dirname(at)) {
    try {
      return join(await realpath(at), ...missing);
    } catch {
      if (at === dirname(at)) return resolve(path);
      missing.unshift(basename(at));
    }
  }
}

interface FolderRules {
  /** Folder of the database. */
  dataDir: string;
  /** The first recording folder: it may be in the data folder. */
  recordingsDir: string;
}

/** Why the folder cannot be a recording folder, Japanese; undefined: it can. */
export async function refusedFolder(path: string, rules: FolderRules): Promise<string | undefined> {
  const real = await within(LIMIT_MS, realPath(path), () => undefined);
  if (real === undefined) return 'フォルダーの応答がありません';
  const isSystem =
    SYSTEM_FOLDERS.includes(real) ||
    SYSTEM_TREES.some((tree) => isWithin(real, tree) || isWithin(resolve(path), tree));
  if (isSystem && !EXCEPT.some((tree) => real !== tree && isWithin(real, tree))) {
    return 'システムのフォルダーは録画フォルダーにできません。録画用のフォルダーを作って指定してください';
  }
  const [dataDir, recordingsDir] = await Promise.all([
    realPath(rules.dataDir),
    realPath(rules.recordingsDir),
  ]);
  if (isWithin(real, dataDir) && !isWithin(real, recordingsDir)) {
    return 'データベースのフォルダー (DATA_DIR) は録画フォルダーにできません';
  }
  return folderProblem(path);
}
