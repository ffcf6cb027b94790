/**
 * Which folder has the path of a recording folder: another one may be there while the real one is renamed, unmounted or
 * covered, also over restarts. Files that were written to another folder than the present one are not deleted: they are
 * with their folder.
 */
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { within } from '../../lib/host/deadline.ts';

interface IdentityMemory {
  /** Undefined: not known yet. */
  identityOf(folder: string): string | undefined;
  rememberIdentity(folder: string, identity: string): void;
  /** Files of recordings, running ones included, that rows list directly in it. */
  listedIn(folder: string): readonly string[];
  /** Files that are in a former folder of this path, and which one. */
  keptFrom(folder: string): ReadonlyMap<string, string>;
  /** These files are in a former folder of this path. */
  keep(paths: readonly string[], identity: string): void;
  /** All kept files of a folder, that were in `former`, are now of `identity`: the device got another number. */
  renumber(former: string, identity: string): void;
  /** These files were seen again. */
  unkeep(paths: readonly string[]): void;
}

/** A missing network share may block forever. */
const LIMIT_MS = 2_000;

export class FolderIdentities {
  constructor(private readonly memory: IdentityMemory) {}

  /**
   * Notes which folder this is. If it is another than before, the listed files that it lacks stay with that one.
   * @throws the database's error
   */
  async note(folder: string): Promise<void> {
    const { memory } = this;
    const identity = await identityOf(folder);
    if (identity === undefined) return;
    const former = memory.identityOf(folder);
    if (former === undefined) memory.rememberIdentity(folder, identity);
    const listed = memory.listedIn(folder);
    const names = await namesIn(folder);
    if (names === undefined) return;
    const isThere = (path: string): boolean => names.has(basename(path));
    const kept = memory.keptFrom(folder);
    memory.unkeep([...kept.keys()].filter((path) => dirname(path) === folder && isThere(path)));
    if (former === undefined || former === identity) return;
    const own = listed.filter((path) => !kept.has(path));
    const seen = own.filter(isThere).length;
    // Device numbers change with a restart of the machine, inodes of folders do not.
    const isSame = inodeIn(former) === inodeIn(identity) && seen > 0 && seen * 2 >= own.length;
    if (isSame) memory.renumber(former, identity);
    else
      memory.keep(
        own.filter((path) => !isThere(path)),
        former,
      );
    memory.rememberIdentity(folder, identity);
  }

  /** Whether the folder at its place is the one that the file was written to; undefined: unknown. */
  async isInPlace(path: string): Promise<boolean | undefined> {
    const folder = dirname(path);
    const written = this.memory.keptFrom(folder).get(path) ?? this.memory.identityOf(folder);
    return written === undefined ? undefined : written === (await identityOf(folder));
  }
}

/** Device and inode; undefined: it is not there, or does not respond. */
export async function identityOf(folder: string): Promise<string | undefined> {
  const found = stat(folder).then(
    ({ dev, ino }) => `${dev}:${ino}`,
    () => undefined,
  );
  return within(LIMIT_MS, found, () => undefined);
}

function inodeIn(identity: string): string | undefined {
  return identity.split(':')[1];
}

async function namesIn(folder: string): Promise<ReadonlySet<string> | undefined> {
  const names = readdir(folder).then(
    (found) => new Set(found),
    () => undefined,
  );
  return within(LIMIT_MS, names, () => undefined);
}
