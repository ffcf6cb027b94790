/**
 * The folder of finished loops. A file appears complete or not at all; if several processes need the same
 * one, the first makes it and the others wait.
 */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ffmpeg } from './ffmpeg.ts';
import { type Loop, loopToBytes, readLoop } from './loop.ts';
import { makeLoop } from './make.ts';
import { recipeKey } from './recipe-key.ts';
import type { Recipe } from './recipes.ts';

/** Making one loop takes less, even on a slow machine with all cores busy. */
const WAIT_LIMIT_MS = 300_000;
const WAIT_STEP_MS = 50;
/** Loops of a test's own scenario are kept for the next days. */
const STALE_MS = 7 * 86_400_000;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export class MediaCache {
  constructor(
    private readonly folder: string,
    private readonly ffmpeg: Ffmpeg,
  ) {}

  #path(recipe: Recipe): string {
    return join(this.folder, `${recipeKey(recipe)}.loop`);
  }

  has(recipe: Recipe): boolean {
    return existsSync(this.#path(recipe));
  }

  /** The finished loop, if it exists. */
  read(recipe: Recipe): Loop | undefined {
    const path = this.#path(recipe);
    return existsSync(path) ? readLoop(path) : undefined;
  }

  /** The loop, which is made if necessary. @throws FfmpegError, MediaError, the file system's error */
  async get(recipe: Recipe): Promise<Loop> {
    return this.read(recipe) ?? (await this.#make(recipe));
  }

  /**
   * Removes old files that no recipe of `keep` names: loops of earlier editions and of removed scenarios,
   * leftovers of killed processes.
   */
  prune(keep: readonly Recipe[], now: number): void {
    if (!existsSync(this.folder)) return;
    const kept = new Set(keep.map((recipe) => `${recipeKey(recipe)}.loop`));
    for (const name of readdirSync(this.folder)) {
      const path = join(this.folder, name);
      const age = now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now);
      if (/\.(loop|tmp|lock)$/.test(name) && !kept.has(name) && age > STALE_MS) rmSync(path, { force: true });
    }
  }

  async #make(recipe: Recipe): Promise<Loop> {
    mkdirSync(this.folder, { recursive: true });
    const path = this.#path(recipe);
    const lock = `${path}.lock`;
    for (let waited = 0; !this.#takeLock(lock); waited += WAIT_STEP_MS) {
      if (waited > WAIT_LIMIT_MS) throw new Error(`${lock} is held for too long`);
      await sleep(WAIT_STEP_MS);
    }
    try {
      const made = this.read(recipe);
      if (made !== undefined) return made;
      const loop = await makeLoop(this.ffmpeg, recipe);
      const temporary = `${path}.${process.pid}.tmp`;
      await writeFile(temporary, loopToBytes(loop));
      renameSync(temporary, path);
      return loop;
    } finally {
      rmSync(lock, { force: true });
    }
  }

  /** A lock file holds the process id of its owner; a dead owner's lock is stale. */
  #takeLock(lock: string): boolean {
    try {
      const file = openSync(lock, 'wx');
      writeSync(file, String(process.pid));
      closeSync(file);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      this.#dropDeadLock(lock);
      return false;
    }
  }

  #dropDeadLock(lock: string): void {
    try {
      const owner = readFileSync(lock, 'utf8');
      // Empty for the moment between its creation and its first write.
      if (owner !== '' && !isAlive(Number(owner))) rmSync(lock, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}
