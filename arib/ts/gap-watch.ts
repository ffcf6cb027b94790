/**
 * Detects which of a programme's streams are missing, and for how long, by the clocks that are received: the
 * programme clock and the time stamps of the other stream. A loss of all reception is not such a gap, because no
 * clock advances then.
 */
import { type Pts90k, unwrapPts } from '../time.ts';
import { PTS_HZ } from './clock.ts';

export type WatchedStream = 'video' | 'audio';

/** The fault as seen by a viewer. */
export type ProgrammeFault = 'scrambled' | 'no_picture' | 'no_sound';

/**
 * Time stamps of a stream are at most 0.7 s apart (ISO/IEC 13818-1 2.7.4), programme clocks 0.1 s: after a larger
 * step the clock jumped, or was not received either.
 */
const MAX_STEP = PTS_HZ;
const FAULT_AFTER = PTS_HZ;

type Clock = WatchedStream | 'pcr';

export class GapWatch {
  /** Unwrapped, 90 kHz. */
  readonly #clocks = new Map<Clock, number>();
  /** By stream, the clocks at its last unit. */
  readonly #seen = new Map<WatchedStream, Map<Clock, number>>();
  /** Streams with scrambled packets since the last unit. */
  readonly #scrambled = new Set<WatchedStream>();

  /** Base of the programme clock. */
  clock(pcr: Pts90k): void {
    this.#tick('pcr', pcr);
  }

  /** A readable unit began. */
  unit(stream: WatchedStream, pts: Pts90k): void {
    this.#tick(stream, pts);
    this.#seen.set(stream, new Map(this.#clocks));
    this.#scrambled.delete(stream);
  }

  scrambled(stream: WatchedStream): void {
    this.#scrambled.add(stream);
  }

  /** 90 kHz ticks since its last unit; 0 before the first one. */
  missing(stream: WatchedStream): number {
    let most = 0;
    for (const [clock, then] of this.#seen.get(stream) ?? []) {
      if (clock !== stream) most = Math.max(most, (this.#clocks.get(clock) ?? then) - then);
    }
    return most;
  }

  get fault(): ProgrammeFault | undefined {
    for (const stream of ['video', 'audio'] as const) {
      if (this.missing(stream) < FAULT_AFTER) continue;
      if (this.#scrambled.has(stream)) return 'scrambled';
      return stream === 'video' ? 'no_picture' : 'no_sound';
    }
    return undefined;
  }

  #tick(clock: Clock, value: Pts90k): void {
    const before = this.#clocks.get(clock);
    const now = before === undefined ? value : unwrapPts(value, before);
    const step = now - (before ?? now);
    if (step < 0 && step > -MAX_STEP) return;
    this.#clocks.set(clock, now);
    if (before !== undefined && step > 0 && step <= MAX_STEP) return;
    // The time that passed in a jump is unknown and counts as 0.
    for (const seen of this.#seen.values()) {
      const then = seen.get(clock);
      seen.set(clock, then === undefined ? now : then + step);
    }
  }
}
