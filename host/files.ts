/** Files that must be whole at any instant: written beside, synced, then renamed over. */
import { mkdirSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

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
