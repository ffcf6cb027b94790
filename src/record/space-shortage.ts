/**
 * Warns before the space for recordings is used up: when it suffices for about half an hour of running or planned
 * recordings. A disk that is full is told by `notify/condition-watch.ts`, what it cost by the recordings' verdicts.
 */
import { type BroadcastMs, broadcastMs, earliest, latest, plusMs } from '../../lib/arib/time.ts';
import type { Log } from '../../lib/host/log.ts';
import type { BroadcastSpan } from '../model/verdict.ts';
import type { Hub } from '../notify/hub.ts';

/** Threshold of the warning. */
const SHORT_MS = 30 * 60_000;
/** Later reservations are ignored: plans may change, and recordings be deleted. */
const AHEAD_MS = 24 * 3_600_000;
/** Used before the first recording: a terrestrial station of 17 Mbit/s, octets per ms. */
const DEFAULT_RATE = 2_125;
const CHECK_MS = 60_000;

export interface Shortage {
  /** How long one recording could still be written, ms. */
  leftMs: number;
  /** When planned recordings will have used up the space; null: the space just suffices. */
  fullAt: BroadcastMs | null;
}

export interface SpaceNeeds {
  /** Octets that can still be written; undefined if unknown. */
  roomBytes: number | undefined;
  /** Octets per ms of a recording; null: there is no recording yet. */
  rate: number | null;
  /** When recordings run or are planned; epoch ms. */
  uses: readonly BroadcastSpan[];
  now: BroadcastMs;
}

/** Recordings of the next day at most. */
function usesAhead({ uses, now }: Pick<SpaceNeeds, 'uses' | 'now'>): BroadcastSpan[] {
  return uses
    .map(({ from, to }) => ({ from: latest(from, now), to: earliest(to, plusMs(now, AHEAD_MS)) }))
    .filter(({ from, to }) => to > from);
}

const leftMsOf = (roomBytes: number, rate: number | null): number =>
  Math.floor(roomBytes / (rate ?? DEFAULT_RATE));

/** When running and planned recordings of the next day will have used up the space; null: it suffices, or is unknown. */
export function fullAtOf({ roomBytes, rate, uses, now }: SpaceNeeds): BroadcastMs | null {
  return roomBytes === undefined ? null : usedUpAt(usesAhead({ uses, now }), leftMsOf(roomBytes, rate));
}

export function shortageOf(needs: SpaceNeeds): Shortage | null {
  const { roomBytes, rate, now } = needs;
  if (roomBytes === undefined || usesAhead(needs).length === 0) return null;
  const leftMs = leftMsOf(roomBytes, rate);
  const fullAt = fullAtOf(needs);
  const isSoon = fullAt !== null && fullAt - now <= SHORT_MS;
  return leftMs <= SHORT_MS || isSoon ? { leftMs, fullAt } : null;
}

/** When parallel recordings reach a total length of so many ms; null: they are shorter. */
function usedUpAt(uses: readonly BroadcastSpan[], leftMs: number): BroadcastMs | null {
  const changes = uses
    .flatMap(({ from, to }) => [
      { at: from, by: 1 },
      { at: to, by: -1 },
    ])
    .sort((a, b) => a.at - b.at);
  let [left, running, at] = [leftMs, 0, 0];
  for (const change of changes) {
    const taken = (change.at - at) * running;
    if (running > 0 && taken >= left) return broadcastMs(Math.ceil(at + left / running));
    left -= taken;
    running += change.by;
    at = change.at;
  }
  return null;
}

interface SpaceWatchOptions {
  shortage: () => Promise<Shortage | null>;
  hub: Pick<Hub, 'changed'>;
  log: Log;
  checkMs?: number;
}

/** Logs a shortage once, and notifies clients of its begin and end. */
export class SpaceWatch {
  #isShort = false;
  #isChecking = false;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(readonly options: SpaceWatchOptions) {}

  start(): void {
    this.#timer = setInterval(() => void this.check(), this.options.checkMs ?? CHECK_MS);
    void this.check();
  }

  async check(): Promise<void> {
    const { shortage, hub, log } = this.options;
    // A folder that hangs delays the answer.
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      const found = await shortage();
      const isShort = found !== null;
      if (isShort === this.#isShort) return;
      this.#isShort = isShort;
      if (found !== null) log.warn('little space is left for planned recordings', { ...found });
      else log.info('space suffices again for planned recordings');
      hub.changed('recordings');
    } catch (error) {
      log.error('space for recordings not checked', { error: String(error) });
    } finally {
      this.#isChecking = false;
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
