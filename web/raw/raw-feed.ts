/**
 * A station in its original coding: its sound as a feed for the video element, whose position is the clock, and its
 * pictures by a worker. Ends with `raw_fallback` when this device or this station cannot use the raw path.
 */
import type { ReceptionFault } from '../../lib/arib/ts/clock.ts';
import { AAC_MIME } from '../../lib/mp4/aac-writer.ts';
import { type WallMs, wallMs } from '../../lib/wire/times.ts';
import { BoundedQueue, TunerLost } from '../player/live-connection.ts';
import type { FeedPart, MediaFeed } from '../player/media-feed.ts';
import { pictureOf, RAW_PICTURE } from '../player/shown-picture.ts';
import type { SideControl, SideTracks } from '../player/side-tracks.ts';
import type { StartStep } from '../player/start-steps.ts';
import { ApiFailure, addressOf } from '../query/api.ts';
import type { RawFigures, RawProblem } from './raw-messages.ts';
import type { RawFailure, RawRequest, RawSource, WorkerReport } from './raw-session.ts';
import { TEXTS } from './texts.ts';

// Shows the pictures of the raw path over a video element that plays their sound: a video track or a canvas.

interface TrackGenerator extends MediaStreamTrack {
  readonly writable: WritableStream<VideoFrame>;
}

type TrackGeneratorClass = new (init: { kind: 'video' }) => TrackGenerator;

function trackGenerator(): TrackGeneratorClass | undefined {
  return (globalThis as { MediaStreamTrackGenerator?: TrackGeneratorClass }).MediaStreamTrackGenerator;
}

/** Whether this browser can decode and show the original stream. */
export function canPlayRaw(): boolean {
  const shows = trackGenerator() !== undefined ? 'VideoFrame' in globalThis : 'OffscreenCanvas' in globalThis;
  return shows && 'WebAssembly' in globalThis && 'Worker' in globalThis;
}

interface RawPicture {
  /** For the worker, once. */
  readonly transfer: { canvas: OffscreenCanvas } | { track: WritableStream<VideoFrame> };
  /** Its first frame was decoded. @param shown called when the browser shows it */
  whenShown(shown: () => void): void;
  remove(): void;
}

/** Lies where the element lies and keeps the shape of the picture, as the element does. */
function place(element: HTMLElement, video: HTMLVideoElement): void {
  element.className = `${video.className} ${RAW_PICTURE}`;
  element.ariaHidden = 'true';
  video.after(element);
}

/** A station whose sound plays for so long without a picture has none. */
const SOUND_ALONE_MS = 3_000;
/** Ends the still over an element. */
const stills = new WeakMap<HTMLVideoElement, () => void>();

/** Leaves the last picture over the element as a still, until the element or another raw path shows one. */
function keepStill(video: HTMLVideoElement): void {
  const { element, width, height } = pictureOf(video);
  if (element === video || width === 0) return;
  const still = document.createElement('canvas');
  still.width = width;
  still.height = height;
  still.getContext('2d')?.drawImage(element, 0, 0, width, height);
  const over = new AbortController();
  stills.get(video)?.();
  const end = (): void => {
    over.abort();
    still.remove();
  };
  stills.set(video, end);
  // Sound alone has no size.
  const onPicture = (): void => {
    if (video.videoWidth > 0) end();
  };
  video.addEventListener('loadeddata', onPicture, { signal: over.signal });
  // A station may have no picture.
  const onSound = (): void => {
    const timer = setTimeout(end, SOUND_ALONE_MS);
    over.signal.addEventListener('abort', () => clearTimeout(timer));
  };
  video.addEventListener('playing', onSound, { signal: over.signal, once: true });
  still.className = video.className;
  still.ariaHidden = 'true';
  video.after(still);
}

/** @param video whose place the pictures take while it plays the sound */
function addRawPicture(video: HTMLVideoElement): RawPicture {
  const Generator = trackGenerator();
  if (Generator !== undefined) {
    const track = new Generator({ kind: 'video' });
    const shown = document.createElement('video');
    shown.muted = true;
    shown.playsInline = true;
    shown.autoplay = true;
    shown.disablePictureInPicture = false;
    place(shown, video);
    shown.addEventListener('loadeddata', () => stills.get(video)?.(), { once: true });
    shown.srcObject = new MediaStream([track]);
    void shown.play().catch(() => undefined);
    const remove = (): void => {
      track.stop();
      shown.srcObject = null;
      shown.remove();
    };
    // From the beginning: once the first picture is known, it may be shown already.
    const isShown = new Promise<void>((resolve) => shown.requestVideoFrameCallback?.(() => resolve()));
    const whenShown = (onShown: () => void): void => void isShown.then(onShown);
    return { transfer: { track: track.writable }, whenShown, remove };
  }
  const canvas = document.createElement('canvas');
  place(canvas, video);
  // A canvas does not tell of its first picture.
  stills.get(video)?.();
  return {
    transfer: { canvas: canvas.transferControlToOffscreen() },
    whenShown: (onShown) => void requestAnimationFrame(onShown),
    remove: () => canvas.remove(),
  };
}

const DECODER = 'api/live/mpeg2/decoder.mjs';
const WASM = 'api/live/mpeg2/decoder.wasm';
const CLOCK_EVERY_MS = 100;
/** Sound that the media source has not taken: 30 s. Beyond it the page sleeps, and the stream is of no use. */
const MAX_PARTS = 300;

const REASONS: Record<RawProblem, string> = {
  slow: TEXTS.tooSlow,
  no_audio: TEXTS.badSound,
  unsupported: TEXTS.badPicture,
  late: TEXTS.late,
};

/** Say why the converted picture follows. */
export const FALLBACK_NOTICES: Readonly<Record<RawProblem, string>> = {
  slow: TEXTS.slowNotice,
  no_audio: TEXTS.soundNotice,
  unsupported: TEXTS.pictureNotice,
  late: TEXTS.lateNotice,
};

interface RawHandlers {
  onFigures(figures: RawFigures): void;
  /** Whether left and right are two sounds from here on (dual mono: main and sub). */
  onSound(isDual: boolean): void;
  /** What of the station does not come; undefined: all comes. */
  onFault(fault: ReceptionFault | undefined): void;
  /** A step to the first picture was reached. */
  onStep(step: StartStep, at: WallMs): void;
  /** Before the feed ends with `raw_fallback`. */
  onProblem(problem: RawProblem): void;
}

/** The worker of one player, for all its sessions; it is started with the first one. */
export class RawWorker {
  #worker: Worker | undefined;
  #session = 0;
  #hear: ((report: WorkerReport['report']) => void) | undefined;
  #received = 0;

  /** Octets that came so far, for the rate. */
  get received(): number {
    return this.#received;
  }

  /** Sends a request to the service, where the worker's connection is open. */
  tell(control: SideControl): void {
    this.post({ kind: 'tell', control });
  }

  post(request: RawRequest, transfer: Transferable[] = []): void {
    this.#worker?.postMessage(request, transfer);
  }

  /** Returns the number of the session, whose reports go to `hear`. */
  begin(hear: (report: WorkerReport['report']) => void): number {
    this.#session += 1;
    this.#hear = hear;
    this.#worker ??= this.#start();
    return this.#session;
  }

  close(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#received = 0;
  }

  #start(): Worker {
    const worker = new Worker(addressOf(DECODER), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<WorkerReport>) => {
      if (data.report.kind === 'received') this.#received = data.report.octets;
      else if (data.session === this.#session) this.#hear?.(data.report);
    };
    // A decoder that is not installed, or a browser that loads no module workers.
    worker.onerror = () => {
      this.close();
      this.#hear?.({ kind: 'problem', problem: 'unsupported' });
    };
    return worker;
  }
}

type PartQueue = BoundedQueue<FeedPart>;

interface RawOrder {
  readonly source: RawSource;
  /** Which of the station's sounds. */
  readonly audioIndex: number;
  /** Pictures at half their width and height. */
  readonly isHalf: boolean;
}

export class RawFeed implements MediaFeed {
  #hasBegun = false;

  constructor(
    private readonly worker: RawWorker,
    private readonly video: HTMLVideoElement,
    private readonly side: SideTracks,
    private readonly order: RawOrder,
    private readonly handlers: Partial<RawHandlers> = {},
  ) {}

  async *read(signal: AbortSignal): AsyncGenerator<FeedPart> {
    const parts: PartQueue = new BoundedQueue({
      ...{ most: MAX_PARTS, weigh: () => 1 },
      overflow: () => new ApiFailure('timeout', TEXTS.lagged),
    });
    const picture = addRawPicture(this.video);
    const session = this.worker.begin((report) => {
      if (report.kind !== 'step') {
        this.#hear(report, parts);
        return;
      }
      this.handlers.onStep?.(report.step, report.at);
      if (report.step === 'decoded') picture.whenShown(() => this.handlers.onStep?.('shown', pageNow()));
    });
    const tell = (): void => this.#tellClock();
    const ticker = setInterval(tell, CLOCK_EVERY_MS);
    for (const name of CLOCK_EVENTS) this.video.addEventListener(name, tell);
    try {
      signal.throwIfAborted();
      const opening = { kind: 'open', session, wasm: addressOf(WASM).href, ...this.order } as const;
      this.worker.post({ ...opening, ...picture.transfer }, Object.values(picture.transfer));
      yield* parts.read(signal);
    } finally {
      clearInterval(ticker);
      for (const name of CLOCK_EVENTS) this.video.removeEventListener(name, tell);
      this.worker.post({ kind: 'close', session });
      if (!this.order.isHalf) keepStill(this.video);
      picture.remove();
    }
  }

  #hear(report: Exclude<WorkerReport['report'], { kind: 'step' }>, parts: PartQueue): void {
    switch (report.kind) {
      case 'tuned':
        this.side.begin();
        parts.push({ kind: 'answer', notices: [], offset: 0, recorded: undefined });
        return;
      case 'side':
        this.side.hear(report.item);
        return;
      case 'init':
        this.handlers.onSound?.(report.isDual);
        // Another number of channels continues in the same buffer.
        if (this.#hasBegun) parts.push({ kind: 'media', bytes: report.bytes });
        else {
          this.#hasBegun = true;
          this.side.place(report.origin);
          parts.push({ kind: 'init', types: [AAC_MIME], bytes: report.bytes });
        }
        return;
      case 'media':
        parts.push({ kind: 'media', bytes: report.bytes });
        return;
      case 'figures':
        this.handlers.onFigures?.(report.figures);
        return;
      case 'fault':
        this.handlers.onFault?.(report.fault);
        return;
      case 'problem':
        this.handlers.onProblem?.(report.problem);
        parts.end(new ApiFailure('raw_fallback', REASONS[report.problem]));
        return;
      case 'jump':
        // The stream continues on another time scale: ended without an error, so that it is connected again at once.
        parts.end();
        return;
      case 'end':
        parts.end(report.failure === undefined ? undefined : errorOf(report.failure));
    }
  }

  #tellClock(): void {
    const { video } = this;
    const stands = video.paused || video.seeking || video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
    this.worker.post({
      kind: 'clock',
      position: video.currentTime,
      at: pageNow(),
      rate: stands ? 0 : video.playbackRate,
    });
  }
}

/** On the scale that page and worker share. */
const pageNow = (): WallMs => wallMs(performance.timeOrigin + performance.now());

const CLOCK_EVENTS = ['playing', 'pause', 'waiting', 'seeked', 'ratechange'] as const;

function errorOf({ code, message, status, takenBy }: RawFailure): Error {
  if (takenBy !== undefined) return new TunerLost(takenBy, message);
  return code === undefined ? new Error(message) : new ApiFailure(code, message, status);
}
