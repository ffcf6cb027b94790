/** The form of a program that a bench runs. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '..', '..', '..');

/** The executable if built, as users run it. */
export function executable(name: string, source: string): string[] {
  const built = join(ROOT, 'dist', name);
  return existsSync(built) ? [built] : [process.execPath, join(ROOT, source)];
}
