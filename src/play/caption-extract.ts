/**
 * Extracts all captions of a recorded transport stream to a captions file. Reads the stream once, piece by piece, and
 * only keeps the pages in memory; superimposed text (news flashes) is left out, as it only applies at broadcast time.
 */
import { CaptionStream } from '../../arib/caption/caption-stream.ts';
import type { CaptionEvent } from '../../arib/caption/decoder.ts';
import type { ServiceId } from '../../arib/ids.ts';
import type { Pts90k } from '../../arib/time.ts';
import { PacketFramer } from '../../arib/ts/framer.ts';
import type { CaptionsFile, TimedCaptionPage } from '../../wire/caption.ts';
import { CAPTION_PAGE_VERSION } from '../../wire/caption-version.ts';
import { captionLanguageLabel } from '../model/caption-language.ts';

/**
 * Seconds on the playback scale; undefined for a time outside of it.
 * @param clock the stream's clock when the page was read, for streams whose time stamps occur more than once
 * @param octet position in the stream at or slightly before the page
 */
type CaptionScale = (at: Pts90k, clock: Pts90k | undefined, octet: number) => number | undefined;

interface CaptionExtraction {
  /** For a stream with several stations; undefined: the only one. */
  readonly serviceId?: ServiceId | undefined;
  readonly scale: CaptionScale;
  readonly signal?: AbortSignal;
}

/**
 * Runs kept, each some 300 octets of JSON: a captioned day has 40,000 pages of five. More do not occur in real
 * captions; later pages are left out.
 */
const MAX_RUNS = 200_000;
/** Pages without runs count too. */
const PAGE_COST = 1;

class Collected {
  readonly #pages = new Map<number, TimedCaptionPage[]>();
  readonly #codes = new Map<number, string>();
  #cost = 0;

  take(event: CaptionEvent, scaled: number | undefined): void {
    if (event.superimpose) return;
    if (event.kind === 'management') {
      for (const { index, code } of event.languages) this.#codes.set(index, code);
      if (scaled !== undefined && Number.isFinite(scaled)) this.cut(scaled);
      return;
    }
    const { page, language } = event;
    const cost = page.runs.length + PAGE_COST;
    if (scaled === undefined || !Number.isFinite(scaled) || this.#cost + cost > MAX_RUNS) return;
    // A page shown before the beginning is shown from the beginning on.
    const seconds = Math.max(0, scaled);
    const pages = this.#pages.get(language) ?? [];
    this.#pages.set(language, pages);
    // Pages of an unfinished statement at later times were interrupted by this one.
    while ((pages.at(-1)?.at ?? Number.NEGATIVE_INFINITY) >= seconds) pages.pop();
    if (page.runs.length === 0 && (pages.at(-1)?.page.runs.length ?? 0) === 0) return;
    this.#cost += cost;
    pages.push({ at: seconds, page });
  }

  /** Clears the screen at a cut or a change of the languages: the page before it does not apply after it. */
  cut(seconds: number): void {
    for (const pages of this.#pages.values()) {
      const last = pages.at(-1);
      if (last === undefined || last.page.runs.length === 0 || last.at >= seconds) continue;
      const { duration, plane } = last.page;
      if (duration !== null && last.at + duration / 1000 <= seconds) continue;
      pages.push({ at: seconds, page: { v: CAPTION_PAGE_VERSION, plane, duration: null, runs: [] } });
    }
  }

  /** Null if nothing was ever shown. */
  file(): CaptionsFile | null {
    const indexes = [...this.#pages.keys()].filter((index) => (this.#pages.get(index)?.length ?? 0) > 0);
    if (indexes.length === 0) return null;
    const file: CaptionsFile = { v: CAPTION_PAGE_VERSION, pages: this.#pages.get(1) ?? [] };
    if (this.#codes.has(1)) file.language = this.#language(1);
    const others = indexes.filter((index) => index !== 1).sort((one, other) => one - other);
    if (others.length > 0) {
      file.others = others.map((index) => ({
        ...this.#language(index),
        pages: this.#pages.get(index) ?? [],
      }));
    }
    return file;
  }

  #language(index: number): { index: number; code: string; label: string } {
    const code = this.#codes.get(index) ?? '';
    return { index, code, label: captionLanguageLabel(index, code) };
  }
}

/** Reads a stream that may still grow; `file` returns the captions found so far. */
export class CaptionExtractor {
  readonly #framer = new PacketFramer();
  readonly #captions: CaptionStream;
  readonly #collected = new Collected();
  readonly #scale: CaptionScale;

  constructor({ serviceId, scale }: Pick<CaptionExtraction, 'serviceId' | 'scale'>) {
    this.#captions = new CaptionStream(serviceId);
    this.#scale = scale;
  }

  /** @param octet position in the stream of the first byte */
  feed(bytes: Uint8Array, octet: number): void {
    for (const event of this.#captions.feed(this.#framer.feed(bytes))) {
      const { clock } = this.#captions;
      this.#collected.take(event, this.#scale(event.at, clock, octet));
    }
  }

  /** The following data does not continue the previous. @param seconds on the playback scale */
  cut(seconds: number): void {
    this.#collected.cut(seconds);
  }

  /** The captions of all languages; null if there were none. */
  file(): CaptionsFile | null {
    return this.#collected.file();
  }
}

/**
 * The captions of a complete stream.
 * @throws the signal's reason, or the error of reading the stream
 */
export async function extractCaptions(
  stream: AsyncIterable<Uint8Array>,
  { serviceId, scale, signal }: CaptionExtraction,
): Promise<CaptionsFile | null> {
  const extractor = new CaptionExtractor({ serviceId, scale });
  let octet = 0;
  for await (const chunk of stream) {
    signal?.throwIfAborted();
    extractor.feed(chunk, octet);
    octet += chunk.length;
  }
  return extractor.file();
}
