/**
 * A day's reservations on the tuners that will, do and did record them. A plan knows the rank that records something,
 * not the tuner; of equal tuners this picks as the agent would: where the channel is received already, else the first
 * that is free. Margins yield, so only the programmes themselves keep each other off a tuner. Pure.
 */
import type { StationId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, earliest, latest } from '../../lib/arib/time.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import type { ReservationItem, Station } from '../../lib/wire/api.ts';
import type { ReservationId } from '../../lib/wire/ids.ts';
import type { Direction } from '../navigation/spatial.ts';

type BroadcastType = Station['type'];

export interface TimetableBar {
  readonly item: ReservationItem;
  /** With margins. */
  readonly openAt: BroadcastMs;
  readonly closeAt: BroadcastMs;
  /** Among those of its row that run at the same time. */
  readonly lane: number;
}

/** A period in which a tuner receives one channel. */
interface Tuning {
  readonly channel: string;
  readonly from: BroadcastMs;
  readonly to: BroadcastMs;
  /** Lanes that its programmes occupy. */
  readonly lanes: number;
}

export interface TunerRow {
  readonly key: string;
  /** Undefined where no tuner records it, or none was found. */
  readonly tuner: Tuner | undefined;
  readonly kind: 'tuner' | 'unknown' | 'none';
  readonly lanes: number;
  /** By start. */
  readonly bars: readonly TimetableBar[];
  readonly tunings: readonly Tuning[];
}

interface DayInput {
  readonly items: readonly ReservationItem[];
  readonly tuners: readonly Tuner[];
  readonly typeOf: (stationId: StationId) => BroadcastType | undefined;
  readonly from: BroadcastMs;
  readonly to: BroadcastMs;
}

/** These hold, held or will hold a tuner. */
const RECEIVED = new Set<ReservationItem['state']>(['scheduled', 'recording', 'finished']);
/** Conflicts. */
const LEFT_OUT = new Set<ReservationItem['state']>(['conflict', 'missed']);

interface TimedSlot {
  readonly item: ReservationItem;
  readonly type: BroadcastType | undefined;
  /** Equal for all that share a tuning. */
  readonly key: string;
  readonly channel: string;
  readonly openAt: BroadcastMs;
  readonly closeAt: BroadcastMs;
}

function slotOf(item: ReservationItem, type: BroadcastType | undefined): TimedSlot {
  const channel = item.channel ?? '';
  return {
    item,
    type,
    key: channel === '' ? `station ${item.stationId}` : `${type} ${channel}`,
    channel,
    openAt: earliest(item.openAt ?? item.startAt, item.startAt),
    closeAt: latest(item.closeAt ?? item.endAt, item.endAt),
  };
}

interface Seat {
  readonly tuner: Tuner | undefined;
  readonly key: string;
  readonly slots: TimedSlot[];
}

function keepsOff(one: TimedSlot, other: TimedSlot): boolean {
  if (one.key === other.key) return false;
  return one.item.startAt < other.item.endAt && other.item.startAt < one.item.endAt;
}

function touches(one: TimedSlot, other: TimedSlot): boolean {
  return one.openAt <= other.closeAt && other.openAt <= one.closeAt;
}

function isReceivedBy(slot: TimedSlot, tuner: Tuner): boolean {
  const uses = tuner.users.map(({ use }) => ` ${use} `);
  const id = slot.item.recordingId ?? null;
  return id !== null && uses.some((use) => use.includes(` rec ${id} `));
}

function canReceive(slot: TimedSlot, tuner: Tuner): boolean {
  if (tuner.disabled || tuner.rank === null) return false;
  if (slot.type !== undefined && !tuner.types.includes(slot.type)) return false;
  return slot.item.tuner === null || slot.item.tuner.rank === tuner.rank;
}

/** Smaller is better; undefined: impossible. */
function fitness(slot: TimedSlot, seat: Seat): number | undefined {
  const { tuner, slots } = seat;
  if (tuner === undefined || !canReceive(slot, tuner)) return undefined;
  if (slots.some((other) => keepsOff(slot, other))) return undefined;
  if (slots.some((other) => other.key === slot.key && touches(slot, other))) return 0;
  return slots.some((other) => touches(slot, other)) ? 2 : 1;
}

function seatFor(slot: TimedSlot, seats: readonly Seat[]): Seat | undefined {
  const named =
    slot.item.state === 'recording'
      ? seats.find(({ tuner }) => tuner !== undefined && isReceivedBy(slot, tuner))
      : undefined;
  if (named !== undefined) return named;
  let best: { readonly seat: Seat; readonly fit: number } | undefined;
  for (const seat of seats) {
    const fit = fitness(slot, seat);
    if (fit !== undefined && (best === undefined || fit < best.fit)) best = { seat, fit };
  }
  return best?.seat;
}

/** Simultaneous items get different lanes. */
function inLanes(slots: readonly TimedSlot[]): { bars: TimetableBar[]; lanes: number } {
  const ends: number[] = [];
  const bars = [...slots]
    .sort((a, b) => a.item.startAt - b.item.startAt || a.item.id - b.item.id)
    .map(({ item, openAt, closeAt }) => {
      const free = ends.findIndex((end) => end <= item.startAt);
      const lane = free < 0 ? ends.length : free;
      ends[lane] = item.endAt;
      return { item, openAt, closeAt, lane };
    });
  return { bars, lanes: Math.max(1, ends.length) };
}

function tuningsOf(slots: readonly TimedSlot[], bars: readonly TimetableBar[]): Tuning[] {
  const laneOf = new Map(bars.map(({ item, lane }) => [item.id, lane]));
  const tunings: { key: string; channel: string; from: BroadcastMs; to: BroadcastMs; lanes: number }[] = [];
  for (const slot of [...slots].sort((a, b) => a.openAt - b.openAt)) {
    const last = tunings.findLast(({ key }) => key === slot.key);
    const lanes = 1 + (laneOf.get(slot.item.id) ?? 0);
    if (last !== undefined && last.to >= slot.openAt) {
      last.to = latest(last.to, slot.closeAt);
      last.lanes = Math.max(last.lanes, lanes);
    } else {
      tunings.push({ key: slot.key, channel: slot.channel, from: slot.openAt, to: slot.closeAt, lanes });
    }
  }
  return tunings.map(({ key: _, ...tuning }) => tuning);
}

function rowOf(kind: TunerRow['kind'], seat: Seat): TunerRow {
  const { bars, lanes } = inLanes(seat.slots);
  const tunings = kind === 'none' ? [] : tuningsOf(seat.slots, bars);
  return { kind, key: seat.key, tuner: seat.tuner, bars, lanes, tunings };
}

/** Conflicts first, if any; then every tuner in the order of use. */
export function timetable({ items, tuners, typeOf, from, to }: DayInput): TunerRow[] {
  const slots = items
    .filter((item) => item.endAt > from && item.startAt < to)
    .map((item) => slotOf(item, item.tuner?.type ?? typeOf(item.stationId)))
    .sort((a, b) => a.item.startAt - b.item.startAt || a.item.id - b.item.id);
  const seats: Seat[] = tuners
    .filter((tuner) => !tuner.disabled && tuner.rank !== null)
    .map((tuner) => ({ tuner, key: tuner.id, slots: [] }));
  const unknown: Seat = { tuner: undefined, key: 'unknown', slots: [] };
  const running = (slot: TimedSlot): number => (slot.item.state === 'recording' ? 0 : 1);
  // Running recordings are fixed to their tuner; planned ones are placed around them.
  const received = slots.filter(({ item }) => RECEIVED.has(item.state));
  for (const slot of received.sort((a, b) => running(a) - running(b))) {
    (seatFor(slot, seats) ?? unknown).slots.push(slot);
  }
  const left: Seat = {
    tuner: undefined,
    key: 'none',
    slots: slots.filter(({ item }) => LEFT_OUT.has(item.state)),
  };
  return [
    ...(left.slots.length === 0 ? [] : [rowOf('none', left)]),
    ...seats.map((seat) => rowOf('tuner', seat)),
    ...(unknown.slots.length === 0 ? [] : [rowOf('unknown', unknown)]),
  ];
}

export interface TimetablePlace {
  readonly row: number;
  readonly id: ReservationId;
  /** Anchor time of a movement across rows: moving there and back returns to the start. */
  readonly anchor: BroadcastMs;
}

/** A direction in the table, independent of the orientation on the screen. */
type Way = 'earlier' | 'later' | 'before' | 'after';

/** Time runs across on wide screens, down on phones. */
export function wayOf(direction: Direction, upright: boolean): Way {
  const along: Partial<Record<Direction, Way>> = upright
    ? { up: 'earlier', down: 'later' }
    : { left: 'earlier', right: 'later' };
  return along[direction] ?? (direction === 'up' || direction === 'left' ? 'before' : 'after');
}

function distanceTo({ item }: TimetableBar, at: BroadcastMs): number {
  if (at < item.startAt) return item.startAt - at;
  return at >= item.endAt ? at - item.endAt + 1 : 0;
}

function nearestIn(bars: readonly TimetableBar[], at: BroadcastMs): TimetableBar | undefined {
  return [...bars].sort((a, b) => distanceTo(a, at) - distanceTo(b, at) || a.lane - b.lane)[0];
}

function across(
  rows: readonly TunerRow[],
  from: TimetablePlace,
  current: TimetableBar,
  by: 1 | -1,
): TimetablePlace | undefined {
  const beside = rows[from.row]?.bars.find(
    ({ lane, item }) =>
      lane === current.lane + by && item.startAt < current.item.endAt && item.endAt > current.item.startAt,
  );
  if (beside !== undefined) return { ...from, id: beside.item.id };
  for (let row = from.row + by; row >= 0 && row < rows.length; row += by) {
    const bars = rows[row]?.bars ?? [];
    const edge = by > 0 ? bars : [...bars].reverse();
    const found = nearestIn(edge, from.anchor);
    if (found !== undefined) return { row, id: found.item.id, anchor: from.anchor };
  }
  return undefined;
}

/** Undefined when there is nothing in that direction: the key is then not handled here. */
export function stepBar(
  rows: readonly TunerRow[],
  from: TimetablePlace,
  way: Way,
): TimetablePlace | undefined {
  const bars = rows[from.row]?.bars ?? [];
  const index = bars.findIndex(({ item }) => item.id === from.id);
  const current = bars[index];
  if (current === undefined) return undefined;
  if (way === 'before') return across(rows, from, current, -1);
  if (way === 'after') return across(rows, from, current, 1);
  const next = bars[index + (way === 'later' ? 1 : -1)];
  if (next === undefined) return undefined;
  return { row: from.row, id: next.item.id, anchor: next.item.startAt };
}

/** The item nearest to a time, where the focus enters the table. */
export function enterBars(rows: readonly TunerRow[], at: BroadcastMs): TimetablePlace | undefined {
  const found = rows
    .flatMap((row, index) => row.bars.map((bar) => ({ bar, index })))
    .sort((a, b) => distanceTo(a.bar, at) - distanceTo(b.bar, at) || a.index - b.index)[0];
  if (found === undefined) return undefined;
  return { row: found.index, id: found.bar.item.id, anchor: latest(at, found.bar.item.startAt) };
}
