/**
 * Writes the data broadcast of a recording as frames of its file (`data-file-format.ts`): each distinct message once, and
 * what changes. Memory: a hash for each message of the file. Pure; the caller appends the frames.
 */
import { TICKS_PER_MS } from '../../lib/arib/time.ts';
import { LIVE_HEADER_BYTES } from '../../lib/wire/live-frames.ts';
import type { SideItem } from '../reception/side-item.ts';
import {
  FRAME,
  frameOf,
  type LogEntry,
  MAX_ENTRIES,
  messageHash,
  packLog,
  packMessage,
} from './data-file-format.ts';
import type { DataFileIndex } from './data-file-index.ts';
import type { ReplayPlace } from './data-replay.ts';
import type { IndexPiece } from './recording-index.ts';

/**
 * Broadcasters send some MB in an hour; 24 hours that change all the time have some 100 MB. A file that reaches a bound
 * ends with the state removed.
 */
const MAX_FILE_BYTES = 512 * 1024 * 1024;
/** Keys known: components of 256 modules. */
const MAX_KEYS = 8_192;
/** TOT have whole seconds, and come a little early or late. */
const CLOCK_JITTER_MS = 300;
/** A log without entries only tells how far was read. Twenty seconds of the fastest station. */
const SILENT_BYTES = 64 * 1024 * 1024;
/** One-second repetitions of event messages, some hours of them, as JSON. */
const MAX_PENDING_ENTRIES = 4_096;

export class DataFileWriter {
  readonly #state = new Map<string, number>();
  /** Keys of before a gap that were not sent again. */
  readonly #stale = new Set<string>();
  readonly #blobs = new Map<string, number>();
  #frames: Uint8Array[] = [];
  #entries: LogEntry[] = [];
  #anchor: { readonly at: number; readonly stamp: number } | undefined;
  #pieces = '';
  #bytes: number;
  #count: number;
  #isFull = false;
  /** As the last log said. */
  #read = 0;
  #hasData = false;

  /** @param index of a file that is continued */
  constructor(index?: DataFileIndex) {
    this.#bytes = index?.end ?? 0;
    this.#count = index?.entries.length ?? 0;
    for (const [number, { hash }] of (index?.blobs ?? []).entries()) this.#blobs.set(hash, number);
    this.#hasData = index !== undefined && index.end > 0;
    for (const entry of index?.entries ?? []) {
      if (entry[2] === 's') this.#state.set(entry[3], entry[5]);
      else if (entry[2] === 'c') this.#clear(entry[3]);
    }
    if (index?.pieces !== undefined) this.#pieces = JSON.stringify(startsOf(index.pieces));
    this.#renewAll();
  }

  /** A module was there: other streams get no file. */
  get hasData(): boolean {
    return this.#hasData;
  }

  take({ key, rank = 0, clears, frame }: SideItem, { octet, stamp: clock }: ReplayPlace): void {
    const stamp = clock ?? null;
    const place = [octet, stamp] as const;
    if (clears !== undefined && this.#clear(clears)) this.#add([...place, 'c', clears]);
    if (frame === undefined || this.#isFull) return;
    const message = frame.subarray(LIVE_HEADER_BYTES);
    if (key === 'currentTime') this.#clock(message, octet, stamp);
    else if (key === null) this.#add([...place, 'e', this.#blob(message, false)]);
    else this.#set(key, rank, message, place);
  }

  /** What follows does not continue what was before. A viewer's state stays, as far as it is sent again. */
  gap(octet: number): void {
    this.#anchor = undefined;
    this.#renewAll();
    this.#add([octet, null, 'g']);
  }

  /** Frames since the last call, to be appended. */
  flush(read: number, pieces: readonly IndexPiece[], isFinal: boolean): Uint8Array[] {
    const starts = JSON.stringify(startsOf(pieces));
    const isSame = starts === this.#pieces && !isFinal;
    if (isSame && this.#entries.length === 0 && read - this.#read < SILENT_BYTES) return [];
    this.#read = read;
    this.#pieces = starts;
    const frames = [
      ...this.#frames,
      packLog({
        read,
        entries: this.#entries,
        ...(isSame ? {} : { pieces }),
        ...(isFinal ? { isFinal } : {}),
      }),
    ];
    this.#frames = [];
    this.#entries = [];
    this.#bytes += frames.at(-1)?.length ?? 0;
    return frames;
  }

  /** So much waits for `flush` that it should be called. */
  get isLoaded(): boolean {
    return this.#entries.length >= MAX_PENDING_ENTRIES;
  }

  #set(key: string, rank: number, message: Uint8Array, place: readonly [number, number | null]): void {
    if (this.#state.size >= MAX_KEYS && !this.#state.has(key)) return;
    const isStale = this.#stale.delete(key);
    const isModule = key.includes('/module/');
    this.#hasData ||= isModule;
    const blob = this.#blob(message, isModule);
    if (this.#state.get(key) === blob) return;
    if (isStale) this.#dropStale(key, message, place);
    this.#state.set(key, blob);
    this.#add([...place, 's', key, rank, blob]);
  }

  /** After a gap: modules of another list, and components that are no longer there. */
  #dropStale(key: string, message: Uint8Array, place: readonly [number, number | null]): void {
    const isGone =
      key === 'pmt'
        ? goneComponents(message)
        : (other: string) =>
            key.endsWith('/list') && other.startsWith(`${key.slice(0, -'list'.length)}module/`);
    for (const other of [...this.#stale]) {
      if (!isGone(other)) continue;
      this.#clear(other);
      this.#add([...place, 'c', other]);
    }
  }

  #clear(prefix: string): boolean {
    let isAny = false;
    for (const key of [...this.#state.keys()]) {
      if (!key.startsWith(prefix)) continue;
      this.#state.delete(key);
      this.#stale.delete(key);
      isAny = true;
    }
    return isAny;
  }

  #renewAll(): void {
    for (const key of this.#state.keys()) this.#stale.add(key);
  }

  /** Only where it does not run on as before. */
  #clock(message: Uint8Array, octet: number, stamp: number | null): void {
    const { at } = JSON.parse(Buffer.from(message).toString()) as { at: number };
    if (stamp === null) return;
    const known = this.#anchor;
    const expected = known === undefined ? undefined : known.at + (stamp - known.stamp) / TICKS_PER_MS;
    if (expected !== undefined && Math.abs(at - expected) < CLOCK_JITTER_MS) return;
    this.#anchor = { at, stamp };
    this.#add([octet, stamp, 't', at]);
  }

  /** Number of the blob with this message. */
  #blob(message: Uint8Array, isModule: boolean): number {
    const hash = messageHash(message);
    const name = hash.toString('latin1');
    const known = this.#blobs.get(name);
    if (known !== undefined) return known;
    const number = this.#blobs.size;
    const frame = frameOf(FRAME.blob, packMessage(hash, message, isModule));
    this.#blobs.set(name, number);
    this.#frames.push(frame);
    this.#bytes += frame.length;
    return number;
  }

  #add(entry: LogEntry): void {
    if (this.#isFull) return;
    this.#count += 1;
    this.#entries.push(entry);
    if (this.#bytes < MAX_FILE_BYTES && this.#count < MAX_ENTRIES) return;
    this.#isFull = true;
    this.#state.clear();
    this.#entries.push([entry[0], entry[1], 'c', '']);
  }
}

/** The last piece grows all the time. */
function startsOf(pieces: readonly IndexPiece[]): unknown {
  return pieces.map(({ from, pts, start }) => [from, pts, start]);
}

function goneComponents(message: Uint8Array): (key: string) => boolean {
  const { components } = JSON.parse(Buffer.from(message).toString()) as {
    components: { componentId: number }[];
  };
  const ids = new Set(components.map(({ componentId }) => componentId.toString(16).padStart(2, '0')));
  return (key) => key.includes('/') && !ids.has(key.slice(0, key.indexOf('/')));
}
