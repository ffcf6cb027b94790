/** Which recordings are being watched: they are not removed meanwhile. Kept in memory only. */
import type { BroadcastMs } from '../../arib/time.ts';
import type { RecordingId } from '../model/ids.ts';

/** Players tell their position every few seconds, and read on within minutes. */
const LATELY_MS = 600_000;

export class PlaybackActivity {
  /** By recording; what was seen last is last. */
  readonly #seen = new Map<RecordingId, BroadcastMs>();

  constructor(private readonly now: () => BroadcastMs) {}

  /** Somebody reads it, or says how far he is. */
  note(id: RecordingId): void {
    this.#seen.delete(id);
    this.#seen.set(id, this.now());
    for (const other of this.#seen.keys()) {
      if (this.isWatched(other)) break;
      this.#seen.delete(other);
    }
  }

  isWatched(id: RecordingId): boolean {
    const at = this.#seen.get(id);
    return at !== undefined && Math.abs(this.now() - at) < LATELY_MS;
  }
}
