/**
 * Whether a recording folder is available, or is only the mount point of a missing disk. Files written below a mount
 * point are hidden once the disk is mounted, and files that are invisible without it are not lost.
 *
 * Remembers the mount point of each folder at the last file created in it. Linux, proc(5): `/proc/self/mountinfo`;
 * other systems give no information. While this process runs, also which folder it is: one that was renamed, or
 * covered by a mount, is unavailable as long as most of its files are. Which folder a file was written to:
 * `FolderIdentities`.
 */
import { access, readdir, readFile, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { within } from '../../lib/host/deadline.ts';
import { type FolderIdentities, identityOf } from './folder-identities.ts';

export interface MountMemory {
  /** Undefined if the folder was never used. */
  mountOf(folder: string): string | undefined;
  rememberMount(folder: string, mount: string): void;
  /** Known files created in it, newest first, at most `most`. */
  filesIn(folder: string, most: number): readonly string[];
}

/** `unknown`: the folder was not used yet, or this system has no mount information. */
type Presence = 'there' | 'away' | 'unknown';

/** A missing network share may block forever. */
const LIMIT_MS = 2_000;
const ROOT = '/';
/** Number of known files to check when the mount information says that the folder is unavailable. */
const WITNESSES = 20;

export class FolderMounts {
  /** Many recordings that begin at once count as one use. */
  readonly #noting = new Map<string, Promise<void>>();
  /** Device and inode of each folder. */
  readonly #identities = new Map<string, string>();

  constructor(
    private readonly memory: MountMemory,
    /** Mount points; undefined: not known. */
    private readonly mounts: () => Promise<ReadonlySet<string> | undefined> = readMounts,
    private readonly identities?: FolderIdentities,
  ) {}

  async look(folder: string): Promise<Presence> {
    const before = this.#identities.get(folder);
    const identity = await identityOf(folder);
    if (before !== undefined && identity !== before) {
      const files = this.#filesOf(folder);
      if (files.length > 0 && !(await areMostlyThere(files))) return 'away';
      this.#identities.delete(folder);
    }
    const presence = await this.#lookAtMount(folder);
    if (presence !== 'away' && identity !== undefined) this.#identities.set(folder, identity);
    return presence;
  }

  async #lookAtMount(folder: string): Promise<Presence> {
    const mount = this.#remembered(folder);
    if (mount === undefined) return 'unknown';
    if (mount === ROOT || (await this.mounts())?.has(mount) !== false) return 'there';
    // Mounts an automounted folder by accessing it.
    await inTime(access(folder));
    if ((await this.mounts())?.has(mount) !== false) return 'there';
    // Mounts can change without a disk change: a service manager that isolates the file system bind-mounts folders
    // onto themselves.
    return (await areMostlyThere(this.#filesOf(folder))) ? 'there' : 'away';
  }

  #filesOf(folder: string): readonly string[] {
    try {
      return this.memory.filesIn(folder, WITNESSES);
    } catch {
      return [];
    }
  }

  async isAway(folder: string): Promise<boolean> {
    return (await this.look(folder)) === 'away';
  }

  /**
   * Whether a file that does not exist was deleted: its folder is available, and is the one that it was written to.
   * Without information about the folder, an empty one may be a mount point.
   */
  async isDeleted(path: string): Promise<boolean> {
    const folder = dirname(path);
    const presence = await this.look(folder);
    if (presence === 'away') return false;
    const isInPlace = await this.#isInPlace(path);
    return isInPlace ?? (presence === 'there' || !(await isEmptyOrAway(folder)));
  }

  async #isInPlace(path: string): Promise<boolean | undefined> {
    try {
      return await this.identities?.isInPlace(path);
    } catch {
      return undefined;
    }
  }

  /** Called before files of a folder count as missing, and when one was written. Never rejects. */
  async identify(folder: string): Promise<void> {
    try {
      await this.identities?.note(folder);
    } catch {
      // Repeated with the next check.
    }
  }

  /** Called when a file is created in it. Never rejects: a failed write is repeated with the next file. */
  used(folder: string): Promise<void> {
    const noting = this.#noting.get(folder) ?? this.#note(folder).finally(() => this.#noting.delete(folder));
    this.#noting.set(folder, noting);
    return noting;
  }

  async #note(folder: string): Promise<void> {
    const points = await this.mounts();
    const real = points === undefined ? undefined : await inTime(nearest(folder));
    if (points === undefined || real === undefined) return;
    let at = real;
    while (at !== ROOT && !points.has(at)) at = dirname(at);
    try {
      if (this.memory.mountOf(folder) !== at) this.memory.rememberMount(folder, at);
    } catch {
      // Must not fail the recording.
    }
  }

  #remembered(folder: string): string | undefined {
    try {
      return this.memory.mountOf(folder);
    } catch {
      return undefined;
    }
  }
}

/** A folder that has most of its known files is available. */
async function areMostlyThere(files: readonly string[]): Promise<boolean> {
  const found = await inTime(Promise.all(files.map((path) => access(path).then(isTrue, isFalse))));
  const seen = found?.filter((one) => one).length ?? 0;
  return seen > 0 && seen * 2 >= files.length;
}

/** An empty mount point has none of the expected files. */
export async function isEmptyOrAway(folder: string): Promise<boolean> {
  return readdir(folder).then(
    (names) => names.length === 0,
    () => true,
  );
}

/** The folder with links resolved, or its nearest existing parent. */
async function nearest(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    try {
      return await realpath(at);
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ENOENT' || at === dirname(at)) return undefined;
    }
  }
}

const isTrue = (): boolean => true;
const isFalse = (): boolean => false;

function inTime<T>(act: Promise<T>): Promise<T | undefined> {
  return within(
    LIMIT_MS,
    act.catch(() => undefined),
    () => undefined,
  );
}

async function readMounts(): Promise<ReadonlySet<string> | undefined> {
  const text = await readFile('/proc/self/mountinfo', 'utf8').catch(() => undefined);
  return text === undefined ? undefined : parseMounts(text);
}

/** The fifth field of each line; blanks and the like stand as `\040`. */
export function parseMounts(text: string): ReadonlySet<string> {
  const points = text
    .split('\n')
    .flatMap((line) => line.split(' ')[4] ?? [])
    .map((point) =>
      point.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
    );
  return new Set(points);
}
