/**
 * Times of a programme as known now: from its tables, from present/following of its station, and from its reservation.
 * Pure.
 *
 * A running programme is never cut short by the guide: its end only moves later. One named as present continues
 * whatever its table says of its end; what is named as following, though it should have begun, begins at any moment.
 */
import { type BroadcastMs, broadcastMs, earliest, latest, plusMs } from '../../../arib/time.ts';
import {
  type Airing,
  boundary,
  type Heard,
  isBrokenOff,
  LATE_TABLE_MS,
  RESUME_MS,
} from '../../model/airing.ts';
import type { Reservation } from '../../model/reservation.ts';
import type { GuideProgram } from '../match/guide-index.ts';

/** What its tables say. */
export type ListedTimes = Pick<GuideProgram, 'startAt' | 'endAt' | 'openEnd'>;

/** All in epoch ms. */
export interface ProgramTimes {
  /** For display, and as the wanted range. */
  readonly startAt: BroadcastMs;
  readonly endAt: BroadcastMs;
  /** Until when its tuner is counted as taken. */
  readonly to: BroadcastMs;
  /** When its recording ends, without margin. */
  readonly closesAt: BroadcastMs;
  /** Its recording continues until then without further information, unless it is over; null: not beyond its end. */
  readonly holdUntil: BroadcastMs | null;
  /** Until when its station is received after it was broken off, to resume; null: not. */
  readonly listenUntil: BroadcastMs | null;
  /**
   * Since when another programme is on in its place, long before its end; null: none is, or its station is not
   * received.
   */
  readonly brokenAt: BroadcastMs | null;
  /** Its real end; null: it is not over, or its end was not received. */
  readonly endedAt: BroadcastMs | null;
  /** What its station says of it; null: its station is not received. */
  readonly heard: Heard | null;
}

/** A programme without an end is assumed to last this much longer from now. */
const OPEN_END_MS = 60_000;
/** Limit of holding an estimated end without reception. */
const FORGOTTEN_MS = 3 * 3_600_000;
/** Delay of present/following: until then a programme at its announced end counts as over. */
const TABLE_GRACE_MS = 5_000;
/** Of undefined duration. */
const LONGEST_MS = 24 * 3_600_000;
/** Lists show whole minutes. */
const MINUTE_MS = 60_000;

/** The end as far as it is known now. */
function endOf(program: ListedTimes | undefined, endAt: BroadcastMs, now: BroadcastMs): BroadcastMs {
  const goesOn = program?.openEnd === true && endAt <= now && endAt + FORGOTTEN_MS > now;
  return goesOn ? plusMs(now, OPEN_END_MS) : endAt;
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
  return { startAt, endAt, to, closesAt: to, holdUntil, ...unbroken, heard: heardOf(airing, startAt) };
}

function heardOf(airing: Airing | undefined, startAt: BroadcastMs): Heard | null {
  if (airing === undefined) return null;
  if (airing.state !== 'over') return airing.state;
  // A table that named it long before its time was wrong.
  return airing.until === null || airing.until > startAt ? 'past' : null;
}

/** @param isElsewhere its station names another programme, and never named this one */
export function underWay(
  program: ListedTimes | undefined,
  reservation: Pick<Reservation, 'startAt' | 'endAt'>,
  airing: Airing | undefined,
  now: BroadcastMs,
  isElsewhere = false,
): ProgramTimes {
  const state = airing?.state;
  const endedAt = state === 'over' ? realEnd(program, reservation.endAt, airing?.until ?? null) : null;
  // An estimate is not kept: it would prolong the recording after its real end is known.
  const isTold = program !== undefined && !program.openEnd;
  const known = isTold ? latest(program.endAt, reservation.endAt) : reservation.endAt;
  const booked = endedAt === null ? known : latest(known, endedAt);
  const startAt = realStart(program, reservation.startAt, airing);
  const isLate = state === 'on' && booked < now;
  const isNamed = state === 'on' || state === 'next';
  const guessed = program === undefined ? booked : latest(booked, program.endAt);
  const closesAt = state === undefined ? endOf(program, guessed, now) : booked;
  return {
    startAt,
    endAt: isLate ? latest(booked, broadcastMs(Math.floor(now / MINUTE_MS) * MINUTE_MS)) : booked,
    to: taken(startAt, closesAt, program?.endAt ?? -Infinity, state, now),
    closesAt,
    holdUntil: isNamed ? held(program, reservation.startAt, booked, now) : null,
    listenUntil: listened(airing),
    brokenAt: endedAt === null ? broken(startAt, booked, airing, isElsewhere ? now : null) : null,
    endedAt,
    heard: isElsewhere ? 'elsewhere' : heardOf(airing, startAt),
  };
}

/** @param elsewhereAt when another programme was named, though this one never was */
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
 * Its tuner is the next one's as soon as it is over: at the end in its table, which tables may be a little late to confirm.
 * What has not begun by then needs it for its whole length.
 * @param listed its end by its table, if it has one: the booked end may only be as far as it was seen to run
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

/** A table without updates does not hold a recording for ever. */
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

/** Whether a programme that was broken off resumes is not announced. */
function listened(airing: Airing | undefined): BroadcastMs | null {
  if (airing === undefined || airing.until === null || !isBrokenOff(airing)) return null;
  return plusMs(airing.until, RESUME_MS);
}

/**
 * Where it was interrupted its table tells when it went on; where it began late, when it began: what was booked or what
 * is announced, whichever is nearer to when the tables changed.
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

/** Where present/following changes long before the announced end, it may change back: an interruption. */
function realEnd(
  program: ListedTimes | undefined,
  booked: BroadcastMs,
  until: BroadcastMs | null,
): BroadcastMs | null {
  if (until === null) return null;
  const listed = program === undefined || program.openEnd ? booked : program.endAt;
  const end = boundary(listed, until);
  return end < listed ? null : end;
}
