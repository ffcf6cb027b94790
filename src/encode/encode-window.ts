/** When encodes may run: the hours that the settings allow, what else pauses the queue, and which of it is due. */
import { JST_OFFSET_MS, MINUTE_MS } from '../../lib/arib/time.ts';
import type { WallMs } from '../../lib/host/clock.ts';
import type { EncodePause } from '../../lib/wire/vocabulary.ts';

const DAY_MINUTES = 1440;

/** Minutes of the day in Japan; equal: all day. May cross midnight. */
export interface EncodeWindow {
  readonly from: number;
  readonly to: number;
}

/** Null: a job may run. @param hasRoom processor time is left beside viewers and recordings */
export function encodeWait(
  isPaused: boolean,
  window: EncodeWindow,
  now: WallMs,
  hasRoom: boolean,
): EncodePause | null {
  if (isPaused) return 'paused';
  if (!isWithin(window, now)) return 'window';
  return hasRoom ? null : 'machine';
}

export function isWithin({ from, to }: EncodeWindow, now: WallMs): boolean {
  if (from === to) return true;
  const minute = Math.floor((now + JST_OFFSET_MS) / MINUTE_MS) % DAY_MINUTES;
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

/** Delay of a retry, and the longest wait of a job. */
export const ENCODE_RETRY_MS = 10 * 60_000;

interface WaitingEncode {
  readonly id: number;
  readonly state: string;
  /** Epoch ms: earliest start. */
  readonly readyAt: WallMs;
  /** Its recording can be encoded now. */
  readonly isReady: boolean;
  /** A preceding task on its original is unfinished, and its time limit has not passed. */
  readonly awaits: boolean;
}

/** In the order of the queue. */
export function readyEncodes<W extends WaitingEncode>(queue: readonly W[], now: WallMs): W[] {
  return queue.filter((one) => one.state === 'waiting' && one.isReady && isDue(one, now) && !one.awaits);
}

/** A time further ahead than any wait is that of a clock which has been set back since: it counts as passed. */
export function isDue({ readyAt }: Pick<WaitingEncode, 'readyAt'>, now: WallMs): boolean {
  return readyAt <= now || readyAt > now + ENCODE_RETRY_MS;
}
