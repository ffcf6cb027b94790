/**
 * Plays one feed into a video element: reads, buffers on a timeline, paces. A session is used once; its owner decides
 * what happens after its end.
 */
import { type MonotonicMs, monotonicMs } from '../../lib/wire/times.ts';
import { monotonicNow } from '../device/clock.ts';
import { ApiFailure } from '../query/api.ts';
import { type FeedPart, type MediaFeed, readFeed, type SilenceLimits, type StreamEnd } from './media-feed.ts';
import { bufferedAhead, MediaTimeline, type Pacing } from './media-timeline.ts';
import { TEXTS } from './texts.ts';

// Corrects pictures that lag behind the sound: media elements continue the sound while a decoder is late, and do not
// resynchronise. Measured with every picture that is shown; a jump back to that picture puts both together again.

interface ShownPicture {
  readonly at: MonotonicMs;
  /** s of the timeline. */
  readonly mediaTime: number;
  /** Where the element's clock, which is the sound's, was when the picture was shown. */
  readonly position: number;
}

interface Lag {
  /** Pictures in a row that were late. */
  readonly late: number;
  readonly jumpedAt: MonotonicMs;
}

export const NO_LAG: Lag = { late: 0, jumpedAt: monotonicMs(Number.NEGATIVE_INFINITY) };

const LATE_S = 0.1;
/** One late picture is a late callback; this many are a late decoder. */
const LATE_PICTURES = 5;
const JUMP_EVERY_MS = 3_000;

/** @returns the position to jump back to, where the pictures are behind */
export function judgeLag(lag: Lag, shown: ShownPicture): { readonly lag: Lag; readonly seekTo?: number } {
  if (shown.position - shown.mediaTime <= LATE_S) return { lag: { ...lag, late: 0 } };
  const late = lag.late + 1;
  if (late < LATE_PICTURES || shown.at - lag.jumpedAt < JUMP_EVERY_MS) return { lag: { ...lag, late } };
  return { lag: { late: 0, jumpedAt: shown.at }, seekTo: shown.mediaTime };
}

/** Corrects the element until the returned function is called. Does nothing where pictures cannot be observed. */
function correctLag(video: HTMLVideoElement): () => void {
  if (!('requestVideoFrameCallback' in video)) return () => {};
  let lag = NO_LAG;
  let handle = 0;
  const follow = (
    now: DOMHighResTimeStamp,
    { mediaTime, presentationTime }: VideoFrameCallbackMetadata,
  ): void => {
    handle = video.requestVideoFrameCallback(follow);
    if (video.paused || video.seeking) return;
    // The callback itself may be late.
    const waited = (Math.max(0, monotonicNow() - presentationTime) / 1000) * video.playbackRate;
    const judged = judgeLag(lag, { at: monotonicMs(now), mediaTime, position: video.currentTime - waited });
    lag = judged.lag;
    if (judged.seekTo !== undefined) video.currentTime = judged.seekTo;
  };
  handle = video.requestVideoFrameCallback(follow);
  return () => video.cancelVideoFrameCallback(handle);
}

interface SessionHandlers {
  /** The service accepted the request. */
  onAnswer(notices: readonly string[]): void;
  /** Enough is buffered: the owner should start the element. */
  onReady(): void;
  /** The first picture is shown, or the picture moves again. */
  onPicture(): void;
  onStarved(): void;
  /** Called once, unless the session was closed before. */
  onEnd(end: StreamEnd, failure: ApiFailure): void;
}

const PACE_EVERY_MS = 250;
/** A first picture that stands still for longer than this is reported as starved. */
const STILL_MS = 1_500;

export class PlaybackSession {
  readonly #video: HTMLVideoElement;
  readonly #feed: MediaFeed;
  readonly #timeline: MediaTimeline;
  readonly #pacing: Pacing;
  readonly #limits: SilenceLimits;
  readonly #handlers: SessionHandlers;
  readonly #abort = new AbortController();
  #paceTimer: ReturnType<typeof setInterval> | undefined;
  #started = false;
  /** When the first picture was shown, until it moves. */
  #stillSince: MonotonicMs | undefined;
  #pictureSince: MonotonicMs | undefined;
  #over = false;
  #letLag: (() => void) | undefined;

  constructor(
    video: HTMLVideoElement,
    feed: MediaFeed,
    pacing: Pacing,
    limits: SilenceLimits,
    handlers: SessionHandlers,
  ) {
    this.#video = video;
    this.#feed = feed;
    this.#timeline = new MediaTimeline(video);
    this.#pacing = pacing;
    this.#limits = limits;
    this.#handlers = handlers;
  }

  /** Milliseconds since the first picture. */
  get playedMs(): number {
    return this.#pictureSince === undefined ? 0 : monotonicNow() - this.#pictureSince;
  }

  /** Buffered ranges in seconds. */
  get spans(): MediaTimeline['spans'] {
    return this.#timeline.spans;
  }

  async run(): Promise<void> {
    const { end, failure } = await readFeed(this.#feed, this.#abort, {
      limits: this.#limits,
      hasStarted: () => this.#started,
      broken: TEXTS.interrupted,
      take: (part) => this.#take(part),
    });
    this.#finish(end, failure);
  }

  /** Stops at once and releases the source. The last picture stays until another session takes the element. */
  close(): void {
    this.#over = true;
    this.#abort.abort();
    clearInterval(this.#paceTimer);
    this.#letLag?.();
    for (const [name, listener] of this.#listeners) this.#video.removeEventListener(name, listener);
    this.#timeline.close();
  }

  #finish(end: StreamEnd, failure: ApiFailure): void {
    if (this.#over) return;
    this.#timeline.finish();
    this.close();
    this.#handlers.onEnd(end, failure);
  }

  async #take(part: FeedPart): Promise<void> {
    if (part.kind === 'answer') {
      this.#handlers.onAnswer(part.notices);
      return;
    }
    if (part.kind === 'init') {
      await this.#timeline.restart(part.types, part.offset ?? 0);
      if (this.#over) return;
      for (const [name, listener] of this.#listeners) this.#video.addEventListener(name, listener);
      this.#paceTimer = setInterval(() => this.#pace(), PACE_EVERY_MS);
    }
    await this.#append(part.bytes);
  }

  readonly #listeners: readonly (readonly [string, () => void])[] = [
    ['loadeddata', () => this.#onStill()],
    ['playing', () => this.#onPicture()],
    ['timeupdate', () => this.#onPicture()],
    ['waiting', () => this.#onWaiting()],
    ['error', () => this.#onMediaError()],
  ];

  /** The first picture counts as shown a moment before enough is buffered to move it. */
  #onStill(): void {
    if (this.#started || this.#stillSince !== undefined) return;
    this.#stillSince = monotonicNow();
    this.#handlers.onPicture();
  }

  #onPicture(): void {
    if (!this.#started || this.#video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) return;
    this.#pictureSince ??= monotonicNow();
    if (bufferedAhead(this.spans, this.#video.currentTime) > 0.1) this.#handlers.onPicture();
  }

  #onWaiting(): void {
    if (this.#pictureSince === undefined || this.#video.seeking) return;
    if (bufferedAhead(this.spans, this.#video.currentTime) > 0.2) return;
    this.#pacing.onStall(monotonicNow());
    this.#handlers.onStarved();
  }

  #onMediaError(): void {
    this.#finish('broken', new ApiFailure('decode', TEXTS.notPlayed));
  }

  #pace(): void {
    const ranges = this.spans;
    const first = ranges[0];
    if (first === undefined) return;
    const video = this.#video;
    if (!this.#started) {
      this.#startWhenBuffered(first.end - first.start, first.start);
      return;
    }
    const { rate, seekTo } = this.#pacing.next({
      at: monotonicNow(),
      position: video.currentTime,
      ranges,
      running: !video.paused && !video.seeking,
    });
    if (video.playbackRate !== rate) video.playbackRate = rate;
    if (seekTo !== undefined) video.currentTime = seekTo;
  }

  #startWhenBuffered(buffered: number, start: number): void {
    if (buffered < this.#pacing.startAhead) {
      const stillMs = monotonicNow() - (this.#stillSince ?? Number.POSITIVE_INFINITY);
      if (stillMs > STILL_MS) this.#handlers.onStarved();
      return;
    }
    this.#started = true;
    this.#letLag = correctLag(this.#video);
    // A seek to where the element stands already would make it decode the first pictures twice.
    if (bufferedAhead(this.spans, this.#video.currentTime) === 0) this.#video.currentTime = start;
    this.#handlers.onReady();
  }

  async #append(bytes: Uint8Array): Promise<void> {
    await this.#timeline.append(bytes);
    // The first picture does not wait for the next turn of the timer.
    if (!this.#started) this.#pace();
    const { currentTime, paused } = this.#video;
    const removable = this.#pacing.removable(this.spans, currentTime, paused && this.#started);
    if (removable !== undefined) await this.#timeline.remove(removable);
  }
}
