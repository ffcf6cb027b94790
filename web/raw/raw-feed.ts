/**
 * A station in its original coding: its sound as a feed for the video element, whose position is the clock, and its
 * pictures by a worker. Ends with `raw_fallback` when this device or this station cannot use the raw path.
 */

import type { ProgrammeFault } from '../../arib/ts/gap-watch.ts';
import { AAC_MIME } from '../../mp4/aac-writer.ts';
import { wallMs } from '../../wire/times.ts';
import type { FeedPart, MediaFeed } from '../player/media-feed.ts';
import { ApiFailure, addressOf } from '../query/api.ts';
import type { PacketSource } from './packet-source.ts';
import type { RawFigures, RawProblem, RawReport, RawRequest } from './raw-messages.ts';
import { addRawPicture } from './raw-picture.ts';
import { TEXTS } from './texts.ts';

const DECODER = 'api/live/mpeg2/decoder.mjs';
const WASM = 'api/live/mpeg2/decoder.wasm';
const CLOCK_EVERY_MS = 100;
/** Sound that the media source has not taken: 30 s. Beyond it the page sleeps, and the stream is of no use. */
const MAX_PARTS = 300;

const REASONS: Record<RawProblem, string> = {
  slow: TEXTS.tooSlow,
  no_audio: TEXTS.badSound,
  unsupported: TEXTS.badPicture,
};

interface RawHandlers {
  onFigures(figures: RawFigures): void;
  /** Whether left and right are two sounds from here on (dual mono: main and sub). */
  onSound(isDual: boolean): void;
  /** What of the station does not come; undefined: all comes. */
  onFault(fault: ProgrammeFault | undefined): void;
  /** Before the feed ends with `raw_fallback`. */
  onProblem(problem: RawProblem): void;
}

/** Queue of reports from the worker's messages to the reader of the feed. */
class PartQueue {
  #parts: FeedPart[] = [];
  #end: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  push(part: FeedPart): void {
    this.#parts.push(part);
    if (this.#parts.length > MAX_PARTS) this.end(new ApiFailure('timeout', TEXTS.lagged));
    this.#wake?.();
  }

  /** @param error undefined: in order */
  end(error: unknown): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  async *read(): AsyncGenerator<FeedPart> {
    for (;;) {
      const part = this.#parts.shift();
      if (part !== undefined) {
        yield part;
        continue;
      }
      if (this.#end !== undefined) {
        if (this.#end.error === undefined) return;
        throw this.#end.error;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

export class RawFeed implements MediaFeed {
  readonly #video: HTMLVideoElement;
  readonly #source: PacketSource;
  readonly #audioIndex: number;
  readonly #handlers: RawHandlers;
  readonly #isHalf: boolean;
  #hasBegun = false;

  /** @param audioIndex which of the station's sounds @param isHalf pictures at half their width and height */
  constructor(
    video: HTMLVideoElement,
    source: PacketSource,
    audioIndex: number,
    handlers: RawHandlers,
    isHalf = false,
  ) {
    this.#isHalf = isHalf;
    this.#video = video;
    this.#source = source;
    this.#audioIndex = audioIndex;
    this.#handlers = handlers;
  }

  async *read(signal: AbortSignal): AsyncGenerator<FeedPart> {
    const packets = await this.#source.open(signal);
    yield { kind: 'answer', notices: [], offset: 0, recorded: undefined };
    const parts = new PartQueue();
    const picture = addRawPicture(this.#video);
    const worker = new Worker(addressOf(DECODER), { type: 'module' });
    const post = (request: RawRequest, transfer: Transferable[]): void =>
      worker.postMessage(request, transfer);
    const onAbort = (): void => parts.end(signal.reason);
    const ticker = setInterval(() => this.#tellClock(post), CLOCK_EVERY_MS);
    const tell = (): void => this.#tellClock(post);
    for (const name of CLOCK_EVENTS) this.#video.addEventListener(name, tell);
    try {
      worker.onmessage = ({ data }: MessageEvent<RawReport>) => this.#hear(data, parts);
      // A decoder that is not installed, or a browser that loads no module workers.
      worker.onerror = () => parts.end(refusal('unsupported'));
      signal.addEventListener('abort', onAbort, { once: true });
      const start = {
        ...{ kind: 'start' as const, wasm: addressOf(WASM).href },
        ...{ audioIndex: this.#audioIndex, isHalf: this.#isHalf },
      };
      post({ ...start, ...picture.transfer }, Object.values(picture.transfer));
      void pump(packets, post).then(
        () => parts.end(undefined),
        (error: unknown) => parts.end(error),
      );
      yield* parts.read();
    } finally {
      clearInterval(ticker);
      for (const name of CLOCK_EVENTS) this.#video.removeEventListener(name, tell);
      signal.removeEventListener('abort', onAbort);
      worker.terminate();
      picture.remove();
    }
  }

  #hear(report: RawReport, parts: PartQueue): void {
    switch (report.kind) {
      case 'init':
        this.#handlers.onSound(report.isDual);
        if (!this.#hasBegun) this.#source.placeAt(report.origin);
        // Another number of channels continues in the same buffer.
        if (this.#hasBegun) parts.push({ kind: 'media', bytes: report.bytes });
        else parts.push({ kind: 'init', types: [AAC_MIME], bytes: report.bytes });
        this.#hasBegun = true;
        return;
      case 'media':
        parts.push({ kind: 'media', bytes: report.bytes });
        return;
      case 'figures':
        this.#handlers.onFigures(report.figures);
        return;
      case 'fault':
        this.#handlers.onFault(report.fault);
        return;
      case 'problem':
        this.#handlers.onProblem(report.problem);
        parts.end(refusal(report.problem));
        return;
      case 'jump':
        // The stream continues on another time scale: ended without an error, so that it is connected again at once.
        parts.end(undefined);
        return;
      case 'shape':
        return;
    }
  }

  #tellClock(post: (request: RawRequest, transfer: Transferable[]) => void): void {
    const video = this.#video;
    const stands = video.paused || video.seeking || video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
    const at = wallMs(performance.timeOrigin + performance.now());
    post({ kind: 'clock', position: video.currentTime, at, rate: stands ? 0 : video.playbackRate }, []);
  }
}

const CLOCK_EVENTS = ['playing', 'pause', 'waiting', 'seeked', 'ratechange'] as const;

function refusal(problem: RawProblem): ApiFailure {
  return new ApiFailure('raw_fallback', REASONS[problem]);
}

async function pump(
  packets: AsyncIterable<Uint8Array>,
  post: (request: RawRequest, transfer: Transferable[]) => void,
): Promise<void> {
  for await (const bytes of packets) {
    // A view of something larger is copied: the rest of it is another's.
    const own = bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
    post({ kind: 'packets', bytes: own }, [own.buffer]);
  }
}
