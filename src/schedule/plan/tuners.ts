/**
 * Which recordings fit on the tuners, by the rules by which the agent gives tuners out (`agent/select.ts`): all
 * recordings are of one priority, so that none takes a tuner from another. One that begins while another reads its
 * physical channel shares that tuning; otherwise it gets the free tuner of the smallest rank that takes its type. A
 * tuning stays where it is until its last reader ends. Pure.
 */
import type { BroadcastType } from '../../../arib/ids.ts';

export interface PlanTuner {
  /** As the agent says it; 0 is used first. */
  readonly rank: number;
  readonly types: readonly BroadcastType[];
}

/** A recording as the tuners see it. Times in epoch ms. */
export interface Slot {
  /** Tells slots apart that begin and end together. */
  readonly id: number;
  readonly type: BroadcastType;
  /** Physical channel. */
  readonly channel: string;
  /** When it needs its tuner, margins left out. */
  readonly from: number;
  readonly to: number;
  /** Margins, ms. */
  readonly before: number;
  readonly after: number;
  /** Index of the tuner that it holds already; null: it has not begun. */
  readonly held: number | null;
}

export interface Placed<T extends Slot> {
  readonly slot: T;
  /** Index of the tuner. */
  readonly tuner: number;
}

/** How two recordings of one channel meet that follow each other within their margins. */
export type Meeting =
  /** The second joins the tuning of the first. */
  | 'join'
  /** The second takes the tuner that it would get if the first had ended. */
  | 'part';

interface Seat {
  /** Until when it is read, epoch ms. */
  until: number;
  /** The same, with the margins of its readers. */
  closes: number;
  type: BroadcastType | undefined;
  channel: string;
}

/**
 * In the order in which the agent is asked. Of those that begin together the longest is first: it gets the smaller
 * rank, and the tuner that more types can use is free again sooner.
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
 * The free tuner of the smallest rank; of one rank, as the agent has it, the one that was on the channel, then the one
 * whose last recording is through with its margin first.
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

function placeSorted<T extends Slot>(
  tuners: readonly PlanTuner[],
  slots: readonly T[],
  meeting: Meeting,
): Placed<T>[] | undefined {
  const seats = tuners.map(
    (): Seat => ({ until: -Infinity, closes: -Infinity, type: undefined, channel: '' }),
  );
  const placed: Placed<T>[] = [];
  for (const slot of slots) {
    const shared = slot.held === null ? sharedSeat(seats, slot, meeting) : -1;
    const tuner = slot.held ?? (shared === -1 ? freeSeat(tuners, seats, slot) : shared);
    const seat = seats[tuner];
    if (seat === undefined) return undefined;
    const stays = seat.type === slot.type && seat.channel === slot.channel;
    seat.until = Math.max(seat.until, slot.to);
    seat.closes = Math.max(stays ? seat.closes : -Infinity, slot.to + slot.after);
    seat.type = slot.type;
    seat.channel = slot.channel;
    placed.push({ slot, tuner });
  }
  return placed;
}

/** With margins or without, back to back joined or parted: the first way in which all get a tuner. */
export function placeAll<T extends Slot>(
  tuners: readonly PlanTuner[],
  slots: readonly T[],
): Placed<T>[] | undefined {
  const sorted = slots.toSorted(byBegin);
  return placeSorted(tuners, sorted, 'join') ?? placeSorted(tuners, sorted, 'part');
}

/** Slots that can reach each other's tuners: before and behind them all tuners are free, margins included. */
interface Cluster<T extends Slot> {
  from: number;
  to: number;
  /** In the order of their beginnings. */
  slots: T[];
}

/** The recordings that were given a tuner, in stretches of time that do not touch. */
export class TunerTime<T extends Slot> {
  /** By time. */
  #clusters: Cluster<T>[] = [];

  constructor(private readonly tuners: readonly PlanTuner[]) {}

  /** Takes a recording in if all that were taken in before keep theirs. */
  add(slot: T): boolean {
    const merged = this.#merged(slot);
    if (slot.held === null && !this.#isPlaced(merged.cluster)) return false;
    this.#clusters.splice(merged.first, merged.count, merged.cluster);
    return true;
  }

  /** Whether `add` would take it. */
  fits(slot: T): boolean {
    return this.#isPlaced(this.#merged(slot).cluster);
  }

  #isPlaced({ slots }: Cluster<T>): boolean {
    const placed = placeSorted(this.tuners, slots, 'join') ?? placeSorted(this.tuners, slots, 'part');
    return placed !== undefined;
  }

  /** Those that need a tuner while `slot` does. */
  overlapping(slot: Slot): T[] {
    return this.#merged(slot as T).cluster.slots.filter(
      (other) => other !== slot && other.from < slot.to && slot.from < other.to,
    );
  }

  /** The stretches, each with what is recorded in it. */
  clusters(): readonly (readonly T[])[] {
    return this.#clusters.map(({ slots }) => slots);
  }

  #merged(slot: T): { first: number; count: number; cluster: Cluster<T> } {
    const from = slot.from - slot.before;
    const to = slot.to + slot.after;
    let low = 0;
    let high = this.#clusters.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#clusters[middle]?.to ?? 0) < from) low = middle + 1;
      else high = middle;
    }
    const cluster: Cluster<T> = { from, to, slots: [] };
    let count = 0;
    for (let at = low; at < this.#clusters.length; at++) {
      const other = this.#clusters[at];
      if (other === undefined || other.from > to) break;
      cluster.from = Math.min(cluster.from, other.from);
      cluster.to = Math.max(cluster.to, other.to);
      cluster.slots.push(...other.slots);
      count++;
    }
    // Clusters follow each other, and what has begun stands in the first: their slots are in order.
    const behind = cluster.slots.findIndex((other) => byBegin(slot, other) < 0);
    cluster.slots.splice(behind === -1 ? cluster.slots.length : behind, 0, slot);
    return { first: low, count, cluster };
  }
}
