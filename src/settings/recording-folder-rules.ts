/**
 * Which folders may become recording folders. Checked when they are set: the service writes, and later deletes, files
 * there, and a mistake would only show when a recording fails.
 */
import { constants } from 'node:fs';
import { access, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { within } from '../../lib/host/deadline.ts';
import { systemErrorStep } from '../../lib/host/system-error.ts';
import type { FolderList } from '../../lib/wire/api.ts';
import { Failure } from '../model/failure.ts';

const NOT_WRITABLE: Readonly<Record<string, string>> = {
  EACCES: 'フォルダーに書き込む権限がありません',
  EPERM: 'フォルダーに書き込む権限がありません',
  EROFS: '読み取り専用のディスクです',
  ENOTDIR: 'フォルダーではありません',
};

/**
 * Why nothing can be written to a folder, for users.
 * Problem of the folder or, if it does not exist yet, of its nearest parent. Undefined: it is writable.
 */
export async function folderProblem(path: string): Promise<string | undefined> {
  return within(LIMIT_MS, look(path), () => 'フォルダーの応答がありません');
}

async function look(path: string): Promise<string | undefined> {
  for (let at = path; ; at = dirname(at)) {
    try {
      if (!(await stat(at)).isDirectory()) return NOT_WRITABLE.ENOTDIR;
      await access(at, constants.W_OK | constants.X_OK);
      return undefined;
    } catch (error) {
      const code = String((error as { code?: unknown }).code);
      if (code !== 'ENOENT' || at === dirname(at))
        return NOT_WRITABLE[code] ?? `フォルダーを使えません。${systemErrorStep(error).replace(/。$/u, '')}`;
    }
  }
}

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

/** Judges the folder that a path leads to, not its spelling: a link may lead anywhere. @param path absolute */
async function judgeFolder(path: string, rules: FolderRules): Promise<Judgement> {
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
function isListed(path: string, parent: string): boolean {
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

const MOST_LISTED = 500;

const NOT_READABLE: Readonly<Record<string, string>> = {
  ENOTDIR: 'フォルダーではありません。',
  EACCES: 'このフォルダーの中は、svc の権限では見られません。',
  EPERM: 'このフォルダーの中は、svc の権限では見られません。',
};

/**
 * Lists folders, for selecting a recording folder. Only names of folders are sent.
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
    throw new Failure(
      'bad_request',
      NOT_READABLE[code] ?? `フォルダーを読めません。${systemErrorStep(found)}`,
      {
        path: 'path',
      },
    );
  }
  const paths = found
    .filter((entry) => entry.isDirectory())
    .map((entry) => resolve(at, entry.name))
    .filter((each) => isListed(each, at))
    .sort((a, b) => a.localeCompare(b, 'ja'));
  return {
    path: at,
    parent: dirname(at) === at ? null : dirname(at),
    folders: paths.slice(0, MOST_LISTED).map((each) => ({ name: basename(each), path: each })),
    more: paths.length > MOST_LISTED,
  };
}
