/**
 * Plays one feed into a video element: reads, buffers on a timeline, paces. A session is used once; its owner decides
 * what happens after its end.
 */
import type { MonotonicMs } from '../../wire/times.ts';
import { monotonicNow } from '../device/clock.ts';
import { ApiFailure, networkFailure } from '../query/api.ts';
import type { FeedPart, MediaFeed } from './media-feed.ts';
import { MediaTimeline } from './media-timeline.ts';
import { bufferedAhead, type Pacing } from './pacing.ts';
import type { StreamEnd } from './reconnect.ts';
import { TEXTS } from './texts.ts';
import { correctLag } from './video-lag.ts';

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

/** Timeout of a feed without data, ms. */
export interface SilenceLimits {
  /** Until playback starts. */
  readonly firstMs: number;
  readonly laterMs: number;
}

const PACE_EVERY_MS = 250;
/** A first picture that stands still for longer than this is reported as starved. */
const STILL_MS = 1_500;

/** A feed that breaks after it started: reception, service and network are all possible causes. */
function interruption(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  return new ApiFailure('interrupted', TEXTS.interrupted);
}

export class PlaybackSession {
  readonly #video: HTMLVideoElement;
  readonly #feed: MediaFeed;
  readonly #timeline: MediaTimeline;
  readonly #pacing: Pacing;
  readonly #limits: SilenceLimits;
  readonly #handlers: SessionHandlers;
  readonly #abort = new AbortController();
  #paceTimer: ReturnType<typeof setInterval> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #timedOut = false;
  #answered = false;
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
    try {
      this.#watchSilence(this.#limits.firstMs);
      for await (const part of this.#feed.read(this.#abort.signal)) {
        this.#watchSilence(this.#started ? this.#limits.laterMs : this.#limits.firstMs);
        await this.#take(part);
      }
      this.#finish('closed', new ApiFailure('ended', TEXTS.ended));
    } catch (error) {
      if (this.#timedOut) this.#finish('broken', new ApiFailure('timeout', TEXTS.stalled));
      else this.#finish('broken', this.#answered ? interruption(error) : networkFailure(error));
    }
  }

  /** Stops at once and releases the source. The last picture stays until another session takes the element. */
  close(): void {
    this.#over = true;
    this.#abort.abort();
    clearInterval(this.#paceTimer);
    clearTimeout(this.#silence);
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
      this.#answered = true;
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

  #watchSilence(ms: number): void {
    clearTimeout(this.#silence);
    if (this.#over) return;
    this.#silence = setTimeout(() => {
      this.#timedOut = true;
      this.#abort.abort();
    }, ms);
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
