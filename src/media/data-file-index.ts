/**
 * The contents of a file with the data broadcast of a recording (`data-file-format.ts`): its log, and where its messages
 * are. Reads a file that may still grow, and whose end may be torn off; what is damaged is left out. Bounded: entries and
 * blobs beyond those that a writer makes are ignored.
 */
import type { FileHandle } from 'node:fs/promises';
import {
  FRAME,
  FRAME_HEAD_BYTES,
  frameAt,
  HASH_BYTES,
  type LogEntry,
  MAGIC,
  MAX_ENTRIES,
  payloadOf,
  unpackLog,
} from './data-file-format.ts';
import type { IndexPiece } from './recording-index.ts';

const WINDOW_BYTES = 256 * 1024;
const MAX_BLOBS = 500_000;
/** Read before other work continues: some ms. */
const ENTRIES_A_TURN = 4_096;
/** Logs are written every few seconds. */
const MAX_FRAMES = 1_500_000;

interface BlobPlace {
  /** Of its frame, octets. */
  readonly at: number;
  readonly length: number;
  /** As a string of octets. */
  readonly hash: string;
}

export class DataFileIndex {
  readonly entries: LogEntry[] = [];
  readonly blobs: BlobPlace[] = [];
  pieces: readonly IndexPiece[] | undefined;
  /** Octets of the original that were read. */
  read = 0;
  isFinal = false;
  /** End of the last log: what is behind it was not finished. */
  end = 0;
  #found: BlobPlace[] = [];
  #at = 0;
  #frames = 0;
  #window = new Uint8Array(0);
  #windowAt = 0;

  /** Reads on from where it was. @throws errors of reading */
  async refresh(file: Pick<FileHandle, 'read'>): Promise<void> {
    // What could not be read then may be complete now.
    this.#window = new Uint8Array(0);
    this.#at = this.end;
    this.#found = [];
    if (this.end === 0) {
      const magic = await this.#bytes(file, 0, MAGIC.length);
      if (Buffer.compare(magic, MAGIC) !== 0) return;
      this.#at = this.end = MAGIC.length;
    }
    let taken = this.entries.length;
    while (await this.#frame(file)) {
      if (this.entries.length - taken < ENTRIES_A_TURN) continue;
      taken = this.entries.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** @returns whether there may be another */
  async #frame(file: Pick<FileHandle, 'read'>): Promise<boolean> {
    const position = this.#at;
    this.#frames += 1;
    if (this.#frames > MAX_FRAMES) return false;
    const found = frameAt(await this.#bytes(file, position, FRAME_HEAD_BYTES), position);
    if (found === undefined) return false;
    if (found.type === FRAME.blob) {
      const hash = await this.#bytes(file, found.at, Math.min(HASH_BYTES, found.length));
      const place = {
        at: position,
        length: found.end - position,
        hash: Buffer.from(hash).toString('latin1'),
      };
      this.#found.push(place);
      if (this.#found.length > MAX_BLOBS) return false;
    } else if (found.type === FRAME.log) {
      const payload = payloadOf(await this.#bytes(file, position, found.end - position));
      const log = payload === undefined ? undefined : unpackLog(payload);
      if (log === undefined) return false;
      for (const place of this.#found) this.blobs.push(place);
      this.#found = [];
      if (this.entries.length + log.entries.length > 2 * MAX_ENTRIES || this.blobs.length > MAX_BLOBS)
        return false;
      for (const entry of log.entries) this.entries.push(entry);
      this.read = log.read;
      this.pieces = log.pieces ?? this.pieces;
      this.isFinal = log.isFinal ?? false;
      this.end = found.end;
    }
    this.#at = found.end;
    return true;
  }

  /** Fewer at the end of the file. Large ranges are read alone, small ones by the window. */
  async #bytes(file: Pick<FileHandle, 'read'>, at: number, length: number): Promise<Uint8Array> {
    const inside = at - this.#windowAt;
    if (inside >= 0 && inside + length <= this.#window.length)
      return this.#window.subarray(inside, inside + length);
    const window = new Uint8Array(Math.max(length, WINDOW_BYTES));
    const { bytesRead } = await file.read(window, 0, window.length, at);
    this.#window = window.subarray(0, bytesRead);
    this.#windowAt = at;
    return this.#window.subarray(0, length);
  }
}
