/** A channel on the air: one stream, made once for all of its tunings, at the pace of its clock references. */
import type { BroadcastMs } from '../../arib/time.ts';
import { momentOf, ticksAt } from '../clock.ts';
import { PACKET_SIZE } from '../media/loop.ts';
import type { Multiplexer } from '../mux/multiplexer.ts';
import type { Ending, Tuning } from './tuning.ts';

const TICKS_PER_MS = 90;

export class ChannelAir {
  readonly #tunings = new Set<Tuning>();
  /** Monotonic ms and broadcast time at which the current tunings began. */
  #began = { now: 0, ticks: 0 };

  constructor(
    private readonly stream: Multiplexer,
    /** By how many seconds it may be late before it omits the time in between. */
    private readonly maxLagSec: number,
    /** Relative to real time. */
    private readonly speed = 1,
  ) {}

  get isIdle(): boolean {
    return this.#tunings.size === 0;
  }

  /** @param now monotonic ms @param at the moment of the broadcast clock */
  add(tuning: Tuning, now: number, at: BroadcastMs): void {
    if (this.isIdle) {
      this.#began = { now, ticks: ticksAt(at) };
      this.stream.seek(this.#began.ticks);
    } else this.step(now);
    this.#tunings.add(tuning);
  }

  remove(tuning: Tuning): void {
    this.#tunings.delete(tuning);
  }

  /** Sends what is due. @param now monotonic ms */
  step(now: number): void {
    if (this.isIdle) return;
    const { stream } = this;
    const ticksPerMs = TICKS_PER_MS * this.speed;
    const target = this.#began.ticks + (now - this.#began.now) * ticksPerMs;
    if (target - stream.ticks > this.maxLagSec * 1000 * ticksPerMs) stream.seek(target);
    const first = stream.packet;
    const count = stream.packetsUntil(target);
    const block = new Uint8Array(count * PACKET_SIZE);
    stream.fill(block, count);
    for (const tuning of this.#tunings)
      tuning.take(block, first, (packet) => momentOf(stream.ticksOf(packet)));
  }

  end(ending: Ending): void {
    for (const tuning of this.#tunings) tuning.end(ending);
    this.#tunings.clear();
  }
}
