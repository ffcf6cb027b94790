/**
 * Corrects the stored length of recordings to that of their index: a recorder counts what it received, a player what
 * it can show, so that lists and `playback` would differ by some tenths of a second.
 */
import { TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import type { Log } from '../../lib/host/log.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { RecordingIndex } from '../media/recording-index.ts';
import { Failure } from '../model/failure.ts';
import type { Hub } from '../notify/hub.ts';
import type { ListedRecording } from '../store/recording-list-store.ts';
import type { RecordingLengthStore } from '../store/recording-part-rows.ts';
import type { OpenRecordings } from './open-recordings.ts';

interface RecordingLengthsOptions {
  readonly find: (id: RecordingId) => ListedRecording | undefined;
  readonly open: Pick<OpenRecordings, 'open'>;
  readonly store: Pick<RecordingLengthStore, 'put'>;
  readonly hub: Pick<Hub, 'changed'>;
  readonly log: Log;
}

export class RecordingLengths {
  readonly #measuring = new Set<Promise<void>>();

  constructor(private readonly options: RecordingLengthsOptions) {}

  /** The recording was indexed. */
  note({ id, state, durationMs }: ListedRecording, { duration }: Pick<RecordingIndex, 'duration'>): void {
    const { store, hub, log } = this.options;
    const playable = Math.round((duration / TICKS_PER_SECOND) * 1000);
    if (state === 'recording' || durationMs === playable) return;
    try {
      store.put(id, playable);
      hub.changed('recordings');
    } catch (error) {
      // The next index corrects it.
      log.info('length of a recording not stored', { recording: id, error: String(error) });
    }
  }

  /** The recording has ended. */
  measure(id: RecordingId): void {
    const measuring = this.#measure(id).finally(() => this.#measuring.delete(measuring));
    this.#measuring.add(measuring);
  }

  async close(): Promise<void> {
    await Promise.all(this.#measuring);
  }

  /** Never rejects. */
  async #measure(id: RecordingId): Promise<void> {
    const { find, open, log } = this.options;
    const recording = find(id);
    if (recording === undefined) return;
    try {
      const opened = await open.open(recording);
      this.note(recording, opened.index);
      opened.close();
    } catch (error) {
      if (error instanceof Failure) return;
      log.info('length of a recording not measured', { recording: id, error: String(error) });
    }
  }
}
