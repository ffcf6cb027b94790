/** Files that must be complete at any time: written to a temporary file, synced, then renamed. */
import { mkdirSync } from 'node:fs';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Others than the user and its group cannot read files that this process and its children make. */
const OTHERS = 0o027;

/** For the start of a program: also where no systemd unit sets `UMask`. A stricter mask is kept. */
export function keepFilesPrivate(): void {
  process.umask(process.umask() | OTHERS);
}

let serial = 0;

/**
 * Replaces a file's content atomically: a crash leaves the old or the new one, never a mixture.
 * @throws the file system's error; the old file is not changed then.
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
  // The rename is only durable once the directory is on disk.
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Removes temporary files that a process killed inside `writeFileAtomic` left beside the file. Only files with its
 * names, and only those last written before `before` (epoch ms, this process's start): others may be in use.
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
      // Already removed, or not permitted: it only uses space.
    }
  }
}
