/** Whether recordings can be written anywhere. The answer is kept for a while, because anybody may ask (`/api/health`). */
import type { MonotonicClock, MonotonicMs } from '../../host/clock.ts';
import { folderProblem } from '../settings/folder-problem.ts';
import { type Folder, isFull } from './folder-selection.ts';
import type { FolderSpaces } from './folder-space.ts';

interface WritableFoldersOptions {
  readonly folders: () => readonly Folder[];
  readonly spaces: Pick<FolderSpaces, 'of'>;
  readonly clock: MonotonicClock;
}

const KEPT_MS = 5_000;

export class WritableFolders {
  #known: { readonly at: MonotonicMs; readonly any: Promise<boolean> } | undefined;

  constructor(private readonly options: WritableFoldersOptions) {}

  /** Whether at least one folder is there, has space and can be written. Never rejects. */
  any(): Promise<boolean> {
    const now = this.options.clock();
    if (this.#known === undefined || now - this.#known.at > KEPT_MS) {
      this.#known = { at: now, any: this.#any().catch(() => false) };
    }
    return this.#known.any;
  }

  async #any(): Promise<boolean> {
    const { folders, spaces } = this.options;
    const usable = await Promise.all(
      folders().map(async ({ path }) => {
        // A folder that hangs is not accessed further.
        const space = await spaces.of(path);
        return space !== undefined && !isFull(space.freeBytes) && (await folderProblem(path)) === undefined;
      }),
    );
    return usable.includes(true);
  }
}
