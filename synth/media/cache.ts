/**
 * The folder of finished loops. A file appears complete or not at all; if several processes need the same
 * one, the first makes it and the others wait.
 */
import { createHash } from 'node:crypto';
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
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ffmpeg } from './ffmpeg.ts';
import { type Loop, loopToBytes, readLoop } from './loop.ts';
import { audioArgs, makeLoop } from './make.ts';
import type { Recipe } from './recipes.ts';
import { FONT_WORD, videoArgs } from './video-args.ts';

/** The properties that determine the bytes of a recipe, independent of the project's folder. */
function recipeShape(recipe: Recipe): string {
  const args = recipe.kind === 'video' ? videoArgs(recipe) : audioArgs(recipe);
  return JSON.stringify([recipe, args]).replaceAll(FONT_WORD, 'font');
}

const known = new WeakMap<Recipe, string>();

/** Name of a recipe's file: a digest of everything that determines its bytes. */
export function recipeKey(recipe: Recipe): string {
  const found = known.get(recipe);
  if (found !== undefined) return found;
  const key = createHash('sha256').update(recipeShape(recipe)).digest('hex').slice(0, 24);
  known.set(recipe, key);
  return key;
}

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

/** ffmpeg uses little more than one core for one loop. */
const AT_ONCE = Math.min(2, availableParallelism());

function nameOf(recipe: Recipe): string {
  if (recipe.kind === 'audio') {
    const { sound, mode, beepHz, number, bitrate } = recipe;
    const which = sound === 'marks' ? `${mode} ${beepHz.join('/')} Hz` : String(number);
    return `audio ${sound} ${which} ${bitrate / 1000} kbit/s`;
  }
  const { plan, film, cadence, label } = recipe;
  return `video ${plan.codec} ${plan.width}x${plan.height} ${film} ${cadence} ${label}`;
}

/** Reports `prepare <done>/<total> <what>` for each loop made. @throws like MediaCache.get */
export async function prepare(
  cache: MediaCache,
  recipes: readonly Recipe[],
  report: (line: string) => void,
): Promise<void> {
  const missing = new Map<string, Recipe>();
  for (const recipe of recipes) if (!cache.has(recipe)) missing.set(recipeKey(recipe), recipe);
  const left = [...missing.values()];
  const total = left.length;
  let done = 0;
  const worker = async (): Promise<void> => {
    for (let recipe = left.shift(); recipe !== undefined; recipe = left.shift()) {
      await cache.get(recipe);
      done += 1;
      report(`prepare ${done}/${total} ${nameOf(recipe)}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
