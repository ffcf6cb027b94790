/** Recordings being watched, which must not be removed. Kept in memory only. */
import type { BroadcastMs } from '../../arib/time.ts';
import type { RecordingId } from '../model/ids.ts';

/** Players report their position every few seconds, and request data within minutes. */
const LATELY_MS = 600_000;

export class PlaybackActivity {
  /** By recording, in the order of the last activity. */
  readonly #seen = new Map<RecordingId, BroadcastMs>();

  constructor(private readonly now: () => BroadcastMs) {}

  /** A client reads it or reports its position. */
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
