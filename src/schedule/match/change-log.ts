/** Log of changes in a guide, for invalidating caches derived from it. */
import type { ProgramId } from '../../../arib/ids.ts';

/** At least this many are kept, at most twice as many. */
const REMEMBERED = 5000;

export class ChangeLog {
  readonly #changes: ProgramId[] = [];
  #version = 0;

  /** Counts changes. */
  get version(): number {
    return this.#version;
  }

  /** A programme was added, changed or removed. */
  note(id: ProgramId): void {
    this.#version++;
    this.#changes.push(id);
    if (this.#changes.length > 2 * REMEMBERED) this.#changes.splice(0, REMEMBERED);
  }

  /** The log is incomplete before this moment: changes since earlier versions are unknown. */
  restart(): void {
    this.#version++;
    this.#changes.length = 0;
  }

  /**
   * Programmes that changed since a version, some of them twice; undefined if the log does not reach back that far.
   */
  since(version: number): readonly ProgramId[] | undefined {
    const count = this.#version - version;
    if (version < 0 || count > this.#changes.length) return undefined;
    return count === 0 ? [] : this.#changes.slice(-count);
  }
}
