/**
 * The background worker's side of files of side data of recorded streams (captions): reads each stream once, also while
 * it grows, and keeps the state of a few growing ones.
 */
import type { ServiceId } from '../../lib/arib/ids.ts';
import type { Pts90k } from '../../lib/arib/time.ts';
import { TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import { PacketFramer } from '../../lib/arib/ts/framer.ts';
import { sleepUnlessAborted } from '../../lib/host/deadline.ts';
import { RecordingBytes } from '../media/recording-bytes.ts';
import { timeInPieces } from '../media/recording-index.ts';
import { readRecorded, type SideCollector, type SideRow } from '../media/side-row.ts';
import { SIDE_ROWS } from '../media/side-rows.ts';
import type { StreamReader } from '../reception/reader-kind.ts';
import type { SideItem } from '../reception/side-item.ts';
import type { SideFileAnswer, SideFileAsk } from './side-file-messages.ts';

/** Limit of running recordings with kept state: those watched at the same time. */
const MAX_KEPT = 4;
const BLOCK_BYTES = 1024 * 1024;

interface Reading {
  readonly extractor: SideExtractor;
  /** The current request, or a later one. */
  ask: SideFileAsk;
  /** Number of octets read. */
  read: number;
  /** Serialises readers. */
  busy: Promise<unknown>;
}

/** @throws Error for a row that has no file */
function start(ask: SideFileAsk): Reading {
  const row = SIDE_ROWS.find(({ name }) => name === ask.row);
  if (row === undefined) throw new Error(`no side data ${ask.row}`);
  const reading: Reading = {
    ask,
    read: 0,
    busy: Promise.resolve(),
    extractor: new SideExtractor({
      row,
      serviceId: ask.serviceId,
      scale: (at, octet) => {
        const media = timeInPieces(reading.ask.pieces, at, octet);
        return media === undefined ? undefined : media / TICKS_PER_SECOND;
      },
    }),
  };
  return reading;
}

/** End of the piece that contains an octet: pages of two pieces are not read at once. */
function pieceEnd({ pieces, size }: SideFileAsk, at: number): number {
  return pieces.find(({ from }) => from > at)?.from ?? size;
}

async function readOn(reading: Reading, signal: AbortSignal): Promise<void> {
  const { ask, extractor } = reading;
  if (reading.read >= ask.size) return;
  const bytes = await RecordingBytes.open(() => ask.paths);
  try {
    while (reading.read < ask.size) {
      signal.throwIfAborted();
      const at = reading.read;
      const piece = ask.pieces.find(({ from }) => from === at);
      if (piece !== undefined && at > 0) extractor.cut(piece.start / TICKS_PER_SECOND);
      const began = performance.now();
      const block = await bytes.read(at, Math.min(BLOCK_BYTES, ask.size - at, pieceEnd(ask, at) - at));
      if (block.length === 0) return;
      extractor.feed(block, at);
      reading.read += block.length;
      if (ask.isBackground) await sleepUnlessAborted(performance.now() - began, signal);
    }
  } finally {
    await bytes.close();
  }
}

export class SideFileHost {
  /** The least recently used first. */
  readonly #kept = new Map<string, Reading>();

  /** @throws Failure if a file cannot be read, the signal's reason */
  async file(ask: SideFileAsk, signal: AbortSignal): Promise<SideFileAnswer> {
    const key = `${ask.row} ${ask.key}`;
    const known = this.#kept.get(key);
    const reading = known === undefined || known.read > ask.size ? start(ask) : known;
    this.#kept.delete(key);
    if (ask.grows) this.#keep(key, reading);
    const turn = reading.busy.then(async () => {
      reading.ask = ask;
      await readOn(reading, signal);
      return reading.extractor.file(ask.from);
    });
    reading.busy = turn.catch(() => {});
    const file = await turn;
    return { json: file === null ? null : new TextEncoder().encode(JSON.stringify(file)) };
  }

  #keep(key: string, reading: Reading): void {
    this.#kept.set(key, reading);
    const oldest = this.#kept.keys().next();
    if (this.#kept.size > MAX_KEPT && oldest.done !== true) this.#kept.delete(oldest.value);
  }
}

interface SideExtraction {
  readonly row: SideRow;
  /** For a stream with several stations; undefined: the only one. */
  readonly serviceId?: ServiceId | undefined;
  /**
   * Seconds on the playback scale; undefined for a time outside of it.
   * @param octet position in the stream at or slightly before the item
   */
  readonly scale: (at: Pts90k, octet: number) => number | undefined;
}

/** Reads a stream that may still grow; `file` returns what was found so far. */
export class SideExtractor {
  readonly #framer = new PacketFramer();
  readonly #reader: StreamReader<never>;
  readonly #collector: SideCollector<SideItem>;
  #octet = 0;

  /** @throws Error if the row has no such file */
  constructor({ row, serviceId, scale }: SideExtraction) {
    const collector = row.collector?.();
    if (collector === undefined) throw new Error(`${row.name} has no file`);
    this.#collector = collector;
    this.#reader = readRecorded(row, { serviceId: serviceId ?? 0 }, (item) => {
      collector.take(item, item.time === undefined ? undefined : scale(item.time, this.#octet));
    });
  }

  /** @param octet position in the stream of the first byte */
  feed(bytes: Uint8Array, octet: number): void {
    this.#octet = octet;
    this.#reader.feed(this.#framer.feed(bytes));
  }

  /** The following data does not continue the previous. @param seconds on the playback scale */
  cut(seconds: number): void {
    this.#collector.cut(seconds);
  }

  /** @param from s: only what is shown from there on @returns null if there is nothing */
  file(from = 0): object | null {
    return this.#collector.file(from);
  }
}
