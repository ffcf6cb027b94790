/**
 * The data broadcast of a recording as lines for a client, `{at, message}` (`lib/wire/data-broadcast.ts`): first the state at
 * a time, as one who joined a live station then would get it, then what follows.
 */
import type { FileHandle } from 'node:fs/promises';
import { type Pts90k, TICKS_PER_MS, TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import { type CutList, toEncoded, toOriginal } from '../model/recording-time.ts';
import { type LogEntry, payloadOf, unpackMessage } from './data-file-format.ts';
import type { DataFileIndex } from './data-file-index.ts';
import { type IndexPiece, pieceHolding, timeInPieces } from './recording-index.ts';

/** Documents show clocks with seconds. */
const CLOCK_STEP = TICKS_PER_SECOND;
/** A damaged scale gives no endless clock: no recording is longer than two days. */
const MAX_TIME = 48 * 3_600 * TICKS_PER_SECOND;
/** Applied before other work continues: a few ms. */
const ENTRIES_A_TURN = 4_096;
/** After everything else (`data-items.ts`). */
const CLOCK_RANK = 6;

interface DataLinesOptions {
  readonly file: Pick<FileHandle, 'read'>;
  readonly index: DataFileIndex;
  /** Of the encoded file whose times are wanted; null: those of the original. */
  readonly cuts: CutList;
  /** s. */
  readonly from: number;
}

interface State {
  readonly blob: number;
  readonly rank: number;
}

/** Made of the same index while that grows: `more` continues where it was. */
export class DataLines {
  readonly #state = new Map<string, State>();
  /** Index of the next entry. */
  #next = 0;
  /** Ticks of the original. Times never run backwards. */
  #time = 0;
  #clock: { readonly at: number; readonly time: number } | undefined;
  #clockSentAt = 0;
  #hasBegun = false;

  constructor(private readonly options: DataLinesOptions) {}

  /** Lines of what the index has by now, each with its end of line. @throws errors of reading */
  async *more(): AsyncGenerator<string> {
    const { index } = this.options;
    const { pieces } = index;
    if (pieces === undefined) return;
    if (!this.#hasBegun) await this.#skip(pieces);
    if (!this.#hasBegun) yield* this.#begin();
    while (this.#next < index.entries.length) {
      const entry = index.entries[this.#next] as LogEntry;
      const time = Math.max(this.#time, timeOf(entry, pieces));
      yield* this.#clockUntil(time);
      this.#time = time;
      this.#next += 1;
      this.#apply(entry);
      yield* this.#lines(entry);
    }
    if (index.isFinal) yield* this.#clockUntil(lengthOf(pieces));
  }

  async *#begin(): AsyncGenerator<string> {
    this.#hasBegun = true;
    const { from } = this.options;
    const states = [...this.#state.values()].sort((one, other) => one.rank - other.rank);
    for (const { blob } of states.filter(({ rank }) => rank < CLOCK_RANK)) yield* this.#line(from, blob);
    const clock = this.#clock;
    if (clock === undefined) return;
    const reached = Math.min(toOriginal(from * 1000, this.options.cuts) * TICKS_PER_MS, this.#reached());
    this.#clockSentAt = Math.max(clock.time, this.#time, reached);
    yield this.#clockLine(this.#clockSentAt, from);
  }

  /** End of what is known, ticks. */
  #reached(): number {
    const { entries, isFinal, pieces = [] } = this.options.index;
    const last = entries.at(-1);
    return isFinal ? lengthOf(pieces) : last === undefined ? 0 : timeOf(last, pieces);
  }

  /** To the first entry after `from`. */
  async #skip(pieces: readonly IndexPiece[]): Promise<void> {
    const { entries } = this.options.index;
    for (; this.#next < entries.length; this.#next += 1) {
      const entry = entries[this.#next] as LogEntry;
      const time = Math.max(this.#time, timeOf(entry, pieces));
      if (this.#seconds(time) > this.options.from) return;
      this.#time = time;
      this.#apply(entry);
      if (this.#next % ENTRIES_A_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #apply(entry: LogEntry): void {
    const [, , op] = entry;
    if (op === 's') {
      const [, , , key, rank, blob] = entry;
      this.#state.delete(key);
      this.#state.set(key, { blob, rank });
    } else if (op === 'c') {
      for (const key of this.#state.keys()) if (key.startsWith(entry[3])) this.#state.delete(key);
    } else if (op === 't') {
      this.#clock = { at: entry[3], time: this.#time };
      this.#clockSentAt = this.#time;
    } else if (op === 'g') this.#clock = undefined;
  }

  async *#lines(entry: LogEntry): AsyncGenerator<string> {
    const [, , op] = entry;
    const at = this.#seconds(this.#time);
    if (op === 's') yield* this.#line(at, entry[5]);
    else if (op === 'e') yield* this.#line(at, entry[3]);
    else if (op === 't') yield this.#clockLine(this.#time, at);
  }

  /** Every second, as a live viewer gets it. */
  *#clockUntil(time: number): Generator<string> {
    while (this.#clock !== undefined && this.#clockSentAt + CLOCK_STEP <= time) {
      this.#clockSentAt += CLOCK_STEP;
      yield this.#clockLine(this.#clockSentAt, this.#seconds(this.#clockSentAt));
    }
  }

  #clockLine(time: number, at: number): string {
    const { at: then, time: since } = this.#clock ?? { at: 0, time };
    const now = Math.round(then + (time - since) / TICKS_PER_MS);
    return lineOf(at, JSON.stringify({ type: 'currentTime', at: now }));
  }

  async *#line(at: number, blob: number): AsyncGenerator<string> {
    const message = await this.#message(blob);
    if (message !== undefined) yield lineOf(at, message);
  }

  async #message(blob: number): Promise<string | undefined> {
    const { file, index } = this.options;
    const place = index.blobs[blob];
    if (place === undefined) return undefined;
    const frame = new Uint8Array(place.length);
    const { bytesRead } = await file.read(frame, 0, frame.length, place.at);
    const payload = bytesRead === frame.length ? payloadOf(frame) : undefined;
    return payload === undefined ? undefined : unpackMessage(payload);
  }

  /** On the scale that was asked for, not before `from`. */
  #seconds(ticks: number): number {
    const ms = toEncoded(ticks / TICKS_PER_MS, this.options.cuts);
    const seconds = Math.round(ms) / 1000;
    return this.#hasBegun ? Math.max(this.options.from, seconds) : seconds;
  }
}

/** @param message JSON */
function lineOf(at: number, message: string): string {
  return `{"at":${at},"message":${message}}\n`;
}

function lengthOf(pieces: readonly IndexPiece[]): number {
  const last = pieces.at(-1);
  return last === undefined ? 0 : Math.min(MAX_TIME, last.start + last.length);
}

/** Ticks, within the piece of the entry's octet: a clock runs somewhat before the pictures. */
function timeOf([octet, stamp]: LogEntry, pieces: readonly IndexPiece[]): number {
  const piece = pieceHolding(pieces, octet);
  if (piece === undefined) return 0;
  const share = Math.min(1, Math.max(0, (octet - piece.from) / Math.max(1, piece.to - piece.from)));
  const media =
    stamp === null ? piece.start + share * piece.length : (timeInPieces(pieces, stamp as Pts90k, octet) ?? 0);
  const isLast = piece === pieces.at(-1);
  const end = isLast ? MAX_TIME : Math.min(MAX_TIME, piece.start + piece.length);
  return Math.min(end, Math.max(piece.start, media));
}
