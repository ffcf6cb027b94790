/**
 * The background worker's side of captions of recorded streams: reads each stream once, also while it grows, and
 * keeps the state of a few growing ones.
 */
import { TICKS_PER_SECOND } from '../../arib/time.ts';
import { sleepUnlessAborted } from '../../host/deadline.ts';
import { RecordingBytes } from '../media/recording-bytes.ts';
import { timeInPieces } from '../media/recording-index.ts';
import { CaptionExtractor } from './caption-extract.ts';
import type { CaptionsAnswer, CaptionsAsk } from './caption-messages.ts';
import { captionsFrom } from './captions-from.ts';

/** Limit of running recordings with kept state: those watched at the same time. */
const MAX_KEPT = 4;
const BLOCK_BYTES = 1024 * 1024;

interface Reading {
  readonly extractor: CaptionExtractor;
  /** The current request, or a later one. */
  ask: CaptionsAsk;
  /** Number of octets read. */
  read: number;
  /** Serialises readers. */
  busy: Promise<unknown>;
}

function start(ask: CaptionsAsk): Reading {
  const reading: Reading = {
    ask,
    read: 0,
    busy: Promise.resolve(),
    extractor: new CaptionExtractor({
      serviceId: ask.serviceId,
      scale: (at, _clock, octet) => {
        const media = timeInPieces(reading.ask.pieces, at, octet);
        return media === undefined ? undefined : media / TICKS_PER_SECOND;
      },
    }),
  };
  return reading;
}

/** End of the piece that contains an octet: pages of two pieces are not read at once. */
function pieceEnd({ pieces, size }: CaptionsAsk, at: number): number {
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
      if (ask.gently) await sleepUnlessAborted(performance.now() - began, signal);
    }
  } finally {
    await bytes.close();
  }
}

export class CaptionHost {
  /** The least recently used first. */
  readonly #kept = new Map<string, Reading>();

  /** @throws Failure if a file cannot be read, the signal's reason */
  async captions(ask: CaptionsAsk, signal: AbortSignal): Promise<CaptionsAnswer> {
    const known = this.#kept.get(ask.key);
    const reading = known === undefined || known.read > ask.size ? start(ask) : known;
    this.#kept.delete(ask.key);
    if (ask.grows) this.#keep(ask.key, reading);
    const turn = reading.busy.then(async () => {
      reading.ask = ask;
      await readOn(reading, signal);
      return reading.extractor.file();
    });
    reading.busy = turn.catch(() => {});
    const file = await turn;
    if (file === null) return { json: null };
    const wanted = ask.from > 0 ? captionsFrom(file, ask.from) : file;
    return { json: new TextEncoder().encode(JSON.stringify(wanted)) };
  }

  #keep(key: string, reading: Reading): void {
    this.#kept.set(key, reading);
    const oldest = this.#kept.keys().next();
    if (this.#kept.size > MAX_KEPT && oldest.done !== true) this.#kept.delete(oldest.value);
  }
}
