/**
 * Playback with seeking: one timeline for the whole of it, filled by one feed after the other. A feed is opened at the
 * requested position, read only a limited time ahead, and followed by the next one where it ended. Times are seconds of
 * the media, which the feeds contain.
 */
import { monotonicNow } from '../device/clock.ts';
import { ApiFailure } from '../query/api.ts';
import { type FeedPart, type MediaFeed, readFeed, type SilenceLimits, type StreamEnd } from './media-feed.ts';
import { type BufferedSpan, bufferedAhead, MediaTimeline, NUDGE, rangeAt } from './media-timeline.ts';
import { TEXTS } from './texts.ts';

// Rules of seeking: the landing position, how far a feed has come, what is evicted from the buffer. Pure; seconds of
// the media.

/** Kept behind the position for short seeks back; trimmed when exceeded by the second value. */
const KEEP_BEHIND_S = 60;
const TRIM_STEP_S = 20;
/** A hole of the stream that is passed; a larger one is a place that was sought away from. */
const MOST_GAP_S = 5;
const STUCK_MS = 400;
/** A feed begins with a key frame before its place, seldom further off. */
const LATE_START_S = 0.5;

/**
 * Where the picture can be shown now; undefined: not yet.
 * @param spans the ranges buffered by the feed only
 * @param ahead least buffered time required there
 * @param over the feed brought everything it has
 */
export function landing(
  spans: readonly BufferedSpan[],
  { target, anywhere }: { readonly target: number; readonly anywhere: boolean },
  ahead: number,
  over: boolean,
): number | undefined {
  const [first] = spans;
  const last = spans.at(-1);
  if (first === undefined || last === undefined) return undefined;
  // At the live edge, or where the recording begins late, the feed begins behind the place.
  const isLater = anywhere || first.start > target + LATE_START_S;
  const place = isLater ? first.start + NUDGE : target;
  if (bufferedAhead(spans, place) >= ahead) return place;
  if (!over) return undefined;
  const range = rangeAt(spans, place) ?? last;
  return Math.max(range.start + NUDGE, Math.min(place, range.end - ahead));
}

/** End of the buffered range that contains `from`; `from` without one. */
export function fillEnd(spans: readonly BufferedSpan[], from: number): number {
  const range = rangeAt(spans, from) ?? spans.find(({ start }) => start >= from && start - from < MOST_GAP_S);
  return range === undefined ? from : Math.max(from, range.end);
}

/** The range too far behind the position. */
export function trimmed(spans: readonly BufferedSpan[], position: number): BufferedSpan | undefined {
  const first = spans[0];
  if (first === undefined || position - first.start < KEEP_BEHIND_S + TRIM_STEP_S) return undefined;
  return { start: first.start, end: position - KEEP_BEHIND_S };
}

/**
 * Position after the gap in which playback is stuck; undefined: there is none. @param stuckMs how long it has been
 * stuck
 */
export function gapJump(
  spans: readonly BufferedSpan[],
  position: number,
  stuckMs: number,
): number | undefined {
  if (stuckMs < STUCK_MS) return undefined;
  const range = rangeAt(spans, position);
  if (range !== undefined && range.end - position > NUDGE * 5) return undefined;
  const next = spans.find(({ start }) => start > position);
  return next !== undefined && next.start - position < MOST_GAP_S ? next.start + NUDGE : undefined;
}

interface SeekableHandlers {
  /** The service accepted the request. @param recorded length of a recording that grows, s */
  onAnswer(notices: readonly string[], recorded: number | undefined): void;
  /** The first picture at the requested position is ready: the owner should start the element, unless it is paused. */
  onReady(): void;
  /** The picture moves, or a seek has its picture. */
  onPicture(): void;
  /** Data is late: the picture stands. */
  onStarved(): void;
  /** A feed ended; buffered data still play. Called once for each feed. */
  onFeedEnd(end: StreamEnd, failure: ApiFailure): void;
  /** Everything up to the end was shown. */
  onEnded(): void;
}

interface FeedOpening {
  readonly feed: MediaFeed;
  /** Where the picture is wanted, s. */
  readonly target: number;
  /** The feed begins at or before the target, up to a key frame; true: wherever it begins is right. */
  readonly anywhere: boolean;
}

/** Read so far ahead of the position: a seek soon after does not waste more than that. */
const MOST_AHEAD_S = 40;
/** Buffered time at which a position counts as ready. */
const START_AHEAD_S = 0.3;
/** Buffered time required after a stall, so that playback does not stutter at the live edge. */
const RESUME_AHEAD_S = 1.5;
const TICK_MS = 250;
/** A conversion may wait for ffmpeg and the disk. */
const SILENCE: SilenceLimits = { firstMs: 30_000, laterMs: 20_000 };

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, TICK_MS);
    signal.addEventListener('abort', done);
  });
}

export class SeekablePlayback {
  readonly #video: HTMLVideoElement;
  readonly #handlers: SeekableHandlers;
  readonly #timeline: MediaTimeline;
  readonly #tick: ReturnType<typeof setInterval>;
  #feed: AbortController | undefined;
  #landing: FeedOpening | undefined;
  /** The buffer comes from the feed of the landing. */
  #cleared = false;
  #duration = Number.POSITIVE_INFINITY;
  #rate = 1;
  /** Where the present feed has come to, s. */
  #filledTo = 0;
  #offset = 0;
  #starved = false;
  #complete = false;
  #closed = false;
  #stillAt = { position: -1, since: 0 };

  constructor(video: HTMLVideoElement, handlers: SeekableHandlers) {
    this.#video = video;
    this.#handlers = handlers;
    this.#timeline = new MediaTimeline(video);
    for (const [name, listener] of this.#listeners) video.addEventListener(name, listener);
    this.#tick = setInterval(() => this.#check(), TICK_MS);
  }

  get spans(): BufferedSpan[] {
    return this.#timeline.spans;
  }

  /** Where the present feed has come to, s. */
  get filledTo(): number {
    return this.#filledTo;
  }

  get isReading(): boolean {
    return this.#feed !== undefined;
  }

  /** Infinity: it grows. */
  set duration(seconds: number) {
    this.#duration = seconds;
    if (!this.#complete) this.#timeline.duration = seconds;
  }

  set rate(rate: number) {
    this.#rate = rate;
    this.#video.preservesPitch = true;
    this.#applyRate();
  }

  /** Seeks within the buffer; false when a feed is needed first. */
  seekBuffered(target: number): boolean {
    const range = rangeAt(this.spans, target);
    const isEnd = this.#complete && range !== undefined;
    if (range === undefined || (range.end - target < START_AHEAD_S && !isEnd)) return false;
    // A feed elsewhere may have been filling another place.
    if (this.#feed !== undefined && rangeAt([range], this.#filledTo) === undefined) return false;
    this.#landing = undefined;
    this.#video.currentTime = Math.min(target, range.end - NUDGE);
    return true;
  }

  /** Opens a feed, in the place of the one before. */
  open(opening: FeedOpening): void {
    this.#feed?.abort();
    const abort = new AbortController();
    this.#feed = abort;
    this.#landing = opening;
    this.#cleared = false;
    this.#complete = false;
    this.#filledTo = opening.target;
    if (this.#timeline.isOpen && !opening.anywhere) this.#video.currentTime = opening.target;
    void this.#read(opening.feed, abort, true);
  }

  /** Opens a feed after the buffered range; the picture is not affected. */
  continueWith(feed: MediaFeed): void {
    this.#feed?.abort();
    const abort = new AbortController();
    this.#feed = abort;
    void this.#read(feed, abort, false);
  }

  /** No feed follows: buffered data play to their end, which ends the media. */
  complete(): void {
    this.#complete = true;
    this.#timeline.finish();
    this.#check();
  }

  /** Stops reading; buffered data stay. */
  stop(): void {
    this.#feed?.abort();
    this.#feed = undefined;
    this.#landing = undefined;
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#tick);
    this.stop();
    for (const [name, listener] of this.#listeners) this.#video.removeEventListener(name, listener);
    this.#timeline.close();
  }

  async #read(feed: MediaFeed, abort: AbortController, afresh: boolean): Promise<void> {
    const { signal } = abort;
    let answered = false;
    const take = async (part: FeedPart): Promise<void> => {
      answered ||= part.kind === 'answer';
      if (part.kind === 'init' && afresh) {
        await this.#forget();
        if (!signal.aborted) this.#cleared = true;
      }
      signal.throwIfAborted();
      await this.#take(part, signal);
      signal.throwIfAborted();
      await this.#untilWanted(signal);
    };
    const hasStarted = (): boolean => answered;
    const { end, failure } = await readFeed(feed, abort, {
      ...{ limits: SILENCE, broken: TEXTS.disconnected },
      ...{ hasStarted, isPatient: true, take },
    });
    if (this.#closed || this.#feed !== abort) return;
    this.#feed = undefined;
    this.#settle(end === 'closed');
    this.#handlers.onFeedEnd(end, failure);
  }

  /** Removes buffered media of other positions, sound or codec. The picture stays until the next is decoded. */
  async #forget(): Promise<void> {
    const [first] = this.spans;
    const last = this.spans.at(-1);
    if (first === undefined || last === undefined) return;
    await this.#timeline.remove({ start: first.start, end: last.end + 1 });
  }

  async #take(part: FeedPart, signal: AbortSignal): Promise<void> {
    if (part.kind === 'answer') {
      this.#offset = part.offset;
      this.#handlers.onAnswer(part.notices, part.recorded);
      return;
    }
    if (part.kind === 'init') {
      const first = !this.#timeline.isOpen;
      await this.#timeline.restart(part.types, this.#offset);
      if (first) this.duration = this.#duration;
      this.#applyRate();
    }
    signal.throwIfAborted();
    await this.#append(part.bytes, signal);
    // Another feed may have replaced it meanwhile.
    if (signal.aborted) return;
    this.#filledTo = fillEnd(this.spans, this.#filledTo);
    this.#settle(false);
    const behind = trimmed(this.spans, this.#video.currentTime);
    if (behind !== undefined) await this.#timeline.remove(behind);
  }

  /** Where the browser's quota is exhausted, it waits until some of the buffer was played. */
  async #append(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#timeline.append(bytes);
        return;
      } catch (error) {
        if (!(error instanceof DOMException) || error.name !== 'QuotaExceededError') throw error;
        await pause(signal);
      }
    }
  }

  /** Puts the picture where it was wanted once that is there. @param over the feed brought everything it has */
  #settle(over: boolean): void {
    const wanted = this.#landing;
    if (wanted === undefined || !this.#cleared) return;
    const place = landing(this.spans, wanted, START_AHEAD_S, over);
    if (place === undefined) return;
    this.#landing = undefined;
    if (Math.abs(this.#video.currentTime - place) > NUDGE) this.#video.currentTime = place;
    this.#filledTo = fillEnd(this.spans, place);
    this.#handlers.onReady();
  }

  /** Backpressure: unread data stay with the service, which waits. */
  async #untilWanted(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#landing === undefined && this.#ahead() > MOST_AHEAD_S) {
      await pause(signal);
    }
  }

  #ahead(): number {
    return Math.max(0, this.#filledTo - this.#video.currentTime);
  }

  readonly #listeners: readonly (readonly [string, () => void])[] = [
    ['seeked', () => this.#onPicture()],
    ['playing', () => this.#onPicture()],
    ['timeupdate', () => this.#onPicture()],
    ['waiting', () => this.#onWaiting()],
    ['ended', () => this.#onEnded()],
    ['error', () => this.#onMediaError()],
  ];

  #onPicture(): void {
    if (this.#landing !== undefined || this.#starved || this.#video.seeking) return;
    if (this.#video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA) this.#handlers.onPicture();
  }

  #onWaiting(): void {
    if (this.#landing !== undefined || this.#video.seeking || this.#complete) return;
    if (bufferedAhead(this.spans, this.#video.currentTime) > 0.2) return;
    this.#starved = true;
    this.#applyRate();
    this.#handlers.onStarved();
  }

  #onEnded(): void {
    if (this.#complete) this.#handlers.onEnded();
  }

  #onMediaError(): void {
    this.#feed?.abort();
    this.#feed = undefined;
    this.#handlers.onFeedEnd('broken', new ApiFailure('decode', TEXTS.notPlayed));
  }

  /** Rate 0 holds the picture without pausing it: starved, it waits for more than the next frame. */
  #applyRate(): void {
    const rate = this.#starved ? 0 : this.#rate;
    if (this.#video.playbackRate !== rate) this.#video.playbackRate = rate;
    if (this.#video.defaultPlaybackRate !== this.#rate) this.#video.defaultPlaybackRate = this.#rate;
  }

  #check(): void {
    const { currentTime, paused, seeking } = this.#video;
    const ahead = bufferedAhead(this.spans, currentTime);
    if (this.#starved && (ahead >= RESUME_AHEAD_S || this.#complete)) {
      this.#starved = false;
      this.#applyRate();
      this.#onPicture();
    }
    if (this.#stillAt.position !== currentTime || paused || seeking || this.#landing !== undefined) {
      this.#stillAt = { position: currentTime, since: monotonicNow() };
    }
    const jump = gapJump(this.spans, currentTime, monotonicNow() - this.#stillAt.since);
    if (jump !== undefined && this.#landing === undefined) this.#video.currentTime = jump;
  }
}
