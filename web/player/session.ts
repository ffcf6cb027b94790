/**
 * One live stream on its way into a video element: fetched, given to a media source, kept near the live edge,
 * trimmed. A session is used once; `live-player.ts` decides what follows its end.
 */

import { ApiFailure, failureOf, networkFailure } from '../query/api.ts';
import { MIME_HEADER, NOTICE_HEADER } from '../query/headers.ts';
import { InitSegmentCollector } from './boxes.ts';
import { isManaged, mediaSourceClass } from './capabilities.ts';
import { mimeOfInit } from './codec.ts';
import type { StreamEnd } from './retry.ts';
import { afterStall, bufferedAhead, type Span, startSteering, steer } from './steering.ts';

export interface SessionHandlers {
  /** The service has a tuner and answers. */
  onAnswer(notices: readonly string[]): void;
  /** Enough is buffered to begin: the element should be told to play. */
  onReady(): void;
  /** The first picture is there, or the picture moves again. */
  onPicture(): void;
  onStarved(): void;
  /** Called once, unless the session was closed before. */
  onEnd(end: StreamEnd, failure: ApiFailure): void;
}

/** A tuner may need several seconds to lock, a recording's encoder start another few. */
const FIRST_BYTES_MS = 45_000;
const SILENCE_MS = 15_000;
const STEER_EVERY_MS = 250;
const START_AHEAD_S = 0.4;
/** A first picture that stands longer than this without moving is waited for in words. */
const STILL_MS = 1_500;
/** What stays behind the playing position; a minute at most before it is cut back to this. */
const KEEP_BEHIND_S = 30;
const MOST_BEHIND_S = 60;
/** While paused only this much of the newest is kept. */
const PAUSED_KEEP_S = 15;
const PAUSED_MOST_S = 45;

function spansOf(ranges: TimeRanges): Span[] {
  return Array.from({ length: ranges.length }, (_, index) => ({
    start: ranges.start(index),
    end: ranges.end(index),
  }));
}

/** A stream that breaks after it began: the air, the service and the network are all possible. */
function interruption(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  return new ApiFailure('interrupted', '放送の受信か、サーバーとの接続が途切れました。');
}

export class StreamSession {
  readonly #video: HTMLVideoElement;
  readonly #url: URL;
  readonly #handlers: SessionHandlers;
  readonly #abort = new AbortController();
  #source: MediaSource | undefined;
  #buffer: SourceBuffer | undefined;
  #objectUrl: string | undefined;
  #steering = startSteering(performance.now());
  #steerTimer: ReturnType<typeof setInterval> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #timedOut = false;
  #answered = false;
  #started = false;
  /** When the first picture stood in the element, until it moves. */
  #stillSince: number | undefined;
  #pictureSince: number | undefined;
  #over = false;

  constructor(video: HTMLVideoElement, url: URL, handlers: SessionHandlers) {
    this.#video = video;
    this.#url = url;
    this.#handlers = handlers;
  }

  /** Milliseconds since the first picture. */
  get playedMs(): number {
    return this.#pictureSince === undefined ? 0 : performance.now() - this.#pictureSince;
  }

  async run(): Promise<void> {
    try {
      await this.#stream();
      this.#finish('closed', new ApiFailure('ended', '配信が終わりました。'));
    } catch (error) {
      if (this.#timedOut) this.#finish('broken', new ApiFailure('timeout', '映像が届かなくなりました。'));
      else this.#finish('broken', this.#answered ? interruption(error) : networkFailure(error));
    }
  }

  /** Stops at once and frees the tuner. The last picture stays until another stream takes the element. */
  close(): void {
    this.#over = true;
    this.#abort.abort();
    clearInterval(this.#steerTimer);
    clearTimeout(this.#silence);
    for (const [name, listener] of this.#listeners) this.#video.removeEventListener(name, listener);
    if (this.#objectUrl !== undefined) URL.revokeObjectURL(this.#objectUrl);
    this.#objectUrl = undefined;
  }

  /** To the newest picture: after a pause, live goes on live. */
  seekToLive(): void {
    const last = this.#spans().at(-1);
    if (last === undefined) return;
    this.#video.currentTime = Math.max(last.start, last.end - this.#steering.target);
  }

  #finish(end: StreamEnd, failure: ApiFailure): void {
    if (this.#over) return;
    if (this.#source?.readyState === 'open' && this.#buffer?.updating === false) this.#source.endOfStream();
    this.close();
    this.#handlers.onEnd(end, failure);
  }

  async #stream(): Promise<void> {
    this.#watchSilence(FIRST_BYTES_MS);
    const response = await fetch(this.#url, { signal: this.#abort.signal, cache: 'no-store' });
    if (!response.ok) throw await failureOf(response);
    if (response.body === null) throw new ApiFailure('internal', '映像が空でした。');
    this.#answered = true;
    const notices = (response.headers.get(NOTICE_HEADER) ?? '').split(',').map((word) => word.trim());
    this.#handlers.onAnswer(notices.filter((word) => word !== ''));

    const reader = response.body.getReader();
    const collector = new InitSegmentCollector();
    let collecting = true;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      this.#watchSilence(this.#started ? SILENCE_MS : FIRST_BYTES_MS);
      if (!collecting) {
        await this.#append(value);
        continue;
      }
      const init = collector.push(value);
      if (init === undefined) continue;
      collecting = false;
      await this.#open([response.headers.get(MIME_HEADER), mimeOfInit(init)]);
      await this.#append(init);
    }
  }

  #watchSilence(ms: number): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      this.#timedOut = true;
      this.#abort.abort();
    }, ms);
  }

  /** @param types what the service calls the stream, then what the stream itself says */
  async #open(types: readonly (string | null | undefined)[]): Promise<void> {
    const Source = mediaSourceClass();
    const mime = types.find((type) => type != null && Source?.isTypeSupported(type) === true);
    if (Source === undefined || mime == null) {
      const called = types.find((type) => type != null) ?? 'この形式';
      throw new ApiFailure('unsupported', `このブラウザーは ${called} を再生できません。`);
    }
    const source = new Source();
    this.#source = source;
    this.#video.disableRemotePlayback = isManaged(Source);
    const opened = new Promise<void>((resolve, reject) => {
      source.addEventListener('sourceopen', () => resolve(), { once: true });
      this.#abort.signal.addEventListener('abort', () => reject(new Error('closed')), { once: true });
    });
    this.#objectUrl = URL.createObjectURL(source);
    this.#video.src = this.#objectUrl;
    await opened;
    if (this.#over) return;
    this.#buffer = source.addSourceBuffer(mime);
    for (const [name, listener] of this.#listeners) this.#video.addEventListener(name, listener);
    this.#steerTimer = setInterval(() => this.#steer(), STEER_EVERY_MS);
  }

  readonly #listeners: readonly (readonly [string, () => void])[] = [
    ['loadeddata', () => this.#onStill()],
    ['playing', () => this.#onPicture()],
    ['timeupdate', () => this.#onPicture()],
    ['waiting', () => this.#onWaiting()],
    ['error', () => this.#onMediaError()],
  ];

  /** A channel is there for the viewer with its first picture, a moment before enough is in hand to move it. */
  #onStill(): void {
    if (this.#started || this.#stillSince !== undefined) return;
    this.#stillSince = performance.now();
    this.#handlers.onPicture();
  }

  #onPicture(): void {
    if (!this.#started || this.#video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) return;
    this.#pictureSince ??= performance.now();
    if (bufferedAhead(this.#spans(), this.#video.currentTime) > 0.1) this.#handlers.onPicture();
  }

  #onWaiting(): void {
    if (this.#pictureSince === undefined || this.#video.seeking) return;
    if (bufferedAhead(this.#spans(), this.#video.currentTime) > 0.2) return;
    this.#steering = afterStall(this.#steering, performance.now());
    this.#handlers.onStarved();
  }

  #onMediaError(): void {
    const detail = this.#video.error?.message ?? '';
    this.#finish('broken', new ApiFailure('decode', `映像を再生できませんでした。${detail}`));
  }

  #spans(): Span[] {
    // A source buffer that its media source dropped throws on access.
    if (this.#buffer === undefined || this.#source?.readyState === 'closed') return [];
    return spansOf(this.#buffer.buffered);
  }

  #steer(): void {
    const spans = this.#spans();
    const first = spans[0];
    if (first === undefined) return;
    if (!this.#started) {
      if (first.end - first.start < START_AHEAD_S) {
        if (performance.now() - (this.#stillSince ?? Number.POSITIVE_INFINITY) > STILL_MS)
          this.#handlers.onStarved();
        return;
      }
      this.#started = true;
      // A seek to where the element stands already would make it decode the first pictures twice.
      if (bufferedAhead(spans, this.#video.currentTime) === 0) this.#video.currentTime = first.start;
      this.#handlers.onReady();
      return;
    }
    const video = this.#video;
    const decision = steer(this.#steering, {
      at: performance.now(),
      position: video.currentTime,
      ranges: spans,
      running: !video.paused && !video.seeking,
    });
    this.#steering = decision.steering;
    if (video.playbackRate !== decision.rate) video.playbackRate = decision.rate;
    if (decision.seekTo !== undefined) video.currentTime = decision.seekTo;
  }

  async #append(bytes: Uint8Array): Promise<void> {
    const buffer = this.#buffer;
    if (buffer === undefined) return;
    const data = bytes as Uint8Array<ArrayBuffer>;
    try {
      await this.#update(() => buffer.appendBuffer(data));
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== 'QuotaExceededError') throw error;
      await this.#trim(5, 5);
      await this.#update(() => buffer.appendBuffer(data));
    }
    // The first picture does not wait for the next turn of the clock.
    if (!this.#started) this.#steer();
    if (this.#video.paused && this.#started) await this.#trimPaused();
    else await this.#trim(MOST_BEHIND_S, KEEP_BEHIND_S);
  }

  /** Runs one operation of the source buffer and waits for its end. */
  #update(operation: () => void): Promise<void> {
    const buffer = this.#buffer;
    return new Promise((resolve, reject) => {
      if (buffer === undefined || this.#over) {
        reject(new Error('closed'));
        return;
      }
      const settle = (): void => {
        buffer.removeEventListener('updateend', settle);
        buffer.removeEventListener('error', fail);
        this.#abort.signal.removeEventListener('abort', fail);
        resolve();
      };
      const fail = (): void => {
        settle();
        reject(new ApiFailure('decode', '受信した映像が壊れていました。'));
      };
      buffer.addEventListener('updateend', settle);
      buffer.addEventListener('error', fail);
      this.#abort.signal.addEventListener('abort', fail);
      try {
        operation();
      } catch (error) {
        settle();
        reject(error);
      }
    });
  }

  async #trim(mostBehind: number, keepBehind: number): Promise<void> {
    const first = this.#spans()[0];
    const position = this.#video.currentTime;
    if (first === undefined || position - first.start <= mostBehind) return;
    await this.#remove(first.start, position - keepBehind);
  }

  async #trimPaused(): Promise<void> {
    const spans = this.#spans();
    const first = spans[0];
    const last = spans.at(-1);
    if (first === undefined || last === undefined || last.end - first.start <= PAUSED_MOST_S) return;
    await this.#remove(first.start, last.end - PAUSED_KEEP_S);
  }

  #remove(start: number, end: number): Promise<void> {
    return this.#update(() => this.#buffer?.remove(start, end));
  }
}
