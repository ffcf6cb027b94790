/**
 * The broadcast's clock, which determines when programmes and recordings begin and end. Pure.
 *
 * Time Offset Tables (ARIB STD-B10 Part 2, 5.2.9) provide the time; between them the machine's monotonic clock
 * continues it, so that setting the machine's wall clock (by a user or NTP) has no effect. Before the first table,
 * and a day after the last, the wall clock is used.
 *
 * Trust: each network counts with the least late of its last tables, because a table arrives late on a busy machine
 * and never early. If networks disagree, the larger group is used; of two equal groups the one closer to the wall
 * clock. A single network is trusted up to a day from the wall clock; beyond that only if the wall clock was evidently
 * never set, because a broadcaster's mistake is more likely then than a wrong clock. The same applies if the network
 * deviates by more than a minute from a time that it and the wall clock agreed on.
 *
 * Tables ahead of this clock prove that it is slow. Tables behind it may just be late, so they must stay behind, and be
 * steady, before they change anything (`#isDoubtful`). A small difference is ignored, because tables have whole seconds;
 * up to a few seconds the clock runs a little faster or slower until it is right; a larger difference sets it at once.
 */
import type { NetworkId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs, DAY_MS } from '../../lib/arib/time.ts';
import { type MonotonicClock, type MonotonicMs, monotonicMs, type WallClock } from '../../lib/host/clock.ts';
import { ENOUGH, isSteady, leastLate } from './least-late.ts';

interface MachineClocks {
  /** May be set at any time. */
  wall: WallClock;
  /** ms since the machine was started; monotonic, includes suspension. */
  elapsed: MonotonicClock;
  /** This thread's clock without suspension, by which arrivals are told. */
  monotonic: MonotonicClock;
}

/** A received Time Offset Table. */
export interface ReceivedTime {
  networkId: NetworkId;
  /** The time in the table. */
  time: BroadcastMs;
  /** When it was received, by `monotonic`. */
  at: MonotonicMs;
}

/** Tables that count, so that the least late one of a busy minute is among them. */
const WINDOW_MS = 120_000;
/** Bounds the memory of a window: tables come every 5 s. */
const MAX_SAMPLES = 64;
/** Maximum error of tables in time, by whole seconds and the delay of reception. */
const BEHIND_MS = 1000;
/** Networks differ by about this. */
const AHEAD_MS = 250;
/** Networks further apart than this disagree. */
const AGREEMENT_MS = 2000;
/** A larger difference sets the clock: running faster would take a minute to correct it. */
const STEP_MS = 3000;
/** No broadcaster corrects its clock by more. */
const LEAP_MS = 60_000;
/** How much faster or slower it runs: a quarter of a second during a margin of 5 s. */
const SLEW = 0.05;
/** Longest delay of a table: all queues between tuner and guide worker are full. */
const MAX_LATE_MS = 120_000;
/**
 * How long steady tables must be behind before they are believed: if they contradict only the wall clock, or agree with
 * it; if they contradict earlier tables; if they contradict both earlier tables and the wall clock.
 */
const DOUBT_MS = { wall: 15_000, tables: 180_000, both: 1_800_000 };
/** Maximum delay of a message between threads. */
const DELAY_MS = 60_000;
/** A wall clock before 2020 was never set. */
const SET_AFTER = Date.UTC(2020, 0, 1);
/** The service receives one terrestrial network per channel, and three of satellites. */
const MAX_NETWORKS = 128;

interface Sample {
  /** Broadcast time minus elapsed time, ms. */
  offset: number;
  at: MonotonicMs;
}

interface Network {
  /** The last samples, in order. */
  samples: readonly Sample[];
  heardAt: MonotonicMs;
}

interface Party {
  size: number;
  offset: number;
  isSteady: boolean;
}

export class BroadcastClock {
  readonly #networks = new Map<NetworkId, Network>();
  /** Broadcast time minus elapsed time at `since`, and its target; undefined: the wall clock is used. */
  #course: { offset: number; to: number; since: MonotonicMs } | undefined;
  #heardAt = -Infinity;
  /** Since when the tables are behind this clock. */
  #behindFrom: MonotonicMs | undefined;

  /** @param onSet called with the step when the clock was set */
  constructor(
    private readonly clocks: MachineClocks,
    private readonly onSet: (byMs: number) => void,
  ) {}

  readonly now = (): BroadcastMs => {
    const elapsed = this.clocks.elapsed();
    if (elapsed - this.#heardAt > DAY_MS) this.#course = undefined;
    return broadcastMs(
      this.#course === undefined ? this.clocks.wall() : Math.round(elapsed + this.#offset(elapsed)),
    );
  };

  /**
   * Whether old data may be deleted by this clock: a machine that was just started may have any date. After a day of
   * uptime its wall clock is trusted.
   */
  readonly isSure = (): boolean => {
    const elapsed = this.clocks.elapsed();
    return elapsed > DAY_MS || elapsed - this.#heardAt <= DAY_MS;
  };

  receive({ networkId, time, at }: ReceivedTime): void {
    const elapsed = this.clocks.elapsed();
    const waited = this.clocks.monotonic() - at;
    const arrivedAt = monotonicMs(elapsed - Math.max(0, Math.min(DELAY_MS, waited)));
    const known = (this.#networks.get(networkId)?.samples ?? []).filter((one) => elapsed - one.at <= DAY_MS);
    this.#networks.delete(networkId);
    this.#networks.set(networkId, {
      samples: taken(known, { offset: time - arrivedAt, at: arrivedAt }),
      heardAt: elapsed,
    });
    if (this.#networks.size > MAX_NETWORKS) {
      const [oldest] = this.#networks.keys();
      if (oldest !== undefined) this.#networks.delete(oldest);
    }
    this.#judge(elapsed);
  }

  #judge(elapsed: MonotonicMs): void {
    const wall = this.clocks.wall() - elapsed;
    const party = this.#party(elapsed, wall);
    if (party === undefined) return;
    const isFar = Math.abs(party.offset - wall) > DAY_MS;
    if (party.size === 1 && isFar && wall + elapsed > SET_AFTER) return;
    if (party.size === 1 && this.#leaves(party.offset, wall, elapsed)) return;
    const isDoubtful = this.#isDoubtful(party, wall, elapsed);
    this.#heardAt = elapsed;
    if (isDoubtful) return;
    // From here on setting the wall clock has no effect.
    this.#course ??= { offset: wall, to: wall, since: elapsed };
    const offset = this.#offset(elapsed);
    const by = party.offset - offset;
    if (Math.abs(by) > STEP_MS) {
      this.#course = { offset: party.offset, to: party.offset, since: elapsed };
      this.onSet(Math.round(by));
    } else if (by > AHEAD_MS || by < -BEHIND_MS || offset !== this.#course.to) {
      this.#course = { offset, to: party.offset, since: elapsed };
    }
  }

  /** Whether the tables are behind this clock and may be late: then it stays as it is. */
  #isDoubtful(party: Party, wall: number, elapsed: MonotonicMs): boolean {
    const offset = this.#course === undefined ? wall : this.#offset(elapsed);
    const by = party.offset - offset;
    if (by >= -BEHIND_MS || by < -MAX_LATE_MS) {
      this.#behindFrom = undefined;
      return false;
    }
    // Two short visits of the guide are no evidence for the hours between them.
    if (this.#behindFrom === undefined || elapsed - this.#heardAt > WINDOW_MS) this.#behindFrom = elapsed;
    const isOfWall = this.#course === undefined && by < -STEP_MS;
    const agreed = this.#course !== undefined && Math.abs(offset - wall) <= AGREEMENT_MS;
    const agrees = !agreed && Math.abs(party.offset - wall) <= AGREEMENT_MS;
    const needed = isOfWall || agrees ? DOUBT_MS.wall : agreed ? DOUBT_MS.both : DOUBT_MS.tables;
    return !party.isSteady || elapsed - this.#behindFrom < needed;
  }

  /** Whether a network that agreed with the machine's clock now deviates alone. */
  #leaves(offset: number, wall: number, elapsed: MonotonicMs): boolean {
    if (this.#course === undefined || elapsed - this.#heardAt > DAY_MS) return false;
    return Math.abs(this.#offset(elapsed) - wall) <= AGREEMENT_MS && Math.abs(offset - wall) > LEAP_MS;
  }

  #offset(elapsed: MonotonicMs): number {
    const { offset, to, since } = this.#course ?? { offset: 0, to: 0, since: 0 };
    const most = (elapsed - since) * SLEW;
    return offset + Math.max(-most, Math.min(most, to - offset));
  }

  /** @param wall wall clock minus elapsed time, comparable to the networks' times */
  #party(elapsed: MonotonicMs, wall: number): Party | undefined {
    const networks = [...this.#networks.values()].flatMap(({ samples, heardAt }) => {
      const offsets = samples.map(({ offset }) => offset);
      const offset = leastLate(offsets);
      const isOld = elapsed - heardAt > DAY_MS;
      return offset === undefined || isOld ? [] : [{ offset, isSteady: isSteady(offsets) }];
    });
    const parties = networks.map((one): Party => {
      const near = networks.filter(({ offset }) => Math.abs(offset - one.offset) <= AGREEMENT_MS);
      return {
        size: near.length,
        offset: median(near.map(({ offset }) => offset)),
        isSteady: near.some((other) => other.isSteady),
      };
    });
    const away = ({ offset }: Party): number => Math.abs(offset - wall);
    return parties.sort((a, b) => b.size - a.size || away(a) - away(b))[0];
  }
}

/**
 * The samples that count from now on. If the last ones agree with each other but are further behind earlier ones than
 * a table may be late, the network has set its clock back.
 */
function taken(known: readonly Sample[], sample: Sample): readonly Sample[] {
  const recent = [...known, sample].filter(({ at }) => sample.at - at <= WINDOW_MS).slice(-MAX_SAMPLES);
  // A new visit: the last one counts until enough tables were received.
  const samples = recent.length < ENOUGH ? [...known, sample].slice(-MAX_SAMPLES) : recent;
  const last = samples.slice(-ENOUGH).map(({ offset }) => offset);
  const [newest, before] = [leastLate(last), leastLate(samples.map(({ offset }) => offset))];
  const isSetBack = newest !== undefined && before !== undefined && before - newest > MAX_LATE_MS;
  return isSetBack ? samples.slice(-ENOUGH) : samples;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
