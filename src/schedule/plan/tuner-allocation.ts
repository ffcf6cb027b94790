/**
 * Which recordings fit on the tuners, by the agent's rules of tuner selection (`agent/select.ts`): all recordings are
 * of one priority, so that none takes a tuner from another. A recording that begins while another receives the same
 * physical channel shares that tuning; otherwise it gets the free tuner of the smallest rank that supports its type.
 * A tuning stays on its tuner until its last consumer ends. Pure.
 */
import type { BroadcastType } from '../../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs, earliest, latest, plusMs } from '../../../lib/arib/time.ts';

export interface PlanTuner {
  /** Rank from the agent; 0 is used first. */
  readonly rank: number;
  readonly types: readonly BroadcastType[];
  /** Time from a request for another channel to its first packets, ms. Absent: 0. */
  readonly retuneMs?: number;
}

/** A recording's use of a tuner. Times in epoch ms. */
export interface Slot {
  /** Distinguishes slots with equal times. */
  readonly id: number;
  readonly type: BroadcastType;
  /** Physical channel. */
  readonly channel: string;
  /** When it needs its tuner, without margins. */
  readonly from: BroadcastMs;
  readonly to: BroadcastMs;
  /** It overruns its announced end, and `to` is only the time of the next check. */
  readonly isOpen?: boolean;
  /** Not null: it may continue beyond its announced end until its station reports another programme. */
  readonly holdUntil?: BroadcastMs | null;
  /** Margins, ms. */
  readonly before: number;
  readonly after: number;
  /** Index of the tuner that it already holds; null: not begun. */
  readonly held: number | null;
}

export interface Placed<T extends Slot> {
  readonly slot: T;
  /** Index of the tuner. */
  readonly tuner: number;
}

/** How two consecutive recordings of one channel, with overlapping margins, use tuners. */
type Meeting =
  /** The second joins the tuning of the first. */
  | 'join'
  /** The second gets the tuner that it would get if the first had ended. */
  | 'part';

interface Seat {
  /** Until when it is used. */
  readonly until: BroadcastMs;
  /** The same, with the margins of its consumers. */
  readonly closes: BroadcastMs;
  readonly type: BroadcastType | undefined;
  readonly channel: string;
}

const NEVER = broadcastMs(Number.NEGATIVE_INFINITY);
const EMPTY: Seat = { until: NEVER, closes: NEVER, type: undefined, channel: '' };

/**
 * In the order of requests to the agent. Of those that begin together the longest is first: it gets the smaller rank,
 * so that the tuner with more types is free again sooner.
 */
function byBegin(a: Slot, b: Slot): number {
  const held = Number(b.held !== null) - Number(a.held !== null);
  return held || a.from - b.from || b.to - a.to || a.id - b.id;
}

function sharedSeat(seats: readonly Seat[], slot: Slot, meeting: Meeting): number {
  for (let index = 0; index < seats.length; index++) {
    const seat = seats[index];
    if (seat === undefined || seat.channel !== slot.channel || seat.type !== slot.type) continue;
    if (meeting === 'join' ? seat.closes > slot.from - slot.before : seat.until > slot.from) return index;
  }
  return -1;
}

/**
 * The free tuner of the smallest rank; among equal ranks, like the agent, the one that was on the channel, then the
 * one whose last end margin ends first.
 */
function freeSeat(tuners: readonly PlanTuner[], seats: readonly Seat[], slot: Slot): number {
  let found = -1;
  let bestRank = Infinity;
  let bestWasOn = false;
  let bestCloses = Infinity;
  for (let index = 0; index < seats.length; index++) {
    const seat = seats[index];
    const tuner = tuners[index];
    if (seat === undefined || tuner === undefined || seat.until > slot.from) continue;
    if (tuner.rank > bestRank || !tuner.types.includes(slot.type)) continue;
    const wasOn = seat.type === slot.type && seat.channel === slot.channel;
    const better =
      tuner.rank < bestRank || (wasOn === bestWasOn ? seat.closes < bestCloses : wasOn && !bestWasOn);
    if (!better) continue;
    found = index;
    bestRank = tuner.rank;
    bestWasOn = wasOn;
    bestCloses = seat.closes;
  }
  return found;
}

/** undefined: one of them gets no tuner. */
export function place<T extends Slot>(
  tuners: readonly PlanTuner[],
  slots: readonly T[],
  meeting: Meeting,
): Placed<T>[] | undefined {
  return placeSorted(tuners, slots.toSorted(byBegin), meeting);
}

/** The tuner that a recording gets; -1: none. */
function tunerOf(tuners: readonly PlanTuner[], seats: readonly Seat[], slot: Slot, meeting: Meeting): number {
  const shared = slot.held === null ? sharedSeat(seats, slot, meeting) : -1;
  const tuner = slot.held ?? (shared === -1 ? freeSeat(tuners, seats, slot) : shared);
  return tuner < seats.length ? tuner : -1;
}

/** State of the tuners after a recording has begun on one. */
function seated(seats: readonly Seat[], slot: Slot, tuner: number): Seat[] {
  const { type, channel, to, after } = slot;
  const seat = seats[tuner] ?? EMPTY;
  const stays = seat.type === type && seat.channel === channel;
  const until = latest(seat.until, to);
  const closes = latest(stays ? seat.closes : NEVER, plusMs(to, after));
  return seats.with(tuner, { until, closes, type, channel });
}

function placeSorted<T extends Slot>(
  tuners: readonly PlanTuner[],
  slots: readonly T[],
  meeting: Meeting,
): Placed<T>[] | undefined {
  let seats = tuners.map(() => EMPTY);
  const placed: Placed<T>[] = [];
  for (const slot of slots) {
    const tuner = tunerOf(tuners, seats, slot, meeting);
    if (tuner === -1) return undefined;
    seats = seated(seats, slot, tuner);
    placed.push({ slot, tuner });
  }
  return placed;
}

/** With or without margins, consecutive recordings joined or separate: the first variant in which all get a tuner. */
export function placeAll<T extends Slot>(
  tuners: readonly PlanTuner[],
  slots: readonly T[],
): Placed<T>[] | undefined {
  const sorted = slots.toSorted(byBegin);
  return placeSorted(tuners, sorted, 'join') ?? placeSorted(tuners, sorted, 'part');
}

/** Binary search for the first element with a property that all later ones also have. */
function firstIndex<E>(list: readonly E[], holds: (one: E) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const one = list[middle];
    if (one !== undefined && !holds(one)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Slots that can affect each other's tuners: before and after them all tuners are free, margins included. */
interface Cluster<T extends Slot> {
  from: BroadcastMs;
  to: BroadcastMs;
  /** Of its longest slot, ms. */
  longest: number;
  /** Sorted by begin. */
  slots: T[];
  /** State of the tuners after each slot, as far as computed. */
  readonly lines: Readonly<Record<Meeting, (readonly Seat[])[]>>;
}

/** The recordings that got a tuner, in periods that do not touch. */
export class TunerTime<T extends Slot> {
  /** Sorted by time. */
  #clusters: Cluster<T>[] = [];

  constructor(private readonly tuners: readonly PlanTuner[]) {}

  /** Adds a recording if all earlier ones keep their tuners. */
  add(slot: T): boolean {
    if (slot.held === null && this.#isFull(slot)) return false;
    const merged = this.#merged(slot);
    if (slot.held === null && !this.#isPlaced(merged.cluster)) return false;
    this.#clusters.splice(merged.first, merged.count, merged.cluster);
    return true;
  }

  /** Whether `add` would accept it. */
  fits(slot: T): boolean {
    return !this.#isFull(slot) && this.#isPlaced(this.#merged(slot).cluster);
  }

  /** Whether more channels than tuners are needed at some time: a quick test before the much slower placement. */
  #isFull(slot: T): boolean {
    const others = this.overlapping(slot);
    const own = `${slot.type}/${slot.channel}`;
    // All recordings that hold the same tuner count once, whatever their channels.
    const onTuner = new Map<number, string>();
    const places = others.map(({ type, channel, held }) => {
      const place = (held === null ? undefined : onTuner.get(held)) ?? `${type}/${channel}`;
      if (held !== null) onTuner.set(held, place);
      return place;
    });
    const able = this.tuners.filter(({ types }) => types.includes(slot.type)).length;
    const times = new Set([slot.from, ...others.map(({ from }) => Math.max(from, slot.from))]);
    for (const at of times) {
      const all = new Set([own]);
      const ofType = new Set([own]);
      for (const [index, place] of places.entries()) {
        const other = others[index];
        if (other === undefined || other.from > at || other.to <= at) continue;
        all.add(place);
        if (other.type === slot.type) ofType.add(place);
      }
      if (all.size > this.tuners.length || ofType.size > able) return true;
    }
    return false;
  }

  #isPlaced(cluster: Cluster<T>): boolean {
    return this.#isPlacedBy(cluster, 'join') || this.#isPlacedBy(cluster, 'part');
  }

  #isPlacedBy({ slots, lines }: Cluster<T>, meeting: Meeting): boolean {
    const line = lines[meeting];
    let seats = line.at(-1) ?? this.tuners.map(() => EMPTY);
    for (let at = line.length; at < slots.length; at++) {
      const slot = slots[at];
      if (slot === undefined) break;
      const tuner = tunerOf(this.tuners, seats, slot, meeting);
      if (tuner === -1) return false;
      seats = seated(seats, slot, tuner);
      line.push(seats);
    }
    return true;
  }

  /** Slots that need a tuner at the same time as `slot`. */
  overlapping(slot: Slot): T[] {
    const found: T[] = [];
    for (let at = this.#firstCluster(slot.from); at < this.#clusters.length; at++) {
      const cluster = this.#clusters[at];
      if (cluster === undefined || cluster.from >= slot.to) break;
      const { slots, longest } = cluster;
      // Running recordings are sorted before the others, whatever their start.
      const isFar = (other: T): boolean => other.held === null && other.from < slot.from - longest;
      for (
        let index = firstIndex(slots, (other) => other.held === null && !isFar(other));
        index < slots.length;
        index++
      ) {
        const other = slots[index];
        if (other === undefined || other.from >= slot.to) break;
        if (other !== slot && slot.from < other.to) found.push(other);
      }
      for (const other of slots) {
        if (other.held === null) break;
        if (other !== slot && other.from < slot.to && slot.from < other.to) found.push(other);
      }
    }
    return found;
  }

  /** The periods, each with its recordings. */
  clusters(): readonly (readonly T[])[] {
    return this.#clusters.map(({ slots }) => slots);
  }

  #merged(slot: T): { first: number; count: number; cluster: Cluster<T> } {
    const first = this.#firstCluster(plusMs(slot.from, -slot.before));
    let from = plusMs(slot.from, -slot.before);
    let to = plusMs(slot.to, slot.after);
    let longest = slot.to - slot.from;
    let count = 0;
    for (; first + count < this.#clusters.length; count++) {
      const other = this.#clusters[first + count];
      if (other === undefined || other.from > slot.to + slot.after) break;
      from = earliest(from, other.from);
      to = latest(to, other.to);
      longest = Math.max(longest, other.longest);
    }
    // Clusters are in order of time, and running recordings are in the first: their slots are sorted.
    const before = this.#clusters.slice(first, first + count);
    const [start] = before;
    const slots =
      count === 1 && start !== undefined ? start.slots.slice() : before.flatMap((one) => one.slots);
    const at = firstIndex(slots, (other) => byBegin(slot, other) < 0);
    slots.splice(at, 0, slot);
    // Slots before it in the first cluster keep their placement.
    const same = Math.min(at, start?.slots.length ?? 0);
    const lines = {
      join: start?.lines.join.slice(0, same) ?? [],
      part: start?.lines.part.slice(0, same) ?? [],
    };
    return { first, count, cluster: { from, to, longest, slots, lines } };
  }

  /** The first that ends at or after a time. */
  #firstCluster(at: BroadcastMs): number {
    return firstIndex(this.#clusters, ({ to }) => to >= at);
  }
}
