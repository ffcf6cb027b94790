/**
 * The buffer behind a video element: a media source with one source buffer, and one operation at a time on it. It
 * knows neither where the bytes come from nor how they are paced.
 */
import type { MonotonicMs } from '../../lib/wire/times.ts';
import { ApiFailure } from '../query/api.ts';
import { isManaged, mediaSourceClass } from './player.ts';
import { TEXTS } from './texts.ts';

// Strategy of a playback: its rate, its jumps, and which part of the buffer is kept.

/** A stretch of buffered media, in seconds of the media timeline. */
export interface BufferedSpan {
  readonly start: number;
  readonly end: number;
}

export interface Sample {
  readonly at: MonotonicMs;
  /** The element's currentTime in seconds. */
  readonly position: number;
  readonly ranges: readonly BufferedSpan[];
  /** False while paused or seeking. */
  readonly running: boolean;
}

export interface Pace {
  readonly rate: number;
  /** Seconds of the media timeline. */
  readonly seekTo: number | undefined;
}

export interface Pacing {
  /** Seconds that must be buffered before playback starts. */
  readonly startAhead: number;
  /** Called several times a second while the buffer holds anything. */
  next(sample: Sample): Pace;
  /** Playback stood still because data came too late. */
  onStall(at: MonotonicMs): void;
  /** The part of the buffer to evict; called after each append. */
  removable(ranges: readonly BufferedSpan[], position: number, paused: boolean): BufferedSpan | undefined;
}

/** Timestamps and buffered ranges of browsers differ by less than this, in seconds. */
export const NUDGE = 0.02;

export function rangeAt(ranges: readonly BufferedSpan[], position: number): BufferedSpan | undefined {
  return ranges.find((range) => position >= range.start - NUDGE && position <= range.end + NUDGE);
}

/** Seconds that can be played from `position` without a gap. */
export function bufferedAhead(ranges: readonly BufferedSpan[], position: number): number {
  const range = rangeAt(ranges, position);
  return range === undefined ? 0 : Math.max(0, range.end - position);
}

/** Kept behind the position when the browser's quota is exhausted, seconds. */
const QUOTA_KEEP_S = 5;

/** @throws ApiFailure `unsupported` */
function supportedOf(types: readonly string[]): string {
  const Source = mediaSourceClass();
  const mime = types.find((type) => Source?.isTypeSupported(type) === true);
  if (mime !== undefined) return mime;
  const called = types[0] ?? TEXTS.thisFormat;
  throw new ApiFailure('unsupported', TEXTS.cannotPlay(called));
}

export class MediaTimeline {
  readonly #video: HTMLVideoElement;
  readonly #closed = new AbortController();
  #source: MediaSource | undefined;
  #buffer: SourceBuffer | undefined;
  #mime = '';
  /** Settles with the last operation that was asked for. */
  #last: Promise<void> = Promise.resolve();
  #objectUrl: string | undefined;

  constructor(video: HTMLVideoElement) {
    this.#video = video;
  }

  /**
   * Attaches to the element; its current picture stays until the first append.
   * @param types RFC 6381 types of the media to be appended, the most reliable first
   * @throws ApiFailure `unsupported`; Error when closed meanwhile
   */
  async open(types: readonly string[]): Promise<void> {
    const Source = mediaSourceClass();
    const mime = supportedOf(types);
    if (Source === undefined) return;
    const source = new Source();
    this.#source = source;
    this.#video.disableRemotePlayback = isManaged(Source);
    const { signal } = this.#closed;
    const opened = new Promise<void>((resolve, reject) => {
      source.addEventListener('sourceopen', () => resolve(), { once: true });
      signal.addEventListener('abort', () => reject(new Error('closed')), { once: true });
    });
    this.#objectUrl = URL.createObjectURL(source);
    this.#video.src = this.#objectUrl;
    await opened;
    signal.throwIfAborted();
    this.#buffer = source.addSourceBuffer(mime);
    this.#mime = mime;
  }

  /**
   * The following data begin with an initialisation segment and may lie anywhere on the timeline, which is opened if
   * necessary; buffered data stay.
   * @param offset added to the times of media appended from now on, s
   * @throws ApiFailure `unsupported`; Error when closed meanwhile
   */
  async restart(types: readonly string[], offset: number): Promise<void> {
    const buffer = this.#buffer;
    if (buffer === undefined || this.#source === undefined) {
      await this.open(types);
      if (this.#buffer !== undefined) this.#buffer.timestampOffset = offset;
      return;
    }
    await this.#last;
    this.#closed.signal.throwIfAborted();
    // Opens an ended source again, without which the next call would be refused.
    if (this.#source.readyState === 'ended') buffer.timestampOffset = 0;
    // Half a fragment of the stream before is dropped.
    buffer.abort();
    buffer.timestampOffset = offset;
    const mime = supportedOf(types);
    if (mime === this.#mime) return;
    buffer.changeType(mime);
    this.#mime = mime;
  }

  /** Playable length, s; positions beyond it cannot be sought. Infinity: it grows. */
  set duration(seconds: number) {
    const source = this.#source;
    if (source?.readyState !== 'open' || this.#buffer?.updating !== false) return;
    // A source cannot be shorter than its buffered data.
    const least = this.spans.at(-1)?.end ?? 0;
    const wanted = Math.max(seconds, least);
    if (source.duration !== wanted) source.duration = wanted;
  }

  get isOpen(): boolean {
    return this.#buffer !== undefined;
  }

  get spans(): BufferedSpan[] {
    // A source buffer that its media source dropped throws on access.
    if (this.#buffer === undefined || this.#source?.readyState === 'closed') return [];
    const ranges = this.#buffer.buffered;
    return Array.from({ length: ranges.length }, (_, index) => ({
      start: ranges.start(index),
      end: ranges.end(index),
    }));
  }

  /** @throws ApiFailure `decode`; DOMException; Error when closed meanwhile */
  async append(bytes: Uint8Array): Promise<void> {
    const buffer = this.#buffer;
    if (buffer === undefined) return;
    const data = bytes as Uint8Array<ArrayBuffer>;
    try {
      await this.#update(() => buffer.appendBuffer(data));
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== 'QuotaExceededError') throw error;
      const first = this.spans[0];
      const end = this.#video.currentTime - QUOTA_KEEP_S;
      if (first !== undefined && end > first.start) await this.remove({ start: first.start, end });
      await this.#update(() => buffer.appendBuffer(data));
    }
  }

  remove({ start, end }: BufferedSpan): Promise<void> {
    return this.#update(() => this.#buffer?.remove(start, end));
  }

  /** Ends the stream; buffered data play to their end. */
  finish(): void {
    if (this.#source?.readyState === 'open' && this.#buffer?.updating === false) this.#source.endOfStream();
  }

  /** The last picture stays until another timeline takes the element. */
  close(): void {
    this.#closed.abort();
    if (this.#objectUrl !== undefined) URL.revokeObjectURL(this.#objectUrl);
    this.#objectUrl = undefined;
  }

  /** Runs one operation of the source buffer, after those before it, and waits for its end. */
  #update(operation: () => void): Promise<void> {
    const turn = this.#last.then(() => this.#run(operation));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  #run(operation: () => void): Promise<void> {
    const buffer = this.#buffer;
    const { signal } = this.#closed;
    return new Promise((resolve, reject) => {
      if (buffer === undefined || signal.aborted) {
        reject(new Error('closed'));
        return;
      }
      const release = (): void => {
        buffer.removeEventListener('updateend', settle);
        buffer.removeEventListener('error', fail);
        signal.removeEventListener('abort', fail);
      };
      const settle = (): void => {
        release();
        resolve();
      };
      const fail = (): void => {
        release();
        reject(new ApiFailure('decode', TEXTS.damaged));
      };
      buffer.addEventListener('updateend', settle);
      buffer.addEventListener('error', fail);
      signal.addEventListener('abort', fail);
      try {
        operation();
      } catch (error) {
        release();
        reject(error);
      }
    });
  }
}
