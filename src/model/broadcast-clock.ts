/**
 * The broadcast's clock, which determines when programmes and recordings begin and end. Pure.
 *
 * Time Offset Tables (ARIB STD-B10 Part 2, 5.2.9) provide the time; between them the machine's monotonic clock
 * continues it, so that setting the machine's wall clock (by a user or NTP) has no effect. Before the first table,
 * and a day after the last, the wall clock is used.
 *
 * Trust: each network counts with the median of its last tables. If networks disagree, the larger group is used; of
 * two equal groups the one closer to the wall clock. A single network is trusted up to a day from the wall clock;
 * beyond that only if the wall clock was evidently never set, because a broadcaster's mistake is more likely then
 * than a wrong clock. The same applies if the network deviates by more than a minute from a time that it and the wall
 * clock agreed on.
 *
 * A table is delayed by reception, and has whole seconds. A difference of up to a second to this clock is ignored; up
 * to a few seconds the clock runs a little faster or slower until it is right; a larger difference sets it at once.
 */

import type { NetworkId } from '../../arib/ids.ts';
import { type BroadcastMs, broadcastMs } from '../../arib/time.ts';
import type { MonotonicClock, MonotonicMs, WallClock, WallMs } from '../../host/clock.ts';

interface MachineClocks {
  /** May be set at any time. */
  wall: WallClock;
  /** ms since the machine was started; monotonic, includes suspension. */
  elapsed: MonotonicClock;
}

/** A received Time Offset Table. */
export interface ReceivedTime {
  networkId: NetworkId;
  /** The time in the table. */
  time: BroadcastMs;
  /** When it was received. */
  at: WallMs;
}

/** A minute and a half of tables at 5 s, about as many as a short visit receives. */
const SAMPLES = 17;
/** Fewer tables may all have the same error. */
const ENOUGH = 3;
/** Maximum error by delays and whole seconds. */
const QUIET_MS = 1000;
/** Networks further apart than this disagree. */
const AGREEMENT_MS = 2000;
/** A larger difference sets the clock: running faster would take a minute to correct it. */
const STEP_MS = 3000;
/** No broadcaster corrects its clock by more. */
const LEAP_MS = 60_000;
/** How much faster or slower it runs: a quarter of a second during a margin of 5 s. */
const SLEW = 0.05;
/** Maximum delay of the worker's message; a longer delay means that the wall clock was set in between. */
const DELAY_MS = 2000;
const DAY_MS = 86_400_000;
/** A wall clock before 2020 was never set. */
const SET_AFTER = Date.UTC(2020, 0, 1);
/** The service receives one terrestrial network per channel, and three of satellites. */
const MAX_NETWORKS = 128;

/** Time of a network: broadcast time minus elapsed time, ms. */
interface Network {
  /** The last samples, in order. */
  samples: number[];
  heardAt: MonotonicMs;
}

interface Party {
  size: number;
  offset: number;
}

export class BroadcastClock {
  readonly #networks = new Map<NetworkId, Network>();
  /** Broadcast time minus elapsed time at `since`, and its target; undefined: the wall clock is used. */
  #course: { offset: number; to: number; since: MonotonicMs } | undefined;
  #heardAt = -Infinity;

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
    const waited = this.clocks.wall() - at;
    const delay = waited >= 0 && waited <= DELAY_MS ? waited : 0;
    const known = this.#networks.get(networkId);
    const before = known !== undefined && elapsed - known.heardAt <= DAY_MS ? known.samples : [];
    this.#networks.delete(networkId);
    this.#networks.set(networkId, { samples: taken(before, time - (elapsed - delay)), heardAt: elapsed });
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
    this.#heardAt = elapsed;
    // From here on setting the wall clock has no effect.
    this.#course ??= { offset: wall, to: wall, since: elapsed };
    const offset = this.#offset(elapsed);
    const by = party.offset - offset;
    if (Math.abs(by) > STEP_MS) {
      this.#course = { offset: party.offset, to: party.offset, since: elapsed };
      this.onSet(Math.round(by));
    } else if (Math.abs(by) > QUIET_MS || offset !== this.#course.to) {
      this.#course = { offset, to: party.offset, since: elapsed };
    }
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
    const offsets = [...this.#networks.values()]
      .filter(({ samples, heardAt }) => samples.length >= ENOUGH && elapsed - heardAt <= DAY_MS)
      .map(({ samples }) => median(samples));
    const parties = offsets.map((one): Party => {
      const near = offsets.filter((other) => Math.abs(other - one) <= AGREEMENT_MS);
      return { size: near.length, offset: median(near) };
    });
    const away = ({ offset }: Party): number => Math.abs(offset - wall);
    return parties.sort((a, b) => b.size - a.size || away(a) - away(b))[0];
  }
}

/** If the last samples agree with each other but not with earlier ones, the network has changed its time. */
function taken(known: readonly number[], sample: number): number[] {
  const samples = [...known, sample].slice(-SAMPLES);
  const last = samples.slice(-ENOUGH);
  const agree = Math.max(...last) - Math.min(...last) <= AGREEMENT_MS;
  const isNew = Math.abs(median(last) - median(samples)) > STEP_MS;
  return last.length === ENOUGH && agree && isNew ? last : samples;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
