/** Which recording is encoded now, and whether encoding has to wait: pure. */
import { JST_OFFSET_MS } from '../../arib/time.ts';
import type { WallMs } from '../../host/clock.ts';

/** Why nothing is encoded although something waits. */
type EncodeWait = 'paused' | 'window' | 'machine';

export interface MachineUse {
  readonly processors: number;
  /** Encoders that viewers wait for: live and conversions. */
  readonly viewers: number;
  readonly recordings: number;
}

/** Minutes of the Japanese day; equal: all day. May cross midnight. */
export interface EncodeWindow {
  readonly from: number;
  readonly to: number;
}

interface WaitingEncode {
  readonly id: number;
  readonly state: string;
  /** Epoch ms: not begun before. */
  readonly readyAt: WallMs;
  /** Its recording can be encoded now. */
  readonly isReady: boolean;
  /** Something is made of its original that must come first, and it has waited for it less than that may take. */
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
  /** Row to begin with. */
  readonly start: number | undefined;
  /** What runs is not fed. */
  readonly hold: boolean;
  readonly wait: EncodeWait | null;
}

/** An encoder of a viewer by software takes one to two processors; a recording some percent, at most a quarter. */
const PER_VIEWER = 1.5;
const PER_RECORDING = 0.25;
/** Less than this left over is nothing to encode with. */
const MIN_LEFT = 0.75;
const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;

export function isWithin({ from, to }: EncodeWindow, now: WallMs): boolean {
  if (from === to) return true;
  const minute = Math.floor((now + JST_OFFSET_MS) / MINUTE_MS) % DAY_MINUTES;
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

/** Recordings alone never hold it up: they have priority by the scheduler, and need little. */
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
