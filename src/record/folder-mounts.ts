/**
 * Whether a recording folder is there, or only the place where its disk is mounted. What is written beneath a mount
 * point is hidden as soon as the disk is back, and files that are not seen without it are not gone.
 *
 * Known by where a folder was mounted when a file was last made in it. Linux, proc(5): `/proc/self/mountinfo`; elsewhere
 * nothing is known.
 */
import { access, readFile, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { within } from '../../host/deadline.ts';

export interface MountMemory {
  /** Undefined: never used. */
  mountOf(folder: string): string | undefined;
  rememberMount(folder: string, mount: string): void;
  /** Files that were made in it and are known, the last first; no more than so many. */
  filesIn(folder: string, most: number): readonly string[];
}

/** `unknown`: it was not used yet, or this system does not tell. */
type Presence = 'there' | 'away' | 'unknown';

/** A network folder that is away may take for ever. */
const LIMIT_MS = 2_000;
const ROOT = '/';
/** Known files that are looked for where mounts speak against a folder. */
const WITNESSES = 20;

export class FolderMounts {
  /** Many recordings that begin at once are one use. */
  readonly #noting = new Map<string, Promise<void>>();

  constructor(
    private readonly memory: MountMemory,
    /** Mount points; undefined: not known. */
    private readonly mounts: () => Promise<ReadonlySet<string> | undefined> = readMounts,
  ) {}

  async look(folder: string): Promise<Presence> {
    const mount = this.#remembered(folder);
    if (mount === undefined) return 'unknown';
    if (mount === ROOT || (await this.mounts())?.has(mount) !== false) return 'there';
    // What is mounted when somebody asks for it is asked for.
    await inTime(access(folder));
    if ((await this.mounts())?.has(mount) !== false) return 'there';
    return (await this.#hasItsFiles(folder)) ? 'there' : 'away';
  }

  /**
   * Mounts also change where no disk does: a service manager that shields the file system mounts folders onto
   * themselves. What has most of its files is there.
   */
  async #hasItsFiles(folder: string): Promise<boolean> {
    let files: readonly string[];
    try {
      files = this.memory.filesIn(folder, WITNESSES);
    } catch {
      return false;
    }
    const found = await inTime(Promise.all(files.map((path) => access(path).then(isTrue, isFalse))));
    const seen = found?.filter((one) => one).length ?? 0;
    return seen > 0 && seen * 2 >= files.length;
  }

  async isAway(folder: string): Promise<boolean> {
    return (await this.look(folder)) === 'away';
  }

  /** A file is made in it now. What cannot be stored now is stored with the next: never rejects. */
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
      // A recording does not fail by it.
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

/** The folder without links, or the nearest one above it that is there. */
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
