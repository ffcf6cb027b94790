/** Publishes changes of recordings to clients, a few times a second at most. */
import type { RecordingProgress } from '../../lib/wire/recordings.ts';
import type { ChangeName, Hub } from '../notify/hub.ts';

const COALESCE_MS = 250;

export class RecordingChangeNotifier {
  readonly #waiting = new Set<ChangeName>();
  /** What a list shows of every running recording besides its size. */
  #shown = '';
  #seen: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(readonly hub: Hub) {}

  /** @param names further lists that show it */
  changed(...names: readonly ChangeName[]): void {
    if (this.#closed) return;
    for (const name of ['recordings' as const, ...names]) this.#waiting.add(name);
    this.#timer ??= setTimeout(() => this.#tell(), COALESCE_MS);
  }

  /**
   * Adds values that have no event of their own: losses, a slow disk. `check` compares them with those of its last
   * call.
   */
  watch({ cause, drops, slow, tunerId }: RecordingProgress): void {
    this.#seen.push(`${cause} ${drops} ${slow} ${tunerId}`);
  }

  check(): void {
    const seen = this.#seen.join('\n');
    this.#seen = [];
    if (seen === this.#shown) return;
    this.#shown = seen;
    this.changed();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #tell(): void {
    this.#timer = undefined;
    const names = [...this.#waiting];
    this.#waiting.clear();
    for (const name of names) this.hub.changed(name);
  }
}
