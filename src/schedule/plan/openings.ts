/**
 * When each recording requests its tuner, and which recording it follows there. Margins are kept if there are enough
 * tuners. Otherwise they are dropped: a recording begins when the programme before it on its tuner has ended, and
 * takes the tuner over while that one's end margin still runs (`after`). Between two adjacent programmes the retuning
 * time is lost, at the end of the first or at the beginning of the second. Pure.
 */
import { type BroadcastMs, broadcastMs, earliest, latest, plusMs } from '../../../lib/arib/time.ts';
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
  /** The adjacent programme on its tuner. */
  readonly neighbour: T;
}

/** Which of two adjacent programmes on one tuner loses the retuning time. */
export type RetuneCost = 'first' | 'second';

function mayHold({ holdUntil = null }: Slot): boolean {
  return holdUntil !== null;
}

/** Placement with all margins, as if they were part of the programmes. */
function withMargins<T extends Slot>(tuners: readonly PlanTuner[], slots: readonly T[], now: BroadcastMs) {
  const wide = slots.map((slot) => ({
    ...slot,
    from: latest(plusMs(slot.from, -slot.before), now),
    // Added even without margins: it may run slightly longer.
    to: plusMs(slot.to, slot.after + (mayHold(slot) ? 1 : 0)),
    before: 0,
    after: 0,
    slot,
  }));
  // If margins of one channel overlap, the second joins the first without further action.
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

/** The remaining recordings of a tuner before one that needs it. */
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
    // A tuning of its channel that it must not share: it waits until that programme and all others with it have ended.
    const elsewhere = openings.filter(
      (opening) => opening.tuner !== tuner && sameChannel(opening.slot) && opening.slot.to <= slot.from,
    );
    // An overrunning programme is not ended for a margin: a later plan will know its end.
    const overAt = ({ slot: { to, isOpen = false } }: Opening<T>): BroadcastMs =>
      isOpen ? latest(to, slot.from) : to;
    const parted = elsewhere.map(overAt);
    const before = openings.filter((opening) => opening.tuner === tuner && !sameChannel(opening.slot));
    const current = openings.findLast((opening) => opening.tuner === tuner);
    // It joins the channel that the tuner will be on then.
    const isOn = current !== undefined && sameChannel(current.slot);
    const retuneMs = isOn ? 0 : (tuners[tuner]?.retuneMs ?? 0);
    const leadMs = cost === 'first' && before.length > 0 ? Math.max(slot.before, retuneMs) : slot.before;
    const wishedAt = latest(plusMs(slot.from, -leadMs), now, ...parted);
    // Joining takes no free tuner, so it changes nothing for those before it. Later the channel may be left: then the
    // agent would choose another tuner.
    const joins = isOn && current.closeAt > wishedAt;
    const orderedAt = joins ? latest(current.openAt, wishedAt) : latest(lastOpenAt, wishedAt);
    lastOpenAt = latest(lastOpenAt, orderedAt);
    const freeAt = (opening: Opening<T>): BroadcastMs =>
      cost === 'second' || opening.slot.isOpen === true
        ? overAt(opening)
        : earliest(opening.slot.to, latest(opening.slot.from, plusMs(slot.from, -retuneMs)));
    const openAt = latest(orderedAt, ...before.map(freeAt));
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

/** @param slots of one period, all of which get a tuner (`placeAll`) */
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
