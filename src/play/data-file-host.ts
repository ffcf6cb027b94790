/**
 * The background worker's side of the data broadcast of recordings: reads the original, also while it grows, and appends
 * what it finds to its file (`media/data-file-format.ts`). The recording knows nothing of it: it is read behind what was
 * written, so that the original itself is the queue.
 *
 * A file that a killed process left is continued: its torn end is cut off, and the stream is read from a little before, to
 * know the carousels again. One that belongs to other octets is made again.
 */
import { constants } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sleepUnlessAborted } from '../../lib/host/deadline.ts';
import { MAGIC } from '../media/data-file-format.ts';
import { DataFileIndex } from '../media/data-file-index.ts';
import { DataFileWriter } from '../media/data-file-writer.ts';
import { DataReplay } from '../media/data-replay.ts';
import { RecordingBytes } from '../media/recording-bytes.ts';
import { type IndexPiece, pieceHolding } from '../media/recording-index.ts';
import { syncFolder } from '../reception/recorded-file.ts';
import type { SideItem } from '../reception/side-item.ts';
import type { DataFileAnswer, DataFileAsk } from './side-file-messages.ts';

/** Recordings in progress whose state is kept, some MB each; further ones are read again from a little before. */
const MAX_KEPT = 32;
const BLOCK_BYTES = 1024 * 1024;
/** Read in one turn of the event loop: some ms, also where it is all modules. */
const PIECE_BYTES = 128 * 1024;
/** Written at once while an old recording is read. */
const APPEND_BYTES = 16 * BLOCK_BYTES;
/** A carousel comes round in 20 s, with 24 Mbit/s. */
const WARM_BYTES = 64 * 1024 * 1024;

/** One stream, as far as it was read. */
class Making {
  /** Octets read. */
  read = 0;
  /** End of the file; 0: there is none. */
  end = 0;
  pieces: readonly IndexPiece[] = [];
  isFinal = false;
  #replay: DataReplay;
  /** Position of the first octet that was read. */
  #first = 0;
  /** Items of octets before this are known already. */
  #from = 0;
  /** The reader's state at `#from`, by key; undefined once it was compared. */
  #warm: Map<string, SideItem> | undefined;

  constructor(
    private readonly station: Pick<DataFileAsk, 'serviceId' | 'broadcaster'>,
    private writer = new DataFileWriter(),
  ) {
    this.#replay = this.#start();
  }

  /** Continues a file. */
  static resume(ask: DataFileAsk, index: DataFileIndex): Making {
    const making = new Making(ask, new DataFileWriter(index));
    const piece = pieceHolding(ask.pieces, Math.max(0, index.read - 1));
    making.read = making.#first = Math.max(piece?.from ?? 0, index.read - WARM_BYTES);
    making.end = index.end;
    making.pieces = index.pieces ?? [];
    making.isFinal = index.isFinal;
    making.#from = index.read;
    making.#warm = new Map();
    return making;
  }

  /** Octets of the original that the file covers. */
  get covered(): number {
    return this.isFinal ? this.read : Math.max(this.#from, this.#replay.position);
  }

  feed(block: Uint8Array, at: number): void {
    this.#replay.feed(block, at);
    this.read += block.length;
  }

  /** Before the next octet there is a gap, or the clock jumps. */
  gap(): void {
    if (this.read === this.#first) return;
    this.#replay.end();
    // What the reader knew before does not count for what follows.
    if (this.read >= this.#from) this.#warm = undefined;
    this.writer.gap(this.read);
    this.#replay = this.#start();
  }

  finish(): void {
    this.#replay.end();
    this.isFinal = true;
  }

  get isLoaded(): boolean {
    return this.writer.isLoaded;
  }

  /** What was found since the last call. Nothing before there is a data broadcast. */
  found(pieces: readonly IndexPiece[]): Uint8Array {
    this.pieces = pieces;
    if (!this.writer.hasData) {
      if (this.writer.isLoaded) {
        this.writer = new DataFileWriter();
        this.#replay = this.#start();
      }
      return new Uint8Array(0);
    }
    const frames = this.writer.flush(this.covered, pieces, this.isFinal);
    return Buffer.concat(this.end === 0 ? [MAGIC, ...frames] : frames);
  }

  #start(): DataReplay {
    return new DataReplay({
      ...{ serviceId: this.station.serviceId, broadcaster: this.station.broadcaster },
      give: (item, place) => {
        if (this.#warm === undefined) this.writer.take(item, place);
        else if (place.octet < this.#from) keep(this.#warm, item);
        else {
          const known = [...this.#warm.values()];
          this.#warm = undefined;
          for (const one of [...known, item]) this.writer.take(one, place);
        }
      },
    });
  }
}

function keep(state: Map<string, SideItem>, item: SideItem): void {
  const { key, clears } = item;
  if (clears !== undefined)
    for (const known of [...state.keys()]) if (known.startsWith(clears)) state.delete(known);
  if (key === null) return;
  state.delete(key);
  state.set(key, item);
}

export class DataFileHost {
  /** The least recently used first. */
  readonly #kept = new Map<string, Making>();
  /** Serialises the requests of a recording. */
  readonly #busy = new Map<string, Promise<unknown>>();

  /** @throws Failure if the stream cannot be read, errors of the file, the signal's reason */
  async write(ask: DataFileAsk, signal: AbortSignal): Promise<DataFileAnswer> {
    const before = this.#busy.get(ask.key) ?? Promise.resolve();
    const turn = before.then(() => this.#write(ask, signal));
    const settled = turn.catch(() => {});
    this.#busy.set(ask.key, settled);
    try {
      return await turn;
    } finally {
      if (this.#busy.get(ask.key) === settled) this.#busy.delete(ask.key);
    }
  }

  async #write(ask: DataFileAsk, signal: AbortSignal): Promise<DataFileAnswer> {
    const known = this.#kept.get(ask.key);
    this.#kept.delete(ask.key);
    const target = await Target.open(ask.path);
    try {
      const isCurrent = known !== undefined && isPrefix(known, ask) && known.end === target.size;
      const making = isCurrent ? known : await begin(ask, target);
      if (!making.isFinal) await readOn(making, ask, { target, signal });
      if (ask.grows) this.#keep(ask.key, making);
      return { bytes: making.end, isComplete: making.isFinal };
    } finally {
      await target.close();
    }
  }

  #keep(key: string, making: Making): void {
    this.#kept.set(key, making);
    const oldest = this.#kept.keys().next();
    if (this.#kept.size > MAX_KEPT && oldest.done !== true) this.#kept.delete(oldest.value);
  }
}

/** Continues the file, if it is of these octets. */
async function begin(ask: DataFileAsk, target: Target): Promise<Making> {
  const index = await target.index();
  const { read, pieces = [], isFinal } = index;
  const isWhole = !isFinal || (read === ask.size && !ask.grows);
  if (index.end > 0 && pieces.length > 0 && isWhole && isPrefix({ read, pieces }, ask)) {
    await target.cut(index.end);
    return Making.resume(ask, index);
  }
  await target.remove();
  return new Making(ask);
}

/**
 * Whether what was read is the beginning of these octets: they begin with the same picture, and no stretch of them moved.
 * Stretches may be found later; times are those of the last log.
 */
function isPrefix({ read, pieces }: Pick<Making, 'read' | 'pieces'>, ask: DataFileAsk): boolean {
  const [first] = pieces;
  if (read > ask.size || (first !== undefined && first.pts !== ask.pieces[0]?.pts)) return false;
  const places = new Map(ask.pieces.map(({ pts, from }) => [pts, from]));
  return pieces.every(({ pts, from }) => (places.get(pts) ?? from) === from);
}

interface Writing {
  readonly target: Target;
  readonly signal: AbortSignal;
}

async function readOn(making: Making, ask: DataFileAsk, writing: Writing): Promise<void> {
  if (making.read < ask.size) {
    const bytes = await RecordingBytes.open(() => ask.paths);
    try {
      await readBlocks(making, ask, { ...writing, bytes });
    } finally {
      await bytes.close();
    }
  }
  if (!ask.grows && making.read >= ask.size) making.finish();
  await append(making, ask, writing.target);
  if (making.isFinal) await writing.target.sync();
}

async function readBlocks(
  making: Making,
  ask: DataFileAsk,
  { bytes, target, signal }: Writing & { readonly bytes: RecordingBytes },
): Promise<void> {
  const { pieces, size, isBackground } = ask;
  let appendedAt = making.read;
  while (making.read < size) {
    signal.throwIfAborted();
    const at = making.read;
    if (pieces.some(({ from }, index) => index > 0 && from === at)) making.gap();
    const end = pieces.find(({ from }) => from > at)?.from ?? size;
    const began = performance.now();
    const block = await bytes.read(at, Math.min(BLOCK_BYTES, size - at, end - at));
    if (block.length === 0) return;
    for (let from = 0; from < block.length; from += PIECE_BYTES) {
      making.feed(block.subarray(from, from + PIECE_BYTES), at + from);
      // Requests and pings of the worker are not held up.
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (making.isLoaded || making.read - appendedAt >= APPEND_BYTES) {
      await append(making, ask, target);
      appendedAt = making.read;
    }
    if (isBackground) await sleepUnlessAborted(performance.now() - began, signal);
  }
}

async function append(making: Making, { pieces }: DataFileAsk, target: Target): Promise<void> {
  const bytes = making.found(pieces);
  await target.append(bytes, making.end);
  making.end += bytes.length;
}

const FLAGS = constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The file that is written; made when it is first appended to. */
class Target {
  /** When it was opened; 0: there was none. */
  readonly size: number;

  private constructor(
    private readonly path: string,
    private file: FileHandle | undefined,
    size: number,
  ) {
    this.size = size;
  }

  static async open(path: string): Promise<Target> {
    try {
      const file = await open(path, FLAGS);
      return new Target(path, file, (await file.stat()).size);
    } catch (error) {
      if ((error as { code?: unknown }).code === 'ENOENT') return new Target(path, undefined, 0);
      throw error;
    }
  }

  async index(): Promise<DataFileIndex> {
    const index = new DataFileIndex();
    if (this.file !== undefined) await index.refresh(this.file);
    return index;
  }

  async cut(end: number): Promise<void> {
    await this.file?.truncate(end);
  }

  async append(bytes: Uint8Array, at: number): Promise<void> {
    if (bytes.length === 0) return;
    this.file ??= await open(this.path, FLAGS | constants.O_CREAT);
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.file.write(bytes, done, bytes.length - done, at + done);
      done += bytesWritten;
    }
  }

  async sync(): Promise<void> {
    if (this.file === undefined) return;
    await this.file.datasync();
    await syncFolder(dirname(this.path));
  }

  async remove(): Promise<void> {
    if (this.file === undefined) return;
    await this.close();
    await unlink(this.path);
  }

  async close(): Promise<void> {
    await this.file?.close();
    this.file = undefined;
  }
}
