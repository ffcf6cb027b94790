/**
 * When each recording requests its tuner, and which recording it follows there. Margins are kept where there are
 * enough tuners. Otherwise they yield: a recording begins when the programme before it on its tuner has
 * ended, and takes the tuner over while that one's end margin still runs (`after`). Where two programmes meet, the time
 * of retuning is lost: the end of the first, or the beginning of the second. Pure.
 */
import { type BroadcastMs, broadcastMs, earliest, latest, plusMs } from '../../../arib/time.ts';
import { type Placed, type PlanTuner, place, placeAll, type Slot } from './tuner-allocation.ts';

export interface Opening<T extends Slot> {
  readonly slot: T;
  readonly tuner: number;
  /** When the stream is requested; in the past for running recordings. */
  readonly openAt: BroadcastMs;
  /** When it ends. */
  readonly closeAt: BroadcastMs;
  /** Recordings that count as ended then: their programmes are over. */
  readonly after: readonly T[];
  /** Loss by retuning; absent: none. */
  readonly headCut?: Cut<T>;
  readonly tailCut?: Cut<T>;
}

export interface Cut<T extends Slot> {
  readonly ms: number;
  /** What it meets on its tuner. */
  readonly neighbour: T;
}

/** Which of two adjacent programmes on one tuner loses the time of retuning. */
export type RetuneCost = 'first' | 'second';

function mayHold({ holdUntil = null }: Slot): boolean {
  return holdUntil !== null;
}

/** With all margins, as if they were part of the programmes. */
function withMargins<T extends Slot>(tuners: readonly PlanTuner[], slots: readonly T[], now: BroadcastMs) {
  const wide = slots.map((slot) => ({
    ...slot,
    from: latest(plusMs(slot.from, -slot.before), now),
    // Also named without margins: it may run a moment longer.
    to: plusMs(slot.to, slot.after + (mayHold(slot) ? 1 : 0)),
    before: 0,
    after: 0,
    slot,
  }));
  // Margins of one channel overlap: the second joins the first by itself.
  return place(tuners, wide, 'part')?.map(
    ({ slot, tuner }): Opening<T> => ({
      slot: slot.slot,
      tuner,
      openAt: slot.from,
      closeAt: plusMs(slot.slot.to, slot.slot.after),
      after: [],
    }),
  );
}

/** What is left of the recordings of a tuner before one that needs it. */
function following<T extends Slot>(
  tuners: readonly PlanTuner[],
  placed: readonly Placed<T>[],
  now: BroadcastMs,
  cost: RetuneCost,
): Opening<T>[] {
  const openings: Opening<T>[] = [];
  /** The latest opening so far: a later slot does not open before one that was placed earlier. */
  let lastOpenAt = broadcastMs(-Infinity);
  for (const { slot, tuner } of placed) {
    if (slot.held !== null) {
      openings.push({ slot, tuner, openAt: now, closeAt: plusMs(slot.to, slot.after), after: [] });
      continue;
    }
    const sameChannel = (other: Slot): boolean => other.type === slot.type && other.channel === slot.channel;
    // A tuning of its channel that it is not to share: it waits until that programme has ended, and all others with it.
    const elsewhere = openings.filter(
      (opening) => opening.tuner !== tuner && sameChannel(opening.slot) && opening.slot.to <= slot.from,
    );
    // One that runs over is not ended for a margin: another plan will know more.
    const overAt = ({ slot: { to, isOpen = false } }: Opening<T>): BroadcastMs =>
      isOpen ? latest(to, slot.from) : to;
    const parted = elsewhere.map(overAt);
    const before = openings.filter((opening) => opening.tuner === tuner && !sameChannel(opening.slot));
    const current = openings.findLast((opening) => opening.tuner === tuner);
    // It joins what the tuner is on by then.
    const isOn = current !== undefined && sameChannel(current.slot);
    const retuneMs = isOn ? 0 : (tuners[tuner]?.retuneMs ?? 0);
    const leadMs = cost === 'first' && before.length > 0 ? Math.max(slot.before, retuneMs) : slot.before;
    lastOpenAt = latest(lastOpenAt, plusMs(slot.from, -leadMs), now, ...parted);
    const freeAt = (opening: Opening<T>): BroadcastMs =>
      cost === 'second' || opening.slot.isOpen === true
        ? overAt(opening)
        : earliest(opening.slot.to, latest(opening.slot.from, plusMs(slot.from, -retuneMs)));
    const openAt = latest(lastOpenAt, ...before.map(freeAt));
    const isRunning = (opening: Opening<T>): boolean =>
      opening.openAt <= openAt && opening.closeAt + (mayHold(opening.slot) ? 1 : 0) > openAt;
    const after = [...before, ...elsewhere].filter(isRunning).map((opening) => opening.slot);
    const headMs = before.some(isRunning) ? openAt + retuneMs - slot.from : 0;
    const last = before.findLast(isRunning);
    openings.push({
      ...{ slot, tuner, openAt, closeAt: plusMs(slot.to, slot.after), after },
      ...(headMs > 0 && last !== undefined ? { headCut: { ms: headMs, neighbour: last.slot } } : {}),
    });
    for (const [index, opening] of openings.entries()) {
      const ms = opening.slot.to - openAt;
      if (ms > (opening.tailCut?.ms ?? 0) && before.includes(opening) && isRunning(opening))
        openings[index] = { ...opening, tailCut: { ms, neighbour: slot } };
    }
  }
  return openings;
}

/** @param slots that all get a tuner (`placeAll`); those of one stretch of time */
export function openings<T extends Slot>(
  tuners: readonly PlanTuner[],
  slots: readonly T[],
  now: BroadcastMs,
  cost: RetuneCost = 'first',
): Opening<T>[] {
  const wide = withMargins(tuners, slots, now);
  if (wide !== undefined) return wide;
  const placed = placeAll(tuners, slots);
  return placed === undefined ? [] : following(tuners, placed, now, cost);
}
