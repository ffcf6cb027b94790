/**
 * Original streams that are being watched: each is opened once, with its index, however many clients read it. Its
 * state is read again at each opening: a running recording grows, and its parts are joined at its end.
 */
import { splitStationId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import { type RecordingId, recordingId } from '../../lib/wire/ids.ts';
import { RecordingBytes } from '../media/recording-bytes.ts';
import type { WritingBreak } from '../media/recording-index.ts';
import { type RecordingIndex, RecordingIndexer } from '../media/recording-index.ts';
import { Failure } from '../model/failure.ts';
import type { RecordingSeam } from '../model/recording.ts';
import type { Measured } from '../model/verdict.ts';
import type { ListedRecording } from '../store/recording-list-store.ts';

interface RecordingFacts {
  /** Files of the original stream, in order. */
  originals(id: RecordingId): readonly string[];
  seams(id: RecordingId): readonly RecordingSeam[];
  /** null: the stored value is damaged. */
  measured(id: RecordingId): Measured | null;
  /** Epoch ms of the first packet; null: unknown. */
  beganAt(id: RecordingId): number | null;
}

/** An original stream in use; each user calls `close` once. */
export interface OpenRecording {
  readonly bytes: RecordingBytes;
  readonly index: RecordingIndex;
  /** Current sizes, parts and index. @throws Failure */
  renew(): Promise<RecordingIndex>;
  /** Changes when writing was interrupted or continues in another file. */
  breakCount(): number;
  /** @param at `once`: without waiting for further users, who would get the files as they were */
  close(at?: 'once'): void;
}

interface Shared {
  readonly opening: Promise<RecordingBytes>;
  users: number;
  index: RecordingIndex | undefined;
  renewing: Promise<RecordingIndex> | undefined;
  closing: ReturnType<typeof setTimeout> | undefined;
}

/**
 * A player that seeks closes one stream and opens another. Short, since an open file that was deleted still uses disk
 * space.
 */
const LINGER_MS = 10_000;
/** Limit of cached indexes; an index of a recording of hours has a few hundred entries. */
const MAX_INDEXERS = 64;
/** A seam is stored when its stream is opened; the first packet arrives within this time. */
const SEAM_MS = 15_000;

export class OpenRecordings {
  readonly #shared = new Map<RecordingId, Shared>();
  readonly #indexers = new Map<RecordingId, { indexer: RecordingIndexer; size: number }>();
  #isClosed = false;

  constructor(private readonly facts: RecordingFacts) {}

  /** @throws Failure not_found without a playable file, busy if its folder does not respond */
  async open(recording: ListedRecording): Promise<OpenRecording> {
    if (this.#isClosed) throw new Failure('busy', 'サーバーを終了しています。');
    const id = recordingId(recording.id);
    const shared = this.#shared.get(id) ?? this.#start(id, recording);
    shared.users += 1;
    clearTimeout(shared.closing);
    let isOpen = true;
    const close = (at?: 'once'): void => {
      if (!isOpen) return;
      isOpen = false;
      shared.users -= 1;
      // A stream that could not be opened was already removed: nothing is closed later.
      if (shared.users > 0 || this.#shared.get(id) !== shared) return;
      if (at === 'once') void this.#end(id, shared);
      else this.#linger(id, shared);
    };
    try {
      const bytes = await shared.opening;
      const renew = (): Promise<RecordingIndex> => this.#renew(id, recording, shared, bytes);
      await renew();
      return {
        bytes,
        get index() {
          if (shared.index === undefined) throw new Error('it is indexed when it is opened');
          return shared.index;
        },
        renew,
        breakCount: () => this.facts.seams(id).length + this.#paths(recording).length,
        close,
      };
    } catch (error) {
      close();
      throw error;
    }
  }

  /** Closes every file. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const [id, shared] of [...this.#shared]) await this.#end(id, shared);
  }

  #start(id: RecordingId, recording: ListedRecording): Shared {
    const opening = RecordingBytes.open(() => this.#paths(recording));
    const shared: Shared = { opening, users: 0, index: undefined, renewing: undefined, closing: undefined };
    this.#shared.set(id, shared);
    opening.catch(() => {
      if (this.#shared.get(id) === shared) this.#shared.delete(id);
    });
    return shared;
  }

  /** Imported recordings have a file and no parts. */
  #paths(recording: ListedRecording): readonly string[] {
    const originals = this.facts.originals(recording.id);
    if (originals.length > 0) return originals;
    return recording.files.filter(({ source }) => source === 'ts').map(({ path }) => path);
  }

  #linger(id: RecordingId, shared: Shared): void {
    shared.closing = setTimeout(() => void this.#end(id, shared), LINGER_MS);
    shared.closing.unref();
  }

  async #end(id: RecordingId, shared: Shared): Promise<void> {
    clearTimeout(shared.closing);
    if (this.#shared.get(id) === shared) this.#shared.delete(id);
    await shared.opening.then(
      (bytes) => bytes.close(),
      () => {},
    );
  }

  #renew(
    id: RecordingId,
    recording: ListedRecording,
    shared: Shared,
    bytes: RecordingBytes,
  ): Promise<RecordingIndex> {
    shared.renewing ??= this.#index(id, recording, shared, bytes).finally(() => {
      shared.renewing = undefined;
    });
    return shared.renewing;
  }

  async #index(
    id: RecordingId,
    recording: ListedRecording,
    shared: Shared,
    bytes: RecordingBytes,
  ): Promise<RecordingIndex> {
    await bytes.refresh();
    if (shared.index?.size === bytes.size) return shared.index;
    if (bytes.size === 0) throw new Failure('not_found', 'この録画のファイルは空です。');
    const index = await this.#indexer(id, bytes.size).index({
      source: bytes,
      ...this.#times(id, bytes),
      serviceId: splitStationId(recording.stationId)?.serviceId,
    });
    shared.index = index;
    return index;
  }

  /** A file that became shorter is another file. */
  #indexer(id: RecordingId, size: number): RecordingIndexer {
    const known = this.#indexers.get(id);
    const kept =
      known !== undefined && known.size <= size ? known : { indexer: new RecordingIndexer(), size };
    kept.size = size;
    this.#indexers.delete(id);
    this.#indexers.set(id, kept);
    const oldest = this.#indexers.keys().next();
    if (this.#indexers.size > MAX_INDEXERS && oldest.done !== true) this.#indexers.delete(oldest.value);
    return kept.indexer;
  }

  #times(
    id: RecordingId,
    bytes: RecordingBytes,
  ): { breaks: WritingBreak[]; beganAt: BroadcastMs | undefined } {
    const measured = this.facts.measured(id);
    const begins = measured?.stretches.map(({ from }) => from) ?? [];
    const first = begins[0] ?? this.facts.beganAt(id) ?? undefined;
    const breaks: WritingBreak[] = [];
    for (const { path, start } of bytes.starts) {
      if (start === 0) continue;
      const from = measured?.files?.find((file) => file.path === path)?.from;
      breaks.push({ at: start, broadcastAt: from === undefined ? undefined : broadcastMs(from) });
    }
    for (const { path, position, kind, at } of this.facts.seams(id)) {
      const part = bytes.starts.find((one) => one.path === path);
      if (kind !== 'resumed' || part === undefined) continue;
      breaks.push({ at: part.start + position, broadcastAt: broadcastMs(nearest(begins, at)) });
    }
    return { breaks, beganAt: first === undefined ? undefined : broadcastMs(first) };
  }
}

/** The first packet received near a time; the time itself if there is none. */
function nearest(begins: readonly number[], at: number): number {
  const [best] = [...begins].sort((a, b) => Math.abs(a - at) - Math.abs(b - at));
  return best !== undefined && Math.abs(best - at) < SEAM_MS ? best : at;
}
