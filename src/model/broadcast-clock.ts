/**
 * The broadcast's clock, by which programmes and recordings begin and end. Pure.
 *
 * Time Offset Tables (ARIB STD-B10 Part 2, 5.2.9) tell it; between them the machine's monotonic clock carries it on, so
 * that nothing happens when somebody, or NTP, sets the machine's wall clock. Before the first of them, and a day after
 * the last, the wall clock is all that there is.
 *
 * Trust: each network by the median of its last tables; of networks that disagree the larger group, of two equal groups
 * the one nearer to the wall clock. One network alone is believed up to a day from the wall clock, further off only
 * where that was evidently never set: a broadcaster's mistake is likelier then than a clock's, as it is where the
 * network leaves by more than a minute what it and the wall clock agreed on.
 *
 * A table is delayed by reception, and tells whole seconds. Up to a second between it and this clock is nothing; up to
 * a few the clock goes a little faster or slower until it is right; more than that it is set at once.
 */

import type { NetworkId } from '../../arib/ids.ts';
import { type BroadcastMs, broadcastMs } from '../../arib/time.ts';
import type { MonotonicClock, MonotonicMs, WallClock, WallMs } from '../../host/clock.ts';

interface MachineClocks {
  /** May be set at any time. */
  wall: WallClock;
  /** ms since the machine was started; monotonic, counts suspension. */
  elapsed: MonotonicClock;
}

/** A Time Offset Table as it came. */
export interface HeardTime {
  networkId: NetworkId;
  /** What it says. */
  time: BroadcastMs;
  /** When it came. */
  at: WallMs;
}

/** A minute and a half of tables at 5 s: as few as a short visit brings. */
const SAMPLES = 17;
/** Fewer may be of one mistake. */
const ENOUGH = 3;
/** Maximum error by delays and whole seconds. */
const QUIET_MS = 1000;
/** Networks further apart than this disagree. */
const AGREEMENT_MS = 2000;
/** Beyond it the clock is set. To go so far by going faster takes a minute. */
const STEP_MS = 3000;
/** No broadcaster corrects its clock by more. */
const LEAP_MS = 60_000;
/** How much faster or slower it goes: in the 5 s of a margin a quarter of a second. */
const SLEW = 0.05;
/** Maximum delay of the worker's message; a longer one means that the wall clock was set meanwhile. */
const DELAY_MS = 2000;
const DAY_MS = 86_400_000;
/** A wall clock before 2020 has never been set. */
const SET_AFTER = Date.UTC(2020, 0, 1);
/** The service receives a terrestrial network a channel and three of satellites. */
const MAX_NETWORKS = 128;

/** What a network says: broadcast time minus elapsed time, ms. */
interface Network {
  /** The last ones, in order. */
  samples: number[];
  heardAt: MonotonicMs;
}

interface Party {
  size: number;
  offset: number;
}

export class BroadcastClock {
  readonly #networks = new Map<NetworkId, Network>();
  /** Broadcast time minus elapsed time at `since`, and where it goes from there; undefined: the wall clock counts. */
  #course: { offset: number; to: number; since: MonotonicMs } | undefined;
  #heardAt = -Infinity;

  /** @param onSet it was set by so many ms */
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

  heard({ networkId, time, at }: HeardTime): void {
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
    // From here on the wall clock may be set.
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

  /** @param wall what the wall clock says, as networks say it */
  #party(elapsed: MonotonicMs, wall: number): Party | undefined {
    const said = [...this.#networks.values()]
      .filter(({ samples, heardAt }) => samples.length >= ENOUGH && elapsed - heardAt <= DAY_MS)
      .map(({ samples }) => median(samples));
    const parties = said.map((one): Party => {
      const near = said.filter((other) => Math.abs(other - one) <= AGREEMENT_MS);
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
