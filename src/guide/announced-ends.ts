/**
 * The ends that the tables of one programme announced while it was present, and which of them counts in the end. Pure.
 *
 * A table may be wrong for a while: an hour more for some seconds, or an end that is too early, at which another
 * programme merely interrupts it. An announcement alone never ends a programme; once another one is present instead,
 * the end that its tables stand by is the one that was announced for longer, or before the others.
 */
import { type BroadcastMs, latest } from '../../lib/arib/time.ts';
import { boundary, LATE_TABLE_MS } from '../model/airing.ts';

/** An end announced for a shorter time does not count against one that was announced for longer. */
const BRIEF_MS = 60_000;
/** Tables that change more often are nonsense. */
const MAX_ENDS = 8;

interface AnnouncedEnd {
  readonly endsAt: BroadcastMs;
  /** For how long it was announced so far, without the current announcement. */
  readonly forMs: number;
}

export interface AnnouncedEnds {
  /** In the order of their first announcement. */
  readonly ends: readonly AnnouncedEnd[];
  /** The current announcement; null: undefined there. */
  readonly last: BroadcastMs | null;
  readonly lastSince: BroadcastMs;
}

/** @param endsAt announced now; null: undefined there; undefined: not received */
export function announce(
  before: AnnouncedEnds | undefined,
  endsAt: BroadcastMs | null | undefined,
  now: BroadcastMs,
): AnnouncedEnds | undefined {
  if (endsAt === undefined || (before !== undefined && before.last === endsAt)) return before;
  const ends = before === undefined ? [] : endsUntil(before, now);
  const isKnown = endsAt === null || ends.some((one) => one.endsAt === endsAt);
  const all = isKnown ? ends : [...ends, { endsAt, forMs: 0 }];
  return { ends: all.length > MAX_ENDS ? withoutBriefest(all) : all, last: endsAt, lastSince: now };
}

/** The current one, which is the last, stays. */
function withoutBriefest(ends: readonly AnnouncedEnd[]): AnnouncedEnd[] {
  const least = Math.min(...ends.slice(0, -1).map(({ forMs }) => forMs));
  return ends.toSpliced(
    ends.findIndex(({ forMs }) => forMs === least),
    1,
  );
}

function endsUntil({ ends, last, lastSince }: AnnouncedEnds, now: BroadcastMs): AnnouncedEnd[] {
  const stoodMs = Math.max(0, now - lastSince);
  return ends.map((one) => (one.endsAt === last ? { ...one, forMs: one.forMs + stoodMs } : one));
}

/** The end to plan with while it is present. Undefined: undecided. */
export function standingEnd(announced: AnnouncedEnds, now: BroadcastMs): BroadcastMs | undefined {
  if (announced.last === null) return undefined;
  return notBefore(announced.last, endsUntil(announced, now), UNKNOWN_ROOM);
}

/** Between the programme that is on instead and the one listed after it: only then can a replaced one return. */
export interface Room {
  /** Announced end of the programme that is on instead; null: unknown. */
  readonly from: BroadcastMs | null;
  /** Announced begin of the programme after it; null: unknown, or it is the replaced one. */
  readonly to: BroadcastMs | null;
}

export const UNKNOWN_ROOM: Room = { from: null, to: null };

/** When a programme ends, or would have ended, that another one replaced. @param until when it was replaced */
export function endOfReplaced(announced: AnnouncedEnds, until: BroadcastMs, room: Room): BroadcastMs {
  const { last } = announced;
  const ends = endsUntil(announced, until);
  if (last === null) return notBefore(until, ends, room);
  if (until >= last - LATE_TABLE_MS) return notBefore(boundary(last, until), ends, room);
  // At an end that was announced before the current one, and no time is left until that.
  const first = ends.find(({ endsAt }) => isNear(endsAt, until));
  const isBefore = first !== undefined && ends.indexOf(first) < ends.findIndex((one) => one.endsAt === last);
  if (isBefore && !mayReturn(last, room)) return first.endsAt;
  return notBefore(last, ends, room);
}

/** Moves an end to a later one that was announced before, and not withdrawn in its favour. */
function notBefore(end: BroadcastMs, ends: readonly AnnouncedEnd[], room: Room): BroadcastMs {
  const own = ends.findIndex(({ endsAt }) => isNear(endsAt, end));
  const isConfirmed = (ends[own]?.forMs ?? 0) >= BRIEF_MS;
  if (isConfirmed) return end;
  const kept = ends.filter(
    ({ endsAt, forMs }, index) =>
      endsAt > end && forMs >= BRIEF_MS && (own < 0 || index < own) && mayReturn(endsAt, room),
  );
  return latest(end, ...kept.map(({ endsAt }) => endsAt));
}

/** Whether the programme could still return before that end. */
function mayReturn(end: BroadcastMs, { from, to }: Room): boolean {
  if (from === null) return true;
  // A begin before the other one ends is an old table, which the extension and the interruption have not moved.
  const isFull = to !== null && Math.abs(to - from) <= LATE_TABLE_MS;
  return from < end - LATE_TABLE_MS && !isFull;
}

function isNear(a: BroadcastMs, b: BroadcastMs): boolean {
  return Math.abs(a - b) <= LATE_TABLE_MS;
}
