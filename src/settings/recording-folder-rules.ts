/**
 * Which folders may become recording folders. Judged when they are set: the service writes, and later deletes, files
 * there, and a mistake shows only when a recording fails.
 */
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { within } from '../../host/deadline.ts';
import { folderProblem } from './folder-problem.ts';

/** The system's own, with everything below. */
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
/** Disks that a desktop mounts. */
const EXCEPT = ['/run/media'];
/** Folders of folders: below them a recording folder may stand. */
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

/** The system's own, or below it. @param path absolute, normalized */
export function isSystemTree(path: string): boolean {
  const isOwn = SYSTEM_TREES.some((tree) => isWithin(path, tree));
  return isOwn && !EXCEPT.some((tree) => isWithin(path, tree) || isWithin(tree, path));
}

/** Without links, also where the last parts are not there yet. */
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
  /** The database lies here. */
  dataDir: string;
  /** The first recording folder: it may lie in the data folder. */
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
