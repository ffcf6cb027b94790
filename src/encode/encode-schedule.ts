/** Selects the recording to encode now, and decides whether encoding must pause. Pure. */
import { JST_OFFSET_MS } from '../../arib/time.ts';
import type { WallMs } from '../../host/clock.ts';

/** Why nothing is encoded although jobs are queued. */
type EncodeWait = 'paused' | 'window' | 'machine';

export interface MachineUse {
  readonly processors: number;
  /** Number of encoders for viewers: live and transcoded playback. */
  readonly viewers: number;
  readonly recordings: number;
}

/** Minutes of the day in Japan; equal: all day. May cross midnight. */
export interface EncodeWindow {
  readonly from: number;
  readonly to: number;
}

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

interface EncodeSituation {
  /** In order. */
  readonly queue: readonly WaitingEncode[];
  /** Epoch ms. */
  readonly now: WallMs;
  readonly isPaused: boolean;
  readonly window: EncodeWindow;
  readonly machine: MachineUse;
}

export interface EncodeDecision {
  /** The job to start. */
  readonly start: number | undefined;
  /** The running job is paused. */
  readonly hold: boolean;
  readonly wait: EncodeWait | null;
}

/**
 * Processor load: a viewer's software encoder takes one to two processors; a recording some percent, at most a quarter.
 */
const PER_VIEWER = 1.5;
const PER_RECORDING = 0.25;
/** With less processor time left, encoding is not started. */
const MIN_LEFT = 0.75;
const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;

export function isWithin({ from, to }: EncodeWindow, now: WallMs): boolean {
  if (from === to) return true;
  const minute = Math.floor((now + JST_OFFSET_MS) / MINUTE_MS) % DAY_MINUTES;
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

/** Recordings alone never pause it: they have scheduler priority and need little. */
export function hasRoom({ processors, viewers, recordings }: MachineUse): boolean {
  if (viewers === 0) return true;
  return processors - viewers * PER_VIEWER - recordings * PER_RECORDING >= MIN_LEFT;
}

export function decideEncode({ queue, now, isPaused, window, machine }: EncodeSituation): EncodeDecision {
  const wait = isPaused ? 'paused' : !isWithin(window, now) ? 'window' : hasRoom(machine) ? null : 'machine';
  const isRunning = queue.some(({ state }) => state === 'running');
  const next = queue.find(
    (one) => one.state === 'waiting' && one.isReady && one.readyAt <= now && !one.awaits,
  );
  return { start: wait === null && !isRunning ? next?.id : undefined, hold: wait !== null, wait };
}
