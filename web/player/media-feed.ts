/**
 * The source of a playback's segments. A feed is read once; `HttpFeed` reads an HTTP body, `SocketFeed` the live
 * socket.
 */
import { type WallMs, wallMs } from '../../lib/wire/times.ts';
import { ApiFailure, asFailure } from '../query/api.ts';
import { TEXTS } from './texts.ts';

// Retry delays of a live stream that ended. Pure.

export interface Retry {
  /** Failures since the stream last played well. */
  readonly failures: number;
  /** When a clean end was last answered at once. */
  readonly restartedAt: WallMs;
}

export type StreamEnd =
  /** The server closed the stream in order: its layout changed, or its tuner went to a recording. */
  | 'closed'
  /** The connection or the stream broke, or could not be opened. */
  | 'broken';

interface NextTry {
  readonly retry: Retry;
  readonly waitMs: number;
}

export const FRESH: Retry = { failures: 0, restartedAt: wallMs(Number.NEGATIVE_INFINITY) };

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** A stream that played this long was healthy: waits begin again at the first. */
const HEALTHY_MS = 30_000;
/** A layout that changes again within this time is followed with doubling waits instead of at once. */
const CALM_MS = 30_000;

/** @param playedMs how long the ended stream had shown a picture */
export function nextTry(retry: Retry, end: StreamEnd, now: WallMs, playedMs: number): NextTry {
  const before = playedMs >= HEALTHY_MS ? 0 : retry.failures;
  if (end === 'closed' && now - retry.restartedAt > CALM_MS) {
    return { retry: { failures: before, restartedAt: now }, waitMs: 0 };
  }
  const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(before, 10));
  return { retry: { ...retry, failures: before + 1 }, waitMs };
}

export type FeedPart =
  /** The service accepted the request. */
  | {
      readonly kind: 'answer';
      /** Why something else than asked for is sent. */
      readonly notices: readonly string[];
      /** Added to the times of the following media, s. */
      readonly offset: number;
      /** For a growing recording: its length when the response began, s. */
      readonly recorded: number | undefined;
    }
  /** Decoding starts here. */
  | {
      readonly kind: 'init';
      /** RFC 6381 types of the bytes, the most reliable first. */
      readonly types: readonly string[];
      readonly bytes: Uint8Array;
      /** Added to the times of the following media, s; 0 where it is absent. */
      readonly offset?: number;
    }
  /** Continues the part before; may end anywhere. */
  | { readonly kind: 'media'; readonly bytes: Uint8Array };

export interface MediaFeed {
  /**
   * Ends when the source closed the stream in order. Returning from the iteration releases the source.
   * @throws ApiFailure, a network error, or the abort of `signal`
   */
  read(signal: AbortSignal): AsyncIterable<FeedPart>;
}

// Reads a feed to its end under time limits, and says how it ended.

/** Timeouts of a feed without data, ms. */
export interface SilenceLimits {
  /** Until playback starts. */
  readonly firstMs: number;
  readonly laterMs: number;
}

interface Reading {
  readonly limits: SilenceLimits;
  /** Playback has started: the later limit applies. */
  readonly hasStarted: () => boolean;
  /** Of a feed that breaks after it was accepted: its text. */
  readonly broken: string;
  /** Taking a part may wait for the viewer: no data is due meanwhile. */
  readonly isPatient?: boolean;
  readonly take: (part: FeedPart) => Promise<void>;
}

interface FeedEnd {
  readonly end: StreamEnd;
  readonly failure: ApiFailure;
}

/** @param abort ends the feed, from either side */
export async function readFeed(feed: MediaFeed, abort: AbortController, reading: Reading): Promise<FeedEnd> {
  const { limits, hasStarted, broken, isPatient = false, take } = reading;
  let isTimedOut = false;
  let isAnswered = false;
  let silence: ReturnType<typeof setTimeout> | undefined;
  const watch = (): void => {
    clearTimeout(silence);
    silence = setTimeout(
      () => {
        isTimedOut = true;
        abort.abort();
      },
      hasStarted() ? limits.laterMs : limits.firstMs,
    );
  };
  try {
    watch();
    for await (const part of feed.read(abort.signal)) {
      if (isPatient) clearTimeout(silence);
      else watch();
      isAnswered ||= part.kind === 'answer';
      await take(part);
      abort.signal.throwIfAborted();
      if (isPatient) watch();
    }
    return { end: 'closed', failure: new ApiFailure('ended', TEXTS.ended) };
  } catch (error) {
    if (isTimedOut) return { end: 'broken', failure: new ApiFailure('timeout', TEXTS.stalled) };
    if (error instanceof ApiFailure) return { end: 'broken', failure: error };
    // Reception, service and network are all possible causes.
    const failure = isAnswered ? new ApiFailure('interrupted', broken) : asFailure(error);
    return { end: 'broken', failure };
  } finally {
    clearTimeout(silence);
  }
}
