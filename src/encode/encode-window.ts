/** When encodes may run: the hours that the settings allow, and what else pauses the queue. */
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
