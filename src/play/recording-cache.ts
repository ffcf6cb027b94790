/**
 * Files derived from recordings that can be created again: posters, previews, captions, audio. One folder per recording.
 * Bounded: beyond its size the previews and captions of the oldest recordings are removed.
 */
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../lib/host/files.ts';
import { type RecordingId, recordingId } from '../../lib/wire/ids.ts';
/** In the data folder; may be deleted while the service is not running. */
export const CACHE_FOLDER = 'recording-cache';
/** Some 1.2 MB per hour of recording: more than 1,500 hours. */
const MAX_BYTES = 2 * 1024 ** 3;
/** 50 kB each: never evicted. */
const KEPT = 'poster.jpg';
/** Of imported recordings. Not evicted either: the original that it was read from may be gone. */
const DATA = '.databroadcast';

interface RecordingCacheOptions {
  readonly folder: string;
  readonly maxBytes?: number | undefined;
}

interface CachedFile {
  readonly name: string;
  readonly size: number;
}

export class RecordingCache {
  constructor(private readonly options: RecordingCacheOptions) {}

  path(id: RecordingId, name: string): string {
    return join(this.options.folder, String(id), name);
  }

  /** Creates the folder of a recording. @returns the path for a file of that name */
  async place(id: RecordingId, name: string): Promise<string> {
    const path = this.path(id, name);
    await mkdir(join(this.options.folder, String(id)), { recursive: true });
    return path;
  }

  /** Undefined if it does not exist. */
  async read(id: RecordingId, name: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    try {
      return new Uint8Array(await readFile(this.path(id, name)));
    } catch {
      return undefined;
    }
  }

  async write(id: RecordingId, name: string, content: string | Uint8Array): Promise<void> {
    await writeFileAtomic(await this.place(id, name), content);
  }

  async remove(id: RecordingId, name: string): Promise<void> {
    await rm(this.path(id, name), { force: true });
  }

  /** Recordings that have files here, oldest first. */
  async ids(): Promise<RecordingId[]> {
    const names = await readdir(this.options.folder).catch((): string[] => []);
    return names
      .filter((name) => /^[0-9]{1,15}$/.test(name))
      .map((name) => recordingId(Number(name)))
      .sort((one, other) => one - other);
  }

  /** Removes all files of a recording. */
  async forget(id: RecordingId): Promise<void> {
    await rm(join(this.options.folder, String(id)), { recursive: true, force: true });
  }

  /** Reduces it to its maximum size, the oldest recordings first. */
  async trim(): Promise<void> {
    const { maxBytes = MAX_BYTES } = this.options;
    const folders: { id: RecordingId; files: CachedFile[] }[] = [];
    for (const id of await this.ids()) folders.push({ id, files: await this.#files(id) });
    let total = folders.flatMap(({ files }) => files).reduce((sum, { size }) => sum + size, 0);
    for (const { id, files } of folders) {
      if (total <= maxBytes) return;
      for (const { name, size } of files) {
        if (name === KEPT || name.endsWith(DATA)) continue;
        await this.remove(id, name);
        total -= size;
      }
    }
  }

  async #files(id: RecordingId): Promise<CachedFile[]> {
    const names = await readdir(join(this.options.folder, String(id))).catch((): string[] => []);
    const files = names.map(async (name): Promise<CachedFile> => {
      const size = await stat(this.path(id, name)).then(
        (facts) => facts.size,
        () => 0,
      );
      return { name, size };
    });
    return Promise.all(files);
  }
}
