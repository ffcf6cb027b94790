/** Locates ffmpeg: FFMPEG_PATH, else PATH, else an `ffmpeg-static` that the user installed. */
import { accessSync, constants } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

interface FfmpegPlaces {
  /** FFMPEG_PATH or FFPROBE_PATH; if set, nothing else is tried. */
  path: string | undefined;
  /** PATH. */
  searchPath: string;
  /** Folders that are searched, with their parents, for `node_modules` with ffmpeg-static. */
  folders: readonly string[];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function* upwards(folder: string): Generator<string> {
  for (let current = resolve(folder); ; current = dirname(current)) {
    yield current;
    if (dirname(current) === current) return;
  }
}

/** An absolute path, or undefined if it was not found. */
export function findFfmpeg(places: FfmpegPlaces): string | undefined {
  if (places.path !== undefined) {
    const found = Bun.which(places.path, { PATH: places.searchPath });
    return found ?? (isExecutable(places.path) ? resolve(places.path) : undefined);
  }
  const onPath = Bun.which('ffmpeg', { PATH: places.searchPath });
  if (onPath !== null) return onPath;
  for (const start of places.folders) {
    for (const folder of upwards(start)) {
      const candidate = join(folder, 'node_modules', 'ffmpeg-static', 'ffmpeg');
      if (isExecutable(candidate)) return candidate;
    }
  }
  return undefined;
}

/** Whether it still exists. */
export function isThere(path: string): boolean {
  return isExecutable(path);
}
