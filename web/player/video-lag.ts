/**
 * Corrects pictures that lag behind the sound: media elements continue the sound while a decoder is late, and do not
 * resynchronise.
 * Measured with every picture that is shown; a jump back to that picture puts both together again.
 */
import { type MonotonicMs, monotonicMs } from '../../wire/times.ts';
import { monotonicNow } from '../device/clock.ts';

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
export function correctLag(video: HTMLVideoElement): () => void {
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
