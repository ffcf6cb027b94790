/**
 * Which folders may become recording folders. Checked when they are set: the service writes, and later deletes, files
 * there, and a mistake would only show when a recording fails.
 */
import { readlink, realpath } from 'node:fs/promises';
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
  ...['/run', '/var/cache', '/var/log', '/var/run', '/var/spool', '/lost+found', '/snap'],
  // State of other services. `DATA_DIR` and `RECORDINGS_DIR` are usually below it.
  ...['/var/backups', '/var/lib', '/var/mail', '/var/opt', '/var/www'],
];
/** Disks mounted by a desktop. */
const EXCEPT = ['/run/media'];
/** Parents of folders: only folders below them may be recording folders. */
const SYSTEM_FOLDERS = ['/', '/home', '/media', '/mnt', '/opt', '/root', '/srv', '/tmp', '/var', '/var/tmp'];

const LIMIT_MS = 2_000;

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** A name with one of these breaks lists and logs of one line, here and in other programs. */
const BREAKS_LINES = /[\p{Cc}\u2028\u2029]/u;

/** Keys and settings of users, caches, recycle bins. */
function isHidden(path: string): boolean {
  return path.split(sep).some((name) => name.startsWith('.'));
}

/** As in the kernel: links that lead to links. path_resolution(7) */
const MOST_LINKS = 40;

/** Resolves links, also if the last parts of the path, or what a link leads to, do not exist yet. */
async function realPath(path: string): Promise<string> {
  let [at, missing, links] = [resolve(path), [] as string[], 0];
  for (;;) {
    try {
      return join(await realpath(at), ...missing);
    } catch {
      const target = links < MOST_LINKS ? await readlink(at).catch(() => undefined) : undefined;
      if (target !== undefined) {
        links += 1;
        at = resolve(await realPath(dirname(at)), target);
        continue;
      }
      if (at === dirname(at)) return resolve(path);
      missing = [basename(at), ...missing];
      at = dirname(at);
    }
  }
}

export interface FolderRules {
  /** Folder of the database. */
  dataDir: string;
  /** The first recording folder: it may be in the data folder. */
  recordingsDir: string;
}

/** Where a path leads, and why nothing there may be listed or recorded to; `refused` undefined: it may. */
interface Judgement {
  /** Absolute, without links; undefined: it does not answer. */
  real: string | undefined;
  /** Japanese. */
  refused: string | undefined;
}

/**
 * Judges the folder that a path leads to, not its spelling: a link may lead anywhere.
 * @param path absolute
 */
export async function judgeFolder(path: string, rules: FolderRules): Promise<Judgement> {
  const resolved = within(
    LIMIT_MS,
    Promise.all([path, rules.dataDir, rules.recordingsDir].map(realPath)),
    () => undefined,
  );
  const [real, dataDir = '', recordingsDir = ''] = (await resolved) ?? [];
  if (real === undefined) return { real, refused: 'フォルダーの応答がありません' };
  return { real, refused: refusalOf(real, resolve(path), dataDir, recordingsDir) };
}

function refusalOf(real: string, given: string, dataDir: string, recordingsDir: string): string | undefined {
  if (BREAKS_LINES.test(real) || BREAKS_LINES.test(given))
    return '名前に改行や制御文字のあるフォルダーは使えません';
  if (isWithin(real, recordingsDir)) return undefined;
  if (isWithin(real, dataDir)) return 'データベースのフォルダー (DATA_DIR) は録画フォルダーにできません';
  // A path below /proc or /dev leads elsewhere at another time.
  if (isSystemTree(real) || isSystemTree(given))
    return 'システムのフォルダーは録画フォルダーにできません。録画用のフォルダーを作って指定してください';
  return isHidden(real) ? '隠しフォルダーは録画フォルダーにできません' : undefined;
}

/** Whether it is a system folder or below one, or a parent of one that a desktop mounts disks in. */
function isSystemTree(path: string): boolean {
  const isOwn = SYSTEM_TREES.some((tree) => isWithin(path, tree));
  return isOwn && !EXCEPT.some((tree) => isWithin(path, tree) || isWithin(tree, path));
}

/** Whether a folder is offered. @param path no link, directly in the folder `parent` that was judged */
export function isListed(path: string, parent: string): boolean {
  const isSystem = isSystemTree(path) && !isSystemTree(parent);
  return !isSystem && !basename(path).startsWith('.') && !BREAKS_LINES.test(path);
}

/** Why the folder cannot be a recording folder, Japanese; undefined: it can. */
export async function refusedFolder(path: string, rules: FolderRules): Promise<string | undefined> {
  const { real, refused } = await judgeFolder(path, rules);
  if (real === undefined || refused !== undefined) return refused;
  const isParent = SYSTEM_FOLDERS.includes(real) || EXCEPT.some((tree) => isWithin(tree, real));
  if (isParent)
    return 'システムのフォルダーは録画フォルダーにできません。録画用のフォルダーを作って指定してください';
  return folderProblem(path);
}
