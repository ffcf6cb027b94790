/** What changed in a guide, for caches of what was read out of it. */
import type { ProgramId } from '../../../arib/ids.ts';

/** At least so many are remembered, and twice as many at most. */
const REMEMBERED = 5000;

export class ChangeLog {
  readonly #changes: ProgramId[] = [];
  #version = 0;

  /** Counts changes. */
  get version(): number {
    return this.#version;
  }

  /** A programme was put, or removed. */
  note(id: ProgramId): void {
    this.#version++;
    this.#changes.push(id);
    if (this.#changes.length > 2 * REMEMBERED) this.#changes.splice(0, REMEMBERED);
  }

  /** What changed from now on is not known to follow what is remembered. */
  restart(): void {
    this.#version++;
    this.#changes.length = 0;
  }

  /** Programmes that changed since a version, some of them twice; undefined: it does not reach back so far. */
  since(version: number): readonly ProgramId[] | undefined {
    const count = this.#version - version;
    if (version < 0 || count > this.#changes.length) return undefined;
    return count === 0 ? [] : this.#changes.slice(-count);
  }
}
