/** Faults that are switched on and off while channels are on the air: a JSON file that is polled. */
import { readFileSync, statSync } from 'node:fs';
import { Field, ScenarioError } from '../scenario/fields.ts';
import { readFault } from './file.ts';
import type { Fault, Faults } from './model.ts';

/** Interval between checks of the file's modification time. */
const LOOK_MS = 50;
const MAX_BYTES = 1_000_000;

/** `{"faults": […]}`, or only the list. @throws ScenarioError, SyntaxError */
function parseFaults(text: string): Fault[] {
  const json: unknown = JSON.parse(text);
  const root = new Field(json, '');
  return (Array.isArray(json) ? root : root.object(['faults']).faults).list(readFault);
}

export class ControlFile implements Faults {
  #faults: readonly Fault[] = [];
  #lookedAt = Number.NEGATIVE_INFINITY;
  #seen = '';

  /**
   * @param now monotonic milliseconds @param complain called once for each unreadable version of the file;
   * the previous faults stay
   */
  constructor(
    private readonly path: string,
    private readonly now: () => number,
    private readonly complain: (message: string) => void,
  ) {}

  /** Empty while the file does not exist. */
  get current(): readonly Fault[] {
    const at = this.now();
    if (at - this.#lookedAt >= LOOK_MS) {
      this.#lookedAt = at;
      this.#look();
    }
    return this.#faults;
  }

  #look(): void {
    const state = statSync(this.path, { throwIfNoEntry: false });
    const seen = state === undefined ? '' : `${state.mtimeMs}/${state.size}/${state.ino}`;
    if (seen === this.#seen) return;
    this.#seen = seen;
    if (state === undefined) {
      this.#faults = [];
      return;
    }
    try {
      if (state.size > MAX_BYTES) throw new ScenarioError('大きすぎます');
      this.#faults = parseFaults(readFileSync(this.path, 'utf8'));
    } catch (error) {
      this.complain(`${this.path}: ${(error as Error).message}`);
    }
  }
}
