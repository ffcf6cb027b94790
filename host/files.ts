/** Files that must be whole at any instant: written beside, synced, then renamed over. */
import { mkdirSync } from 'node:fs';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

let serial = 0;

/**
 * Replaces a file's content atomically: a crash leaves the old or the new one, never a mixture.
 * @throws the file system's error; the old file is then untouched.
 */
export async function writeFileAtomic(path: string, content: string | Uint8Array): Promise<void> {
  const directory = dirname(path);
  mkdirSync(directory, { recursive: true });
  serial += 1;
  const temporary = `${path}.${process.pid}.${serial}.tmp`;
  try {
    const file = await open(temporary, 'w', 0o644);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  // The rename itself is durable only once the directory is on disk.
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Removes what a process that was killed inside `writeFileAtomic` left beside the file. Only names that it makes,
 * and only files last written before `before` (epoch ms, this process's start): others may be in the making.
 */
export async function removeLeftovers(path: string, before: number): Promise<void> {
  const directory = dirname(path);
  const names = await readdir(directory).catch(() => []);
  for (const name of names) {
    if (
      !name.startsWith(`${basename(path)}.`) ||
      !/^\d+\.\d+\.tmp$/.test(name.slice(basename(path).length + 1))
    ) {
      continue;
    }
    const leftover = join(directory, name);
    try {
      if ((await stat(leftover)).mtimeMs < before) await rm(leftover, { force: true });
    } catch {
      // Gone meanwhile, or not ours to remove: it only takes room.
    }
  }
}
