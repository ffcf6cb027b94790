/**
 * Times of a programme as known now: from its tables, from present/following of its station, and from its
 * reservation. Pure.
 *
 * The guide never shortens a running programme: its end only moves later. A programme listed as present continues
 * regardless of the end in its table. One listed as following after its announced start may begin at any moment.
 */
import {
  type BroadcastMs,
  broadcastMs,
  earliest,
  latest,
  MINUTE_MS,
  plusMs,
} from '../../../lib/arib/time.ts';
import {
  type Airing,
  type AirState,
  boundary,
  isBrokenOff,
  LATE_TABLE_MS,
  RESUME_MS,
} from '../../model/airing.ts';
import type { Reservation } from '../../model/reservation.ts';
import type { IndexedProgram } from '../match/program-rows.ts';

/** Times from its tables. */
export type ListedTimes = Pick<IndexedProgram, 'startAt' | 'endAt' | 'openEnd'>;

/** All in epoch ms. */
export interface ProgramTimes {
  /** For display, and as the wanted range. */
  readonly startAt: BroadcastMs;
  readonly endAt: BroadcastMs;
  /** Until when its tuner counts as occupied. */
  readonly to: BroadcastMs;
  /** When its recording ends, without margin. */
  readonly closesAt: BroadcastMs;
  /** Its recording continues until then without further information, unless it is over; null: it ends at its end. */
  readonly holdUntil: BroadcastMs | null;
  /** Until when its station is received after an interruption, so that it can resume; null: not. */
  readonly listenUntil: BroadcastMs | null;
  /** Since when another programme replaces it, long before its end; null: none does, or its station is not received. */
  readonly brokenAt: BroadcastMs | null;
  /** Its actual end; null: it is not over, or its end was not received. */
  readonly endedAt: BroadcastMs | null;
  /** State reported by its station; null: its station is not received. */
  readonly airState: AirState | null;
}

/** A programme without an end is assumed to last this much longer from now. */
const OPEN_END_MS = 60_000;
/** Limit of holding an estimated end without reception. */
const FORGOTTEN_MS = 3 * 3_600_000;
/** Delay of present/following: until then a programme at its announced end counts as over. */
const TABLE_GRACE_MS = 5_000;
/** Limit for programmes of undefined duration. */
const LONGEST_MS = 24 * 3_600_000;

/** The end as currently known. */
function endOf(program: ListedTimes | undefined, endAt: BroadcastMs, now: BroadcastMs): BroadcastMs {
  const isContinuing = program?.openEnd === true && endAt <= now && endAt + FORGOTTEN_MS > now;
  return isContinuing ? plusMs(now, OPEN_END_MS) : endAt;
}

/** @param airing undefined: its station is not received */
export function coming(
  program: ListedTimes | undefined,
  booked: { readonly startAt: BroadcastMs; readonly endAt: BroadcastMs },
  airing: Airing | undefined,
  now: BroadcastMs,
): ProgramTimes {
  const startAt = program?.startAt ?? booked.startAt;
  const endAt = program?.endAt ?? booked.endAt;
  const isLate = endAt <= now && endAt + FORGOTTEN_MS > now;
  const waits = airing?.state === 'next' && startAt <= now && startAt + FORGOTTEN_MS > now;
  let to = endOf(program, endAt, now);
  if (waits) to = latest(to, plusMs(now, endAt - startAt), plusMs(now, OPEN_END_MS));
  else if (airing?.state === 'on' && isLate) to = plusMs(now, OPEN_END_MS);
  const holdUntil = waits || airing?.state === 'on' ? plusMs(latest(to, now), FORGOTTEN_MS) : null;
  const unbroken = { listenUntil: null, brokenAt: null, endedAt: null };
  return { startAt, endAt, to, closesAt: to, holdUntil, ...unbroken, airState: airStateOf(airing, startAt) };
}

function airStateOf(airing: Airing | undefined, startAt: BroadcastMs): AirState | null {
  if (airing === undefined) return null;
  if (airing.state !== 'over') return airing.state;
  // A table that listed it long before its start was wrong.
  return airing.until === null || airing.until > startAt ? 'past' : null;
}

/** @param isElsewhere its station lists another programme, and never listed this one */
export function underWay(
  program: ListedTimes | undefined,
  reservation: Pick<Reservation, 'startAt' | 'endAt'>,
  airing: Airing | undefined,
  now: BroadcastMs,
  isElsewhere = false,
): ProgramTimes {
  const state = airing?.state;
  // Once another programme is on instead, announcements that were withdrawn no longer count.
  const replacedAt = state === 'over' ? airing?.closesAt : undefined;
  const listed = program === undefined || program.openEnd ? reservation.endAt : program.endAt;
  const endedAt = state === 'over' ? realEnd(replacedAt ?? listed, airing?.until ?? null) : null;
  // An estimate is not kept: it would prolong the recording after its actual end is known.
  // While another programme is on after its listed end, a later end that was booked before was withdrawn.
  const isWithdrawn = isElsewhere && listed <= now;
  const known = replacedAt ?? (isWithdrawn ? listed : latest(listed, reservation.endAt));
  const booked = endedAt === null ? known : latest(known, endedAt);
  const startAt = realStart(program, reservation.startAt, airing);
  const isLate = state === 'on' && booked < now;
  const isNamed = state === 'on' || state === 'next';
  const guessed = program === undefined ? booked : latest(booked, program.endAt);
  const closesAt = state === undefined ? endOf(program, guessed, now) : booked;
  // A withdrawn extension keeps its tuner from no other programme.
  const standing = state === 'on' ? earliest(closesAt, airing?.closesAt ?? closesAt) : closesAt;
  return {
    startAt,
    // Lists show whole minutes.
    endAt: isLate ? latest(booked, broadcastMs(Math.floor(now / MINUTE_MS) * MINUTE_MS)) : booked,
    to: taken(startAt, standing, program?.endAt ?? -Infinity, state, now),
    closesAt,
    holdUntil: isNamed ? held(program, reservation.startAt, booked, now) : null,
    listenUntil: listened(airing),
    brokenAt: endedAt === null ? broken(startAt, booked, airing, isElsewhere ? now : null) : null,
    endedAt,
    airState: isElsewhere ? 'elsewhere' : airStateOf(airing, startAt),
  };
}

/** @param elsewhereAt when another programme was listed, although this one never was */
function broken(
  startAt: BroadcastMs,
  endAt: BroadcastMs,
  airing: Airing | undefined,
  elsewhereAt: BroadcastMs | null,
): BroadcastMs | null {
  if (airing?.state === 'over' && airing.until !== null) return latest(startAt, airing.until);
  const isMissing =
    elsewhereAt !== null && elsewhereAt > startAt + LATE_TABLE_MS && elsewhereAt < endAt - LATE_TABLE_MS;
  return isMissing ? startAt : null;
}

/**
 * Its tuner is free as soon as the programme is over: at the end in its table, which present/following may confirm
 * slightly late. A programme that has not begun by then needs the tuner for its whole length.
 * @param listed its end by its table, if it has one: the booked end may only be the latest observed overrun
 */
function taken(
  startAt: BroadcastMs,
  endAt: BroadcastMs,
  listed: number,
  state: Airing['state'] | undefined,
  now: BroadcastMs,
): BroadcastMs {
  if (state === 'next' && startAt <= now) return latest(endAt, plusMs(now, endAt - startAt));
  return state === 'on' && now > listed + TABLE_GRACE_MS ? latest(endAt, plusMs(now, OPEN_END_MS)) : endAt;
}

/** A table without updates must not hold a recording forever. */
function held(
  program: ListedTimes | undefined,
  startAt: BroadcastMs,
  endAt: BroadcastMs,
  now: BroadcastMs,
): BroadcastMs | null {
  const isOpen = program === undefined || program.openEnd;
  const last = isOpen
    ? plusMs(startAt, LONGEST_MS)
    : plusMs(latest(program.endAt, program.startAt), FORGOTTEN_MS);
  return last <= now ? null : earliest(plusMs(latest(endAt, now), FORGOTTEN_MS), last);
}

/** It is not announced whether an interrupted programme resumes. */
function listened(airing: Airing | undefined): BroadcastMs | null {
  if (airing === undefined || airing.until === null || !isBrokenOff(airing)) return null;
  return plusMs(airing.until, RESUME_MS);
}

/**
 * After an interruption its table has the time when it continued; after a late begin, the time when it began: the
 * booked or the announced start, whichever is closer to the change of the tables.
 */
function realStart(
  program: ListedTimes | undefined,
  booked: BroadcastMs,
  airing: Airing | undefined,
): BroadcastMs {
  if (airing === undefined) return booked;
  const { from } = airing;
  const listed = program?.startAt ?? booked;
  if (from === null) return listed;
  return boundary(Math.abs(booked - from) < Math.abs(listed - from) ? booked : listed, from);
}

/** If present/following changes long before the listed end, it may change back: an interruption. */
function realEnd(listed: BroadcastMs, until: BroadcastMs | null): BroadcastMs | null {
  if (until === null) return null;
  const end = boundary(listed, until);
  return end < listed ? null : end;
}
